"""Checks of losses that compute something else than was meant, without any error."""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from .._callers import caller, is_own
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..distributions import Distribution
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .checks_graph import tensors_in
from .checks_values import PRODUCTS
from .cuts import COPIES, decorated, unrecorded
from .doctor import Check, Pass
from .names import Names, inside
from .places import Place, outwards, place, user_frames
from .programs import Env, called_function, called_name, env_of
from .reading import array_of

DRAWS = 1000             # of sample() that are looked at

TWICE = {                # a node, what its input must not come from, and what to say of that
    ("LogSoftmaxBackward0", "SoftmaxBackward0"): (
        "applied-twice", "softmax is applied twice: to the output{0} and once more inside of the "
        "loss",
        "F.cross_entropy() takes scores and computes their softmax itself; of probabilities the "
        "second softmax makes nearly equal ones, and the network hardly learns",
        "leave out the softmax before the loss, and use it only to report probabilities"),
    ("LogSoftmaxBackward0", "SigmoidBackward0"): (
        "applied-twice", "sigmoid is applied to the scores of a cross entropy{0}",
        "F.cross_entropy() takes scores of any size; between 0 and 1 they make nearly equal "
        "probabilities, and the loss cannot become small",
        "leave out the sigmoid before the loss"),
    ("BinaryCrossEntropyWithLogitsBackward0", "SigmoidBackward0"): (
        "applied-twice", "sigmoid is applied twice: to the output{0} and once more inside of the "
        "loss",
        "a loss \"with logits\" takes scores and computes their sigmoid itself; of probabilities "
        "the second one makes numbers between 0.5 and 0.73",
        "leave out the sigmoid before the loss, or take F.binary_cross_entropy()"),
    ("BinaryCrossEntropyWithLogitsBackward0", "SoftmaxBackward0"): (
        "applied-twice", "softmax is applied to the scores of a loss \"with logits\"{0}",
        "it takes scores and computes their sigmoid itself; of probabilities it makes numbers "
        "between 0.5 and 0.73",
        "leave out the softmax: for several classes that can be right at once the loss takes "
        "scores, for one class of several take F.cross_entropy()"),
    ("NllLossBackward0", "ReluBackward0"): (
        "relu-before-loss", "relu is applied to the scores of a cross entropy{0}",
        "F.cross_entropy() takes scores of any sign; relu makes 0 of the negative ones, and a "
        "class whose score is 0 gets no gradient: it is never learned where it has died out",
        "leave out the relu after the last layer"),
    ("BinaryCrossEntropyWithLogitsBackward0", "ReluBackward0"): (
        "relu-before-loss", "relu is applied to the scores of a loss \"with logits\"{0}",
        "the sigmoid of a number that is never negative is 0.5 or more: the network cannot say no, "
        "and a score of 0 gets no gradient", "leave out the relu after the last layer"),
}


def scores_of(node: Node) -> Node | None:
    """The node that a loss has its numbers from, behind squeeze(), view() and the like."""
    source = node.edges[0] if node.edges else None
    while source is not None and is_rearranged(source):
        source = source.edges[0]
    return source


def is_rearranged(node: Node) -> bool:
    """Whether a node's result holds numbers of its input, in another shape or order."""
    operator: Any = getattr(type(node), "operator", None)
    return operator is not None and (operator.view or operator.name in ("unsafe_view", "cast"))


class AppliedTwice(Check):
    """A softmax or sigmoid before a loss that has its own; nll_loss() without log_softmax()."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.inside: dict[str, str] = {}         # by line: where the scores were changed

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind not in LOSSES_OF_SCORES:
            return
        source = scores_of(node)
        if kind == "NllLossBackward0" and type(source).__name__ == "LogSoftmaxBackward0":
            source = scores_of(source)           # type: ignore[arg-type]
        told = TWICE.get((kind, type(source).__name__))
        if told is not None:
            self.tell(node, source, *told)       # type: ignore[arg-type]
        elif kind in ("NllLossBackward0", "NllLoss2DBackward0"):
            given = array_of(variables.get("x_self", variables.get("input")))
            if given is not None and given.size and given.max() > 0:
                self.find(reading.place_of(node), "no-log-softmax",
                          f"nll_loss() was given numbers above 0 (up to {given.max():.3g})",
                          "it takes logarithms of probabilities, which are never above 0: this "
                          "loss can fall below 0 without end",
                          "take F.cross_entropy(), or log_softmax() as the last layer")

    def tell(self, node: Node, source: Node, kind: str, what: str, why: str, cure: str) -> None:
        where, applied = reading.place_of(node), reading.place_of(source)
        if str(where) not in self.inside:
            self.inside[str(where)] = f", at {applied}" if str(applied) != str(where) else \
                inside(source, Names(user_frames()))
        self.find(where, kind, what.format(self.inside[str(where)]), why, cure)

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        given = array_of(args[0] if args else kwargs.get("input"))
        if name == "ctc_loss" and type(given) is np.ndarray and are_probabilities(given):
            self.find(place(*caller()), "no-log-softmax",
                      "ctc_loss() was given probabilities", "it takes their logarithms: of "
                      "probabilities it computes something else, and the network hardly learns",
                      "`F.ctc_loss(F.log_softmax(scores, dim=-1), ...)`")
        elif name == "kl_div" and type(given) is np.ndarray and are_probabilities(given):
            self.find(place(*caller()), "no-log-softmax",
                      "kl_div() was given probabilities as its input",
                      "it takes their logarithms, so this is no divergence, and its gradient "
                      "leads elsewhere; only the target is made of probabilities",
                      "`F.kl_div(F.log_softmax(scores, dim=1), target, reduction=\"batchmean\")`")
        target = array_of(args[1] if len(args) > 1 else kwargs.get("target"))
        if name == "cross_entropy" and has_several_labels(target, given):
            self.find(place(*caller()), "no-probabilities", "the target of a cross entropy has "
                      f"rows that sum to as much as {target.sum(1).max():.3g}", "it takes one "
                      "class, or probabilities that sum to 1: its softmax can never give several "
                      "classes 1", "for several labels at once take nn.BCEWithLogitsLoss(), whose "
                      "target has the same form")
        if name == "kl_div" and not kwargs.get("log_target") and type(target) is np.ndarray and (
                target.size and target.min() < 0):
            where = place(*caller())
            self.find(where, "no-probabilities", "kl_div() was given a target with numbers "
                      f"below 0 (down to {target.min():.3g})", "it takes probabilities for the "
                      "target, and their logarithms: those of negative numbers are nan",
                      "`F.softmax(scores, dim=1)` as the target, or log_softmax() of them with "
                      "`log_target=True`", str(where))


def has_several_labels(target: Any, scores: Any) -> bool:
    """Whether a target (N, C) has the form of a scores' array, and rows of several ones."""
    return type(target) is np.ndarray and target.ndim == 2 and target.dtype.kind == "f" and (
        target.shape == np.shape(scores)) and bool(
            ((target == 0) | (target == 1)).all() and (target.sum(1) > 1).any())


LOSSES_OF_SCORES = {*(kind for kind, _ in TWICE), "NllLoss2DBackward0"}


def are_probabilities(array: np.ndarray) -> bool:
    """Whether the rows of an array are probabilities that sum to 1."""
    return bool(array.size and array.ndim > 1 and array.min() >= 0
                and np.allclose(array.sum(-1), 1, atol=1e-4))


VIEWS = ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0")
WANT_CHANNELS_SECOND = ("LogSoftmaxBackward0", "ConvolutionBackward0", "NativeBatchNormBackward0")
LOSSES = ("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0")


MOVES_NOTHING = ("view() and reshape() move no numbers: they only count them otherwise, in the "
                 "order in which they lie")


def tokens_of(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether (N, C, H, W) became (N, H*W, C), or the other way around."""
    if len(old) < len(new):
        old, new = new, old
    return len(old) == 4 and len(new) == 3 and old[1] == new[2] > 1 and new[1] not in (1, old[1]) \
        and new == (old[0], old[2] * old[3], old[1])


class MixedDimensions(Check):
    """view() where the dimensions were to change places, (N, T, C) to (N, C, T)."""

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        result, before = variables.get("res"), getattr(node, "_saved_self_sym_sizes", None)
        if type(node).__name__ not in VIEWS or not isinstance(result, np.ndarray) or before is None:
            return
        old, new = tuple(before), result.shape
        if (len(old) == len(new) > 2 and sorted(old) == sorted(new)
                and [n for n in old if n > 1] != [n for n in new if n > 1]) or (
                len(old) > len(new) == 2 and old[1] == new[1] != old[-1]) or tokens_of(old, new):
            node._mixed = old, new

    def before_pass(self, task: Pass) -> None:
        mixed = [n for n in task.nodes if hasattr(n, "_mixed")]
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)] if mixed else []
        if not any(map(self.doctor.is_trained, leaves)):
            return
        wanting = {e for n in task.nodes if type(n).__name__ in WANT_CHANNELS_SECOND
                   for e in n.edges}
        for node in mixed:
            old, new = node._mixed
            swapped = (old[1], old[0], *old[2:]) == new      # anything else may be chance
            certain = swapped or node in wanting or tokens_of(old, new)
            if certain and reading.place_of(node) is not None:
                self.tell(node, old, new)

    def tell(self, node: Node, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        if tokens_of(old, new):
            self.find(reading.place_of(node), "mixed-dimensions", f"{reading.operator_name(node)}()"
                      f" gives {old} the shape {new}: each row is then made of parts of several",
                      MOVES_NOTHING, "`.flatten(2).transpose(1, 2)` makes rows of pixels, (N, H*W, "
                      "C), of (N, C, H, W)" if len(old) == 4 else
                      f"let the channels come second first: `.transpose(1, 2).reshape{new}`")
            return
        order = [0, *range(2, len(old)), 1] if len(new) == 2 else \
            [old.index(n) for n in new] if len(set(old)) == len(old) else ["..."]
        name = reading.operator_name(node).removeprefix("unsafe_")
        self.find(reading.place_of(node), "mixed-dimensions",
                  f"{name}() gives {old} the shape {new}: each row is then made of parts of "
                  "several", MOVES_NOTHING,
                  "let the dimensions change places" + (" first" if len(new) == 2 else "")
                  + f": `.permute({', '.join(map(str, order))})`")


class Probabilities(Check):
    """Binary cross entropy of clamped scores, or with targets that are no probabilities."""

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if not kind.startswith("BinaryCrossEntropy") or node.edges[0] is None:
            return
        target = array_of(variables.get("target"))
        if type(target) is np.ndarray and target.size and not (
                0 <= target.min() and target.max() <= 1):
            self.find(reading.place_of(node), "no-probabilities", "the target of a binary cross "
                      f"entropy lies between {target.min():.3g} and {target.max():.3g}",
                      "it takes probabilities from 0 to 1; of other numbers the loss can fall "
                      "below 0 without end", "scale the target: `target / 255` for pixels, "
                      "`(target > 0).float()` for labels -1 and 1")
        source = scores_of(node)
        if kind == "BinaryCrossEntropyBackward0" and type(source).__name__.startswith("Clamp"):
            behind = scores_of(source)           # type: ignore[arg-type]
            if behind is not None and reading.operator_name(behind).startswith(PRODUCTS):
                self.find(reading.place_of(node), "no-probabilities", "a binary cross entropy was "
                          f"given scores that clamp() has cut off, at {reading.place_of(source)}",  # type: ignore
                          "a score below 0 or above 1 gets no gradient, so what is most wrong is "
                          "never corrected",
                          "leave out the clamp and take F.binary_cross_entropy_with_logits()")


def is_discount(factor: Any) -> bool:
    """Whether a factor can be what future rewards are multiplied with: 0.99, or 0 at the end."""
    if isinstance(factor, Tensor):
        a = factor._data
        return not factor.requires_grad and a.dtype.kind == "f" and 0 < a.size < 1 << 16 and bool(
            a.min() >= 0 and 0.5 <= a.max() < 1)
    return isinstance(factor, float) and 0.5 <= factor < 1


class DifferentiatedTarget(Check):
    """reward + discount * value, with a value that backward() goes through."""

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if outermost:
            for t in tensors_in(result):
                if t.grad_fn is not None:
                    t.grad_fn._network = module

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "MulBackward0":
            node._discounts = any(is_discount(variables.get(n)) for n in ("input", "other"))
        elif kind == "SubBackward0" or kind in LOSSES:
            sides = [e for e in node.edges if e is not None]
            sums = [reward_and_value(side) for side in sides]
            if len(sides) == 2 and sums.count(None) == 1:
                second = sums[0] is None
                node._pair = sides[not second], sides[second], sums[second]

    def before_pass(self, task: Pass) -> None:
        leaves = [n.variable for n in task.nodes if isinstance(n, AccumulateGrad)]
        if not all(map(self.doctor.is_trained, leaves)):     # an equation with slopes, no rewards
            return
        for node in task.nodes:
            if hasattr(node, "_pair"):
                prediction, target, total = node._pair
                self.compare(output_behind(prediction), output_behind(target), total)

    def compare(self, prediction: Any, value: Any, total: Node) -> None:
        if prediction is None or value is None:
            return
        trained, other = prediction._network, value._network
        if shapes(trained) != shapes(other):
            return
        own = {id(p) for p in other.parameters()}
        if trained is not other:
            self.doctor.standing |= own - self.doctor.given
        moved = trained is not other and bool(own & self.doctor.given)
        name = self.doctor.networks.get(id(other)) or "a network"
        self.find(reading.place_of(total), "differentiated-target",
                  f"the target, reward plus discounted value of `{name}`, was computed while "
                  "recording: backward() goes through it as well",
                  "the step moves the target towards the prediction too, not only the prediction "
                  "towards the target: learning is slow or unstable" if trained is other else
                  f"`{name}` gets gradients, and an optimizer was given its parameters: what "
                  "should stand still moves towards the prediction" if moved else
                  f"`{name}` gets gradients, which cost time and memory, and are added up for "
                  "nothing or change what should stand still",
                  "compute the target inside `with torch.no_grad():`, or cut it off with "
                  "`.detach()`" + (f"; leave `{name}` out of the optimizer" if moved else ""),
                  str(getattr(value, "_called_at", "")))


class LearnedAdvantage(Check):
    """log_prob * (return - value), where backward() goes on into the value."""

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            sides = [e for e in node.edges if e is not None]
            if type(node).__name__ == "MulBackward0" and len(sides) == 2 and any(
                    map(is_chosen_log_prob, sides)):
                advantage = sides[is_chosen_log_prob(sides[0])]
                if type(advantage).__name__ == "SubBackward0" and None in advantage.edges and (
                        any(map(is_value, advantage.edges))):
                    self.tell(node)

    def tell(self, node: Node) -> None:
        self.find(reading.place_of(node), "learned-advantage", "the logarithm of a chosen action's "
                  "probability is multiplied by an advantage that backward() goes into as well",
                  "the loss of the policy then moves the values too, to where it becomes small, "
                  "and not to what the returns are", "`advantage.detach()` here: the values learn "
                  "from their own loss")


@dataclass
class Draw:
    """What sample() has drawn from a distribution whose parameters require grad."""

    result: weakref.ref
    where: Place
    behind: set[int]                 # ids of the leaves that the distribution was computed from
    scored: bool = False             # its log_prob() was asked for
    used: bool = False               # in a loss that depends on the distribution otherwise, too


class DetachedDraw(Check):
    """z = q.sample() in a loss where only the divergence of `q` reaches the encoder."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.draws: list[Draw] = []              # one of each line and pass
        self.alive: dict[int, Draw] = {}         # by the id of what was drawn

    def on_draw(self, distribution: Distribution, result: Any, where: Place) -> None:
        heads = [t.grad_fn for t in parameters_in(distribution) if t.grad_fn is not None]
        if heads and isinstance(result, Tensor) and len(self.draws) < DRAWS:
            draw = Draw(weakref.ref(result), where, {id(t) for t in reading.leaves(heads)})
            self.draws.append(draw)
            self.alive[id(result)] = draw

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        for value in variables.values() if self.alive else ():
            draw = self.alive.get(id(value))
            if draw is not None and draw.result() is value:
                if any("/distributions/" in f.f_code.co_filename.replace("\\", "/")
                       for f in outwards(sys._getframe(1)) if is_own(f.f_code.co_filename)):
                    draw.scored = True           # by the distribution itself
                else:
                    node._draw = draw

    def before_pass(self, task: Pass) -> None:
        drawn = [n._draw for n in task.nodes if hasattr(n, "_draw")]
        leaves = {id(n.variable) for n in task.nodes if isinstance(n, AccumulateGrad)}
        for draw in drawn:
            draw.used |= not leaves.isdisjoint(draw.behind)

    def after_pass(self, task: Pass) -> None:
        self.alive = {key: draw for key, draw in self.alive.items() if draw.result() is not None}

    def at_end(self) -> None:
        scored = {str(draw.where) for draw in self.draws if draw.scored}
        for draw in self.draws:
            if draw.used and str(draw.where) not in scored:
                self.find(draw.where, "detached-draw", "sample() gives a draw without its history, "
                          "and a part of the loss is computed from it", "the parameters of the "
                          "distribution learn from the other parts of the loss only, such as a KL "
                          "divergence or an entropy", "`.rsample()` instead of `.sample()`: it "
                          "computes the draw from the parameters", str(draw.where))


def parameters_in(distribution: Distribution) -> Iterator[Tensor]:
    """The tensors that a distribution was made with, also by way of another."""
    for value in vars(distribution).values():
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, Distribution):
            yield from parameters_in(value)


UNSQUEEZED = {"SqueezeBackward0", "SqueezeBackward1", "ViewBackward0", "ReshapeAliasBackward0",
              "SelectBackward0"}


def is_chosen_log_prob(node: Node | None) -> bool:
    """Whether a result is log_softmax(scores) at chosen places, as Categorical.log_prob() gives."""
    while type(node).__name__ in (*UNSQUEEZED, "NegBackward0"):
        node = node.edges[0]                     # type: ignore[union-attr]
    source: Any = node.edges[0] if type(node).__name__ == "GatherBackward0" else None    # type: ignore
    return type(source).__name__ in ("LogSoftmaxBackward0", "LogBackward0") or (
        type(source).__name__ == "SubBackward0"
        and type(source.edges[1]).__name__ == "LogsumexpBackward0")


def is_value(node: Node | None) -> bool:
    """Whether a result is what a layer with one output gave."""
    while type(node).__name__ in UNSQUEEZED:
        node = node.edges[0]                     # type: ignore[union-attr]
    return type(node).__name__ == "AddmmBackward0" and tuple(
        node._saved_self_sym_sizes) == (1,)      # type: ignore[union-attr]


def reward_and_value(node: Node | None) -> Node | None:
    """The sum in `reward + discount * value` that a node's result was made of, if it was."""
    total, discounted = None, False
    while node is not None and not hasattr(node, "_network"):
        if type(node).__name__ == "AddBackward0" and not discounted:
            total = node
        discounted |= getattr(node, "_discounts", False)
        node = reading.only_source(node)
    return total if discounted else None


def output_behind(node: Node) -> Any:
    """The node of a network's output that a node's result is computed from, the nearest."""
    return next((n for n in reading.nodes([node]) if hasattr(n, "_network")), None)


def shapes(module: Module) -> list[tuple[int, ...]]:
    return [tuple(p.shape) for p in module.parameters()]


class SoftmaxOverBatch(Check):
    """softmax(dim=0) of a network's output (N, C), or of attention's scores (N, T, S)."""

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        node = result._grad_fn if outermost and isinstance(result, Tensor) else None
        if node is not None:
            node._is_output = True
            if is_softmax(node):
                self.of_output(node, result._data)

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if not is_softmax(node):
            return
        result, source = variables.get("res"), node.edges[0]
        if isinstance(result, np.ndarray) and result.ndim == 3 and node._saved_dim % 3 == 0:     # type: ignore
            node._shape = result.shape
        if getattr(source, "_is_output", False):
            self.of_output(node, result)
        elif isinstance(result, np.ndarray) and result.ndim > 2 and are_products(source):
            self.of_products(node, result)

    def before_pass(self, task: Pass) -> None:
        """(weights (B, T, 1) * values (B, T, C)).sum(1), with weights that sum to 1 over B."""
        for node in task.nodes:
            product: Any = node.edges[0] if node.edges else None
            if type(node).__name__ != "SumBackward1" or node._saved_dim not in (1, (1,)) or (    # type: ignore
                    type(product).__name__ != "MulBackward0"):
                continue
            for weights in product.edges:
                n, steps, one = getattr(weights, "_shape", (1, 1, 1))
                if min(n, steps) > 1 == one:
                    self.find(reading.place_of(weights), "softmax-over-batch",
                              f"softmax() of the scores ({n}, {steps}, 1) goes over dimension 0, "
                              f"and what it weighs is summed over dimension 1",
                              "the weights of one sum do not add up to 1: those of different "
                              "examples do", "one dimension for both: `dim=1`")

    def of_output(self, node: Node, result: Any) -> None:
        if isinstance(result, np.ndarray) and result.ndim == 2 and min(result.shape) > 1 and (
                node._saved_dim % 2 == 0):       # type: ignore[attr-defined]
            n, classes = result.shape
            self.find(reading.place_of(node), "softmax-over-batch",
                      f"{reading.operator_name(node)}() of an output ({n}, {classes}) goes over "
                      f"its {n} rows", "the probabilities of one class then sum to 1 over the "
                      "examples of the batch, not those of one example over the classes",
                      "give the dimension of the classes: `dim=1`, or `dim=-1`")

    def of_products(self, node: Node, result: np.ndarray) -> None:
        """Attention's weights sum to 1 over one of the last two dimensions."""
        dim, shape = node._saved_dim % result.ndim, tuple(result.shape)      # type: ignore
        if dim < result.ndim - 2 and min(shape) > 1:
            self.find(reading.place_of(node), "softmax-over-batch",
                      f"{reading.operator_name(node)}() of the scores {shape} goes over dimension "
                      f"{dim}, of size {shape[dim]}", "attention weighs the keys, the last "
                      "dimension; here the weights of different "
                      f"{'examples' if dim == 0 else 'heads'} sum to 1",
                      "give the dimension of the keys: `dim=-1`")


def is_softmax(node: Node) -> bool:
    return type(node).__name__ in ("SoftmaxBackward0", "LogSoftmaxBackward0")


SCALED_OR_MASKED = {"MulBackward0", "DivBackward0", "AddBackward0", "MaskedFillBackward0",
                    "UnsafeViewBackward0", "ViewBackward0", "ReshapeAliasBackward0"}


def are_products(node: Node | None) -> bool:
    """Whether a node's result is a product of stacks of matrices, scaled or masked."""
    for _ in range(8):
        if node is None or type(node).__name__ not in SCALED_OR_MASKED:
            break
        node = node.edges[0]
    return type(node).__name__ == "BmmBackward0"


class ConstantPenalty(Check):
    """A part of the loss that was made of autograd.grad() without create_graph=True."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.searched: set[str] = set()

    def before_pass(self, task: Pass) -> None:
        if not task.fills or str(task.where) in self.searched:
            return
        self.searched.add(str(task.where))
        env = env_of(user_frames()[0])
        loss = None if env is None else breaks.argument(env, task.where)
        known = loss is not None and env is not None
        for term in terms_of(loss, env, self.doctor.is_trained) if known else ():    # type: ignore
            cut = breaks.Search().why(term, env)         # type: ignore[arg-type]
            if cut is not None and cut.place is not None and (
                    cut.kind in ("create_graph", "grad") or is_constant(term, env)):     # type: ignore
                self.find(cut.place, "constant-penalty", f"`{ast.unparse(term)}` is a part of the "
                          "loss that has no gradient: the network does not learn from it",
                          cut.what, cut.cure, str(cut.place))


def terms_of(node: ast.expr, env: Env,
             is_trained: Callable[[Tensor], bool]) -> Iterator[ast.expr]:
    """The parts of a sum, and of those that its variables were set to, that train nothing.

    That an input requires grad, where a network is differentiated, does not count.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from terms_of(node.left, env, is_trained)
        yield from terms_of(node.right, env, is_trained)
        return
    values = [env.values.get(n) for n in S.names_in(node)]
    if not any(isinstance(v, Module) or isinstance(v, Tensor) and v.requires_grad and (
            not v.is_leaf or is_trained(v)) for v in values):
        yield node
    elif isinstance(node, ast.Call) and is_unrecorded(node, env):
        yield node
    elif isinstance(node, ast.Name):
        for found in S.last_assignments(env.scope, node.id, S.statement(node)):
            value = getattr(found, "value", None)
            if isinstance(value, ast.BinOp) and (
                    node.id not in S.names_in(value) or is_itself(value.left, node)):
                yield from terms_of(value.right if is_itself(value.left, node) else value, env,
                                    is_trained)


def is_itself(value: ast.expr, name: ast.Name) -> bool:
    """Whether an expression is just this variable, as on the left in `loss = loss + penalty`."""
    return isinstance(value, ast.Name) and value.id == name.id


def is_constant(term: ast.expr, env: Env) -> bool:
    """Whether it is certain that a part of a sum needs no gradient: lists may hold anything."""
    values = [env.values.get(n) for n in S.names_in(term)]
    return isinstance(term, ast.Call) and is_unrecorded(term, env) or bool(values) and all(
        isinstance(v, (int, float, ModuleType)) or isinstance(v, Tensor) and not v.requires_grad
        for v in values)


def is_unrecorded(call: ast.Call, env: Env) -> bool:
    """Whether a function of the program returns what it has computed under no_grad()."""
    function = called_function(breaks.Search().value(call.func, env))
    if function is None:
        return False
    returned = list(breaks.Search().returns(call, function, env))
    return decorated(function) is not None or bool(returned) and all(
        unrecorded(value, where) or is_copied(value) for value, where in returned)


def is_copied(value: ast.expr) -> bool:
    """Whether an expression is torch.tensor(...), which has no history."""
    return isinstance(value, ast.Call) and called_name(value) in COPIES and S.dotted(
        value.func).startswith("torch.")


LOSS_CHECKS = (AppliedTwice, Probabilities, MixedDimensions, DifferentiatedTarget, LearnedAdvantage,
               DetachedDraw, SoftmaxOverBatch, ConstantPenalty)
