"""Checks of what a whole loss aims at: likelihoods, similarities and errors of the wrong sign."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..distributions import Distribution
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from . import reading
from .check import Check, Pass, only
from .checks_directions import STEPS, TAKEN_AT, behind_views, is_log_prob, names_reward, sign_of
from .checks_losses import LOSSES, parameters_in
from .checks_sequences import TURNS
from .checks_targets import are_zero_and_one
from .checks_training import parameters_of
from .checks_values import PRODUCTS
from .places import Place
from .reading import array_of

DRAWS = 200              # the most draws that are remembered, as long as they live
FAR = 30                 # the most nodes from the loss to what it measures
ERRORS = (*LOSSES, "NllLossBackward0", "NllLoss2DBackward0", "BinaryCrossEntropyBackward0",
          "BinaryCrossEntropyWithLogitsBackward0", "KlDivBackward0")
SUMS = ("SumBackward0", "SumBackward1")
WIDENED = ("CloneBackward0", "ExpandBackward0", "ClampMinBackward0", "ClampBackward0",
           "ClampBackward1")


def sum_of(g: Any) -> float:
    """What the elements of a gradient add up to, to five digits."""
    return float(f"{float(np.sum(array_of(g))):.4e}")


class OnlyGoal(Check):
    """A loss that is an error times -1, a likelihood or a similarity, and nothing else.

    Training a network from its start for that alone makes no sense: such a loss has no lower bound,
    or its minimum is the worst network there is. It may be intended where something else trains
    the same parameters (an attack, a part that is to be forgotten), or where they were loaded.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.goals: dict[Node, str] = {}         # in this pass
        self.found: list[tuple] = []             # of this pass, until a step follows
        self.times: dict[tuple, list] = {}       # by kind and line: how often in a row, its sum
        self.leaves: set[int] = set()            # that this pass reaches
        self.elsewhere: set[int] = set()         # those that other passes reach
        self.behind: dict[tuple, set[int]] = {}
        self.drawn: dict[int, weakref.ref] = {}

    def on_load(self, module: Module, state: Any, strict: bool, where: Place) -> None:
        self.elsewhere |= set(map(id, module.parameters()))

    def on_density(self, distribution: Distribution, value: Any, result: Any) -> None:
        """Note log_prob() of data; that of a drawn or computed value belongs to another loss."""
        node = result.grad_fn if isinstance(result, Tensor) else None
        if node is not None and isinstance(value, Tensor) and value._data.dtype.kind == "f" and (
                not value.requires_grad and not self.is_drawn(value)
                and any(t.requires_grad for t in parameters_in(distribution))):
            node._likelihood = True

    def on_draw(self, distribution: Distribution, result: Any, where: Place) -> None:
        if isinstance(result, Tensor):
            self.drawn[id(result)] = weakref.ref(result)

    def is_drawn(self, value: Tensor) -> bool:
        """Whether a tensor was given by sample() of a distribution."""
        ref = self.drawn.get(id(value))
        return ref is not None and ref() is value

    @only("MulBackward0", *TAKEN_AT)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if type(node).__name__ == "MulBackward0" and node.edges.count(None) == 1:
            constant = variables.get("input" if node.edges[0] is None else "other")
            node._weights = constant if isinstance(constant, Tensor) and constant._data.size > 1 \
                else None
        elif type(node).__name__ in TAKEN_AT:
            node._picked = picks_one_of_each(variables)

    def before_pass(self, task: Pass) -> None:
        self.goals.clear()
        self.found.clear()
        if len(self.drawn) > DRAWS:
            self.drawn = {key: ref for key, ref in self.drawn.items() if ref() is not None}
        self.leaves = {id(n.variable) for n in task.nodes if isinstance(n, AccumulateGrad)}
        if not task.fills or len(task.roots) != 1:
            return
        node, kind = goal_of(task.roots[0])
        if node is not None:
            self.goals[node] = kind
        else:
            self.elsewhere |= self.leaves

    def before_run(self, node: Node, g: Any) -> None:
        kind = self.goals.get(node)
        g = g[0] if isinstance(g, list) else g           # of several results the loss is the first
        sign = 0 if kind is None else sign_of(g)
        if sign == (-1 if kind in ("error", "scores") else 1):
            self.found.append((kind, node, sum_of(g)))
        elif kind is not None:
            self.elsewhere |= self.leaves

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        stepped = {id(p) for p in parameters_of(optimizer)}
        for kind, node, total in self.found:
            line = reading.place_of(node)
            if uphill or line is None or not self.leaves <= stepped or not is_of_network(node):
                continue
            key = kind, str(line)
            seen = self.times.setdefault(key, [line, 0, total])
            seen[1] = seen[1] + 1 if seen[2] == total else 0
            self.behind.setdefault(key, set()).update(self.leaves)
        self.found.clear()

    def at_end(self) -> None:
        for key, (line, times, _) in self.times.items():
            if times >= STEPS and self.behind[key].isdisjoint(self.elsewhere):
                self.find(line, "wrong-sign", *SAID[key[0]])


SAID = {
    "error": ("this loss is made large: the gradient that arrives here is negative", "a step makes "
              "what backward() was called on smaller, and that is this loss times a negative "
              "number: the network learns to be as wrong as it can, without end",
              "leave out the minus in front of it"),
    "scores": ("the bare scores of the right answers are made large", "a score has no largest "
               "value: the step that makes it larger for one class does not make the others "
               "smaller, and the loss falls without end", "take F.cross_entropy(scores, labels), "
               "or pick from F.log_softmax(scores, dim=1)"),
    "likelihood": ("the logarithm of the probability of the data is made small", "a step makes the "
                   "loss smaller: without a minus sign the network learns to find the data "
                   "unlikely", "put a minus in front of it: `loss = -dist.log_prob(y).mean()`"),
    "similarity": ("the similarity is made small, and the loss has no other part", "a step makes "
                   "the loss smaller: the network learns to give vectors that point away from each "
                   "other", "`loss = 1 - similarity.mean()`, or a minus in front of it"),
    "overlap": ("the overlap with the target is made small, and the loss has no other part",
                "the Dice coefficient, and the intersection over the union, are 1 where both are "
                "the same: a step makes the loss smaller, and the overlap with it",
                "`loss = 1 - overlap`"),
}


def goal_of(root: Node) -> tuple[Node | None, str]:
    """The one quantity that a loss is made of, and its kind; a single path leads to it."""
    node: Any = root
    for _ in range(FAR):
        if node is None:
            break
        kind = type(node).__name__
        if getattr(node, "_likelihood", False):
            return node, "likelihood"
        if getattr(node, "_weights", None) is not None:
            break                                # each element has a weight of its own
        if kind in ERRORS:
            return (node, "error") if len(node.edges) < 2 or node.edges[1] is None else (None, "")
        if getattr(node, "_picked", False) and reading.operator_name(
                behind_views(node.edges[0])).startswith(PRODUCTS):
            return node, "scores"
        if is_cosine(node):
            return node, "similarity"
        if is_overlap(node):
            return node, "overlap"
        if kind == "LogsumexpBackward0" and type(node.edges[0]).__name__ == "AddBackward0":
            node = next((e for e in node.edges[0].edges if hasattr(e, "_likelihood")), None)
        else:                                    # or a mixture: its parts' logarithms, plus these
            node = reading.only_source(node)
    return None, ""


def picks_one_of_each(variables: dict[str, Any]) -> bool:
    """Whether scores[arange(N), labels], or a gather() along the rows, picks one score of each."""
    scores, picked = (array_of(variables.get(name)) for name in ("input", "res"))
    return (isinstance(scores, np.ndarray) and isinstance(picked, np.ndarray) and scores.ndim == 2
            and picked.size == len(scores) > 1 < scores.shape[1])


def is_of_network(node: Node) -> bool:
    """Whether what a loss measures is the output of a trained layer, or computed from it.

    The output of a frozen network that feeds a learning one does not count.
    """
    for n in reading.nodes([node]):
        name = reading.operator_name(n)
        if name.startswith(PRODUCTS):
            weight: Any = n.edges[2 if name in ("addmm", "baddbmm") else 1]
            while type(weight).__name__ in TURNS:
                weight = weight.edges[0]
            return isinstance(weight, AccumulateGrad) and isinstance(weight.variable, Parameter)
    return False


def is_cosine(node: Any) -> bool:
    """Whether a result is the product of two vectors that were divided by their lengths."""
    product = node.edges[0] if type(node).__name__ == "SumBackward1" else None
    if type(product).__name__ != "MulBackward0":
        return False
    computed = [e for e in product.edges if e is not None]
    return all(map(is_unit, computed)) and (len(computed) == 2 or has_length_1(product._weights))


def is_unit(node: Any) -> bool:
    """Whether a result is a vector divided by its own length."""
    length: Any = node.edges[1] if type(node).__name__ == "DivBackward0" else None
    while type(length).__name__ in WIDENED:
        length = length.edges[0]
    return type(length).__name__ == "LinalgVectorNormBackward0" and (
        length.edges[0] is node.edges[0])


def has_length_1(t: Tensor | None) -> bool:
    """Whether the rows of a tensor are vectors of length 1."""
    return t is not None and type(t._data) is np.ndarray and np.allclose(
        (t._data * t._data).sum(-1), 1, atol=1e-3)


def is_overlap(node: Any) -> bool:
    """Whether a result is (2 * (p * t).sum() + s) / (p.sum() + t.sum() + s), of a mask `t`."""
    if type(node).__name__ != "DivBackward0" or len(node.edges) != 2 or None in node.edges:
        return False
    over, under = (list(sums_in(e)) for e in node.edges)
    product = behind_views(over[0].edges[0]) if len(over) == 1 else None
    if not are_zero_and_one(getattr(product, "_weights", None)):
        return False
    given = [behind_views(e) for e in product.edges if e is not None]
    return any(behind_views(n.edges[0]) in given for n in under)


def sums_in(node: Any) -> Iterator[Node]:
    """The sums over elements that a number is a sum, or a multiple, of."""
    waiting = [node]
    for _ in range(FAR):
        if not waiting:
            return
        node = waiting.pop()
        if type(node).__name__ in SUMS:
            yield node
        elif type(node).__name__ in ("AddBackward0", "SubBackward0", "MulBackward0"):
            waiting += [e for e in node.edges if e is not None]


class EntropySign(Check):
    """`loss = -(log_prob * advantage).mean() + 0.01 * entropy`, which makes the entropy small."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.entropies: dict[Node, int] = {}     # of this pass: 1, or -1 for p * log p
        self.line: Place | None = None
        self.signs: dict[str, tuple[Place, set[int], int]] = {}
        self.found: list[int] = []

    def on_density(self, distribution: Distribution, value: Any, result: Any) -> None:
        node = result.grad_fn if isinstance(result, Tensor) else None
        if node is not None:
            node._is_entropy = value is None
            node._is_scored = isinstance(value, Tensor) and not value.requires_grad

    def before_pass(self, task: Pass) -> None:
        self.found.clear()
        self.entropies = {n: sense for n in task.nodes if (sense := sense_of_entropy(n))}
        if self.entropies:
            self.line = place_of_sum(task, self.entropies) if any(
                map(is_policy, task.nodes)) else None

    def before_run(self, node: Node, g: Any) -> None:
        sense = self.entropies.get(node, 0)
        if sense:
            self.found.append(sense * sign_of(g))

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        if self.found and self.line is not None and not uphill:
            _, signs, times = self.signs.get(str(self.line), (self.line, set(), 0))
            self.signs[str(self.line)] = self.line, signs | set(self.found), times + 1
        self.found.clear()

    def at_end(self) -> None:
        for where, signs, times in self.signs.values():
            if times >= STEPS and signs == {1}:
                self.find(where, "wrong-sign", "the entropy of the policy is made small",
                          "a step makes the loss smaller: added with a plus, the entropy falls, "
                          "and the policy soon tries one action only, where the bonus should keep "
                          "it trying several", "subtract it: `loss = policy_loss - beta * entropy`")


def sense_of_entropy(node: Any) -> int:
    """1 where a result is an entropy, -1 where it is the sum of p * log(p), 0 otherwise."""
    if getattr(node, "_is_entropy", False):
        return 1
    product: Any = node.edges[0] if type(node).__name__ == "SumBackward1" else None
    if type(product).__name__ != "MulBackward0" or None in product.edges:
        return 0
    kinds = sorted(type(e).__name__ for e in product.edges)
    return -1 if kinds in PROBABILITIES else 0


PROBABILITIES = (["LogBackward0", "SoftmaxBackward0"], ["LogSoftmaxBackward0", "SoftmaxBackward0"],
                 ["ExpBackward0", "LogSoftmaxBackward0"])


def is_policy(node: Any) -> bool:
    """Whether a result is log_prob() of an action times a given number, such as its advantage."""
    if type(node).__name__ != "MulBackward0" or node.edges.count(None) != 1:
        return False
    scored = next(e for e in node.edges if e is not None)
    weights = getattr(node, "_weights", None)
    signs = set() if weights is None else set(np.sign(weights._data).reshape(-1).tolist())
    if not {1, -1} <= signs and not names_reward(reading.place_of(node)):
        return False
    while type(scored).__name__ in (*SUMS, "NegBackward0", "ExpBackward0", "SubBackward0"):
        if getattr(scored, "_is_scored", False):
            return True
        scored = scored.edges[0]
    return getattr(scored, "_is_scored", False) or is_log_prob(scored)


def place_of_sum(task: Pass, parts: dict[Node, int]) -> Place | None:
    """The line that adds one of these results to others, on its way to the loss."""
    users = {e: n for n in task.nodes for e in n.edges}
    node = users.get(next(iter(parts)))
    while node is not None and type(node).__name__ not in ("AddBackward0", "SubBackward0"):
        node = users.get(node)
    return None if node is None else reading.place_of(node)


CHECKS = (OnlyGoal, EntropySign)
