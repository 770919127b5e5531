"""Checks of losses that a scale or a weight of their own makes small without end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_directions import STEPS, edges_of, sign_of, without_numbers
from .checks_targets import without_factor
from .checks_training import parameters_of
from .names import Names
from .places import Place, user_frames

SUMS = ("SumBackward0", "SumBackward1", "MeanBackward0", "MeanBackward1")
WEIGHTS = 16             # the most numbers of a parameter that weighs parts of a loss
FALLEN = 0.8             # each weight has fallen below this share of what it was
OF_A_WEIGHT = ("ExpBackward0", "NegBackward0", "SelectBackward0", "SliceBackward0",
               "UnbindBackward0", "IndexBackward0", "SoftplusBackward0", "SigmoidBackward0",
               "PowBackward0", "ReciprocalBackward0", "SqueezeBackward0", "ViewBackward0")
WEIGHING = {*OF_A_WEIGHT, "MulBackward0", "DivBackward0", "AddBackward0"}


class LogDeterminant(Check):
    """`base - log_det` of a flow `z = x * exp(s) + t`, whose log-determinant is `s.sum()`.

    Wherever `exp(s)` scales what a square measures, `s` itself has to be made large.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.sums: dict[Node, int] = {}          # of `s` in this pass: 1, or -1 if exp(-s) scales
        self.meet: dict[Node, Node] = {}         # where they are added to the squares
        self.found: list[tuple[Node, Node, bool]] = []
        self.lines: dict[tuple[str, str], tuple[Place, Place, list[bool]]] = {}

    def before_pass(self, task: Pass) -> None:
        self.found.clear()
        self.sums = {}
        growths = [n for n in task.nodes if type(n).__name__ == "ExpBackward0"] \
            if task.fills else []
        if not growths:
            return
        squares = [n for n in task.nodes if type(n).__name__ == "PowBackward0"]
        measured = set(reading.nodes([e for n in squares for e in n.edges if e is not None]))
        sums = [n for n in task.nodes if type(n).__name__ in SUMS]
        for growth in growths:
            sign, inner = without_numbers(edges_of(growth)[0])
            own = [n for n in sums if edges_of(n)[0] == inner]
            sign *= self.scales(growth, measured, task.nodes)
            self.sums |= {n: sign for n in own if sign}
        users = {e: n for n in task.nodes for e in n.edges if self.sums}
        self.meet = {n: meets_square(n, users) for n in self.sums}

    @staticmethod
    def scales(growth: Node, measured: set[Node], nodes: list[Node]) -> int:
        """1 if exp(s) multiplies what a square measures, -1 if it divides that, 0 otherwise."""
        for node in nodes:
            if growth in node.edges and node in measured:
                if type(node).__name__ == "MulBackward0" and not any(
                        type(e).__name__ == "PowBackward0" for e in node.edges):
                    return 1
                if type(node).__name__ == "DivBackward0" and node.edges[1] is growth:
                    return -1
        return 0

    def before_run(self, node: Node, g: Any) -> None:
        if node in self.sums:
            self.found.append((node, self.meet[node], sign_of(g) == self.sums[node]))

    def after_pass(self, task: Pass) -> None:
        self.sums, self.meet = {}, {}            # which keep their graphs alive

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        for node, meet, wrong in () if uphill else self.found:
            line, whole = reading.place_of(node), reading.place_of(meet)
            if line is not None and whole is not None:
                seen = self.lines.setdefault((str(line), str(whole)), (line, whole, []))
                seen[2].append(wrong)
        self.found.clear()

    def at_end(self) -> None:
        right = {str(whole) for _, whole, wrong in self.lines.values() if not all(wrong)}
        for line, whole, wrong in self.lines.values():
            if len(wrong) >= STEPS and all(wrong):
                # where the sum of all is right for some layers, it is this layer's that is not
                self.find(line if str(whole) in right else whole, "wrong-sign",
                          "the log-determinant of the flow is made small here",
                          "a flow that shrinks everything to one point makes its squares small, "
                          "and the log-determinant is there to stop that: with the wrong sign the "
                          "loss falls without end",
                          "for `z = x * exp(s) + t` the log-determinant is `s.sum(1)`, for `z = "
                          "(x - t) * exp(-s)` it is `-s.sum(1)`, and it is added: `log_prob = "
                          "base.log_prob(z) + log_det`")


def meets_square(node: Node, users: dict[Node | None, Node]) -> Node:
    """The sum in which a log-determinant meets the square of what it belongs to."""
    step = node
    while (user := users.get(step)) is not None:
        others = [e for e in user.edges if e is not None and e is not step]
        if type(user).__name__ in ("AddBackward0", "SubBackward0") and any(
                type(n).__name__ == "PowBackward0" for n in reading.nodes(others)):
            return user
        step = user
    return node


@dataclass
class Weight:
    """A learned weight of a loss: its line, its name, and its values at the first and last step."""

    where: Place
    name: str
    first: np.ndarray
    last: np.ndarray
    times: int = 0


class LearnedWeight(Check):
    """`torch.exp(-s) * loss` with a learned `s` that nothing keeps from growing."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.weights: dict[tuple[str, int], Weight] = {}
        self.now: list[tuple[Tensor, Node, np.ndarray]] = []

    def before_pass(self, task: Pass) -> None:
        self.now.clear()
        leaves = [n for n in task.nodes if isinstance(n, AccumulateGrad)
                  and n.variable._data.size <= WEIGHTS and n.variable._data.ndim < 2
                  and id(n.variable) in self.doctor.given]
        for node in task.nodes if leaves and task.fills else ():
            if type(node).__name__ not in WEIGHING:      # as of a bias, most often
                leaves = [leaf for leaf in leaves if leaf not in node.edges]
        if not task.fills or not leaves:
            return
        users: dict[Node, list[Node]] = {}
        for node in task.nodes:
            for e in node.edges:
                if e is not None:
                    users.setdefault(e, []).append(node)
        for leaf in leaves:
            products = list(products_of(leaf, users))
            weighed = [weight_in(n, side) for n, side in products if n is not None]
            if products and len(weighed) == len(products) and not any(w is None for w in weighed):
                for (node, _), weight in zip(products, weighed, strict=True):
                    self.now.append((leaf.variable, node, weight))       # type: ignore[arg-type]

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        own = {id(p) for p in parameters_of(optimizer)}
        for k, (leaf, node, weight) in enumerate(self.now):
            line = reading.place_of(node)
            if line is None or uphill or id(leaf) not in own:
                continue
            key = str(line), k
            if key not in self.weights:
                name = Names(user_frames()).of(leaf) or "a parameter"
                self.weights[key] = Weight(line, name, weight.copy(), weight)
            self.weights[key].last = weight.copy()
            self.weights[key].times += 1
        self.now.clear()

    def at_end(self) -> None:
        told = set()
        for seen in self.weights.values():
            if seen.times >= STEPS and seen.first.shape == seen.last.shape and bool(
                    (seen.first > 0).all() and (seen.last < FALLEN * seen.first).all()
                    ) and str(seen.where) not in told:
                told.add(str(seen.where))
                self.find(seen.where, "learned-weight", f"`{seen.name}` only weighs a part of the "
                          f"loss, and has made its weight fall from {float(seen.first.max()):.3g} "
                          f"to {float(seen.last.max()):.3g}", "the smaller the weight, the smaller "
                          "the loss, whatever the network gives: it goes to 0, and the network "
                          "learns less and less", "add what grows as the weight falls: "
                          "`torch.exp(-s) * loss + s`; or let the weight be a fixed number")


def products_of(leaf: Node, users: dict[Node, list[Node]]) -> Iterator[tuple[Any, int]]:
    """The products, and the sides, that a leaf enters by itself; (None, 0) for any other use."""
    waiting = [leaf]
    while waiting:
        node = waiting.pop()
        for user in users.get(node, ()):
            alone = reading.only_source(user) is node
            kind = type(user).__name__
            if alone and kind in WEIGHING:
                waiting.append(user)
            elif kind in ("MulBackward0", "DivBackward0") and not alone:
                yield user, user.edges.index(node)
            else:
                yield None, 0


def weight_in(product: Node, side: int) -> np.ndarray | None:
    """The weight in a product with a loss, or with several; None if the rest is no loss."""
    kept = {s.name: s.array for s in reading.saved(product)}
    weight, loss = kept.get("self"), kept.get("other")
    if side:
        weight, loss = loss, weight
    rest: Any = product.edges[1 - side]
    if type(weight) is not np.ndarray or rest is None:
        return None
    if type(product).__name__ == "DivBackward0":
        return 1 / np.maximum(weight, 1e-12) if side and is_loss(rest) else None
    if loss is None or loss.size > WEIGHTS or (loss < 0).any():
        return None
    return weight if is_loss(rest) or type(rest).__name__ == "StackBackward0" and all(
        map(is_loss, rest.edges)) else None


def is_loss(edge: Any) -> bool:
    """Whether a result is one number, the sum or the mean of others, or a loss of F."""
    node = without_factor(edge)
    while type(node).__name__ in ("AddBackward0", "MulBackward0") and (
            several := [e for e in node.edges if e is not None]):
        node = without_factor(several[0])
    return type(node).__name__ in ("SumBackward0", "MeanBackward0") or getattr(
        node, "_saved_reduction", 0) in (1, 2)




TARGET_ENTROPY = re.compile(r"targ\w*_?ent|ent\w*_?targ", re.IGNORECASE)
ALPHA = re.compile(r"alpha|temp|ent\w*_coef|coef\w*_ent", re.IGNORECASE)


class TemperatureSign(Check):
    """SAC's `(log_alpha * (log_prob + target_entropy).detach()).mean()`, without its minus.

    Which of the two numbers is the target, and so which sign is right, only their names tell.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.products: dict[Node, int] = {}      # of this pass: the sign before the temperature
        self.found: list[tuple[Place, int]] = []
        self.lines: dict[str, tuple[Place, list[int]]] = {}
        self.signs: dict[str, int] = {}          # by line: the sign before the target entropy

    def before_pass(self, task: Pass) -> None:
        self.found.clear()
        leaves = [n for n in task.nodes if isinstance(n, AccumulateGrad)] if task.fills else []
        self.products = {}
        if len(leaves) == 1 and leaves[0].variable._data.size == 1 and self.doctor.is_trained(
                leaves[0].variable):
            self.products = {n: -1 if "NegBackward0" in kinds_behind(n) else 1 for n in task.nodes
                             if type(n).__name__ == "MulBackward0" and n.edges.count(None) == 1}

    @only("MulBackward0")
    def before_run(self, node: Node, g: Any) -> None:
        sign = self.products.get(node, 0)
        where = reading.place_of(node) if sign else None
        if where is not None:
            if str(where) not in self.signs:
                self.signs[str(where)] = sign_of_target(where)
            self.found.append((where, sign * self.signs[str(where)] * sign_of(g)))

    def after_pass(self, task: Pass) -> None:
        self.products = {}                       # which keep their graphs alive

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        for line, sign in () if uphill else self.found:
            self.lines.setdefault(str(line), (line, []))[1].append(sign)
        self.found.clear()

    def at_end(self) -> None:
        for where, signs in self.lines.values():
            if len(signs) >= STEPS and set(signs) == {1}:
                self.find(where, "wrong-sign", "the temperature grows where the policy's entropy "
                          "is above its target, and falls where it is below",
                          "it weighs the entropy in the policy's loss, so it drives the entropy "
                          "away from the target, further with each step", "a minus in front: "
                          "`-(log_alpha * (log_prob + target_entropy).detach()).mean()`")


def kinds_behind(node: Node) -> list[str]:
    """The names of the nodes between a product and the one leaf that it is computed from."""
    return [type(n).__name__ for n in reading.nodes([node]) if n is not node]


def sign_of_target(where: Place) -> int:
    """The sign that the target entropy has in what a line multiplies a temperature by; 0 if none.
    """
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    if line is None or not ALPHA.search(ast.unparse(line)):
        return 0
    scope = next((n for n in S.around(line) if isinstance(n, S.Scope)), None)
    made: list[ast.AST] = [line]
    for name in sorted(S.names_in(line)):
        made += S.assignments(scope, name)[-1:] if scope is not None else []
    for statement in made:
        for node in ast.walk(statement):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            loaded = isinstance(getattr(node, "ctx", None), ast.Load)
            if loaded and TARGET_ENTROPY.search(name):
                return sign_before(node)
    return 0


def sign_before(node: ast.AST) -> int:
    """The sign that a variable has in an expression, up to a product with a temperature."""
    sign, outer = 1, getattr(node, "parent", None)
    while isinstance(outer, ast.expr):
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult):
            other = outer.left if node is outer.right else outer.right
            if ALPHA.search(ast.unparse(other)):
                break
            sign *= -1 if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub) else 1
        elif isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Sub) and (
                node is outer.right) or isinstance(outer, ast.UnaryOp) and isinstance(
                outer.op, ast.USub):
            sign = -sign
        node, outer = outer, getattr(outer, "parent", None)
    return sign


class ClampedAway(Check):
    """`s.clamp(min=10)` of numbers that are all below: the others of a network learn, these do not.

    A hinge, clamp(min=0), may well be satisfied by all examples.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, list] = {}         # where, bounds, lowest, largest, passes: 0 if not

    @only("ClampBackward1")
    def before_run(self, node: Node, g: Any) -> None:
        numbers: Any = next((s.array for s in reading.saved(node)), None)
        low, high = node._saved_min, node._saved_max     # type: ignore[attr-defined]
        where = reading.place_of(node)
        if where is None or type(numbers) is not np.ndarray or numbers.size < MANY or (
                low == 0 and high is None or reading.are_zeros(g)):
            return
        seen = self.lines.setdefault(str(where), [where, (low, high), np.inf, -np.inf, 1])
        least, most = float(numbers.min()), float(numbers.max())
        beyond = low is not None and most < low or high is not None and least > high
        seen[2:] = min(seen[2], least), max(seen[3], most), seen[4] + 1 if beyond and seen[4] else 0

    def at_end(self) -> None:
        told = {f"{f.file}:{f.line}" for f in self.doctor.report.findings}
        for where, (low, high), least, most, passes in self.lines.values():
            if passes > TIMES and not told & {str(where)}:
                bounds = f"above {high:g}" if low is None else f"below {low:g}" if high is None \
                    else f"outside of {low:g} to {high:g}"
                self.find(where, "zero-gradient", f"all numbers that clamp() gets here lie {bounds}"
                          f", between {least:.3g} and {most:.3g}, in all {passes - 1} passes",
                          "its slope is 0 there: what gives these numbers is not trained by this "
                          "way, and what comes out is always the bound", "another bound; log "
                          "variances, for one, lie about 0: `log_var.clamp(-10, 10)`")


MANY, TIMES = 8, 10      # the least of numbers, and of passes


CHECKS = (ClampedAway, TemperatureSign, LogDeterminant, LearnedWeight)
