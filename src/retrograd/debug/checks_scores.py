"""Checks of scores on their way to a loss: softmax and its dimension, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from .check import Check, Pass, only
from .checks_values import PRODUCTS
from .names import Names, inside
from .places import Place, place, user_frames
from .reading import array_of

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
RELU_FIRST = (
    "relu-before-loss", "relu is applied to the scores of log_softmax()", "it takes scores of any "
    "sign; relu makes 0 of the negative ones, and a class whose score is 0 gets no gradient: it is "
    "never learned where it has died out", "leave out the relu after the last layer")
BINARY = ("BinaryCrossEntropyBackward0", "BinaryCrossEntropyWithLogitsBackward0")
SOFTMAX = ("SoftmaxBackward0", "LogSoftmaxBackward0")
LOSSES_OF_SCORES = {*(kind for kind, _ in TWICE), "NllLoss2DBackward0"}
ABOVE_0 = 1e-3           # a score above this is no rounded logarithm of a probability
ALONE = 1.01             # a sum above this is not that of one example's probabilities
VIEWS = ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0")
ARRANGED = ("UnsqueezeBackward0", "ExpandBackward0", "TransposeBackward0", "PermuteBackward0",
            "TBackward0", *VIEWS)
SCALED_OR_MASKED = {"MulBackward0", "DivBackward0", "AddBackward0", "MaskedFillBackward0",
                    "PermuteBackward0", "UnsqueezeBackward0",
                    "UnsafeViewBackward0", "ViewBackward0", "ReshapeAliasBackward0"}


def scores_of(node: Node) -> Node | None:
    """The node that computed what a loss was given, behind squeeze(), view() and the like."""
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

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.inside: dict[str, str] = {}         # by line: where the scores were changed

    @only(*LOSSES_OF_SCORES)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
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
        target = array_of(args[1] if len(args) > 1 else kwargs.get("target"))
        if name == "ctc_loss":
            self.of_ctc(array_of(args[0] if args else kwargs.get("log_probs")))
        elif name == "poisson_nll_loss" and kwargs.get("log_input", (*args, 1, 1, True)[2]):
            self.of_rates(args[0] if args else kwargs.get("input"))
        elif name == "gumbel_softmax":
            self.of_gumbel(reading.first_of(args, kwargs, "logits"))
        elif name == "kl_div":
            self.of_divergence(given, target, bool(kwargs.get("log_target")))
        elif name == "cross_entropy" and type(target) is np.ndarray and target.dtype.kind == "f":
            self.of_cross_entropy(given, target)

    def of_ctc(self, given: Any) -> None:
        if are_probabilities(given):
            self.find(place(*caller()), "no-log-softmax",
                      "ctc_loss() was given probabilities", "it takes their logarithms: of "
                      "probabilities it computes something else, and the network hardly learns",
                      "`F.ctc_loss(F.log_softmax(scores, dim=-1), ...)`")
        elif type(given) is np.ndarray and given.size and given.max() > ABOVE_0:
            self.find(place(*caller()), "no-log-softmax",
                      f"ctc_loss() was given numbers above 0 (up to {given.max():.3g})",
                      "it takes logarithms of probabilities, which are never above 0: of bare "
                      "scores the loss can fall below 0 without end",
                      "`F.ctc_loss(F.log_softmax(scores, dim=-1), ...)`")

    def of_gumbel(self, given: Any) -> None:
        node: Any = reading.head(given) if isinstance(given, Tensor) else None
        while node is not None and is_rearranged(node):
            node = node.edges[0]
        if type(node).__name__ == SOFTMAX[0]:
            self.find(place(*caller()), "applied-twice", "gumbel_softmax() was given "
                      "probabilities, by softmax()", "it takes scores, or the logarithms of "
                      "probabilities: numbers between 0 and 1 hardly differ beside its noise, so "
                      "the choice stays nearly even", "leave out the softmax before it")

    def of_rates(self, given: Any) -> None:
        node: Any = reading.head(given) if isinstance(given, Tensor) else None
        while node is not None and is_rearranged(node):
            node = node.edges[0]
        if type(node).__name__ in ("SoftplusBackward0", "ExpBackward0"):
            self.find(place(*caller()), "applied-twice", "poisson_nll_loss() was given rates, by "
                      f"{reading.operator_name(node)}()", "unless told otherwise it takes their "
                      "logarithms, and computes exp() of them itself: the network learns other "
                      "rates than those that it gives", "`log_input=False`, or leave out "
                      f"{reading.operator_name(node)}() after the last layer")

    def of_divergence(self, given: Any, target: Any, of_logarithms: bool) -> None:
        if type(target) is np.ndarray and np.isnan(target).any():
            return
        if are_probabilities(given) and not of_logarithms and type(target) is np.ndarray and (
                are_probabilities(np.exp(target))):
            self.find(place(*caller()), "swapped-target", "kl_div() was given probabilities first, "
                      "and logarithms of probabilities second", "it wants the logarithms of the "
                      "network's probabilities first, and the probabilities to be learned second",
                      "`F.kl_div(F.log_softmax(scores, dim=1), target, reduction=\"batchmean\")`",
                      str(place(*caller())))
            return
        if are_probabilities(given):
            self.find(place(*caller()), "no-log-softmax",
                      "kl_div() was given probabilities as its input",
                      "it takes their logarithms, so this is no divergence, and its gradient "
                      "leads elsewhere; only the target is made of probabilities",
                      "`F.kl_div(F.log_softmax(scores, dim=1), target, reduction=\"batchmean\")`")
        elif are_rows_of_probabilities(target, of_logarithms) and type(given) is np.ndarray and (
                given.size and given.max() > ABOVE_0):
            self.find(place(*caller()), "no-log-softmax",
                      f"kl_div() was given an input with numbers above 0 (up to {given.max():.3g})",
                      "it takes logarithms of probabilities, which are never above 0: of bare "
                      "scores this is no divergence, and it can fall below 0 without end",
                      "`F.kl_div(F.log_softmax(scores, dim=1), target, reduction=\"batchmean\")`")
        if not of_logarithms and type(target) is np.ndarray and target.size and target.min() < 0:
            where = place(*caller())
            self.find(where, "no-probabilities", "kl_div() was given a target with numbers "
                      f"below 0 (down to {target.min():.3g})", "it takes probabilities for the "
                      "target, and their logarithms: those of negative numbers are nan",
                      "`F.softmax(scores, dim=1)` as the target, or log_softmax() of them with "
                      "`log_target=True`", str(where))

    def of_cross_entropy(self, given: Any, target: np.ndarray) -> None:
        if target.shape == np.shape(given) == (target.size,) and target.sum() > ALONE:
            self.find(place(*caller()), "no-probabilities", f"a cross entropy was given scores "
                      f"({target.size},) and as many targets, which sum to {target.sum():.3g}",
                      "scores without a second dimension are those of one example: its classes "
                      "are here the examples of the batch", "with one output for two classes take "
                      "F.binary_cross_entropy_with_logits(); otherwise scores (N, C) and class "
                      "numbers (N,)")
        if target.shape == np.shape(given) and has_several_labels(target):
            self.find(place(*caller()), "no-probabilities", "the target of a cross entropy has "
                      f"rows that sum to as much as {target.sum(1).max():.3g}", "it takes one "
                      "class, or probabilities that sum to 1: its softmax can never give several "
                      "classes 1", "for several labels at once take nn.BCEWithLogitsLoss(), whose "
                      "target has the same form")


def has_several_labels(target: np.ndarray) -> bool:
    """Whether a target (N, C) is made of 0 and 1, with several ones in some row."""
    return target.ndim == 2 and bool(
        ((target == 0) | (target == 1)).all() and (target.sum(1) > 1).any())


def are_probabilities(array: Any) -> bool:
    """Whether the rows of an array are probabilities that sum to 1."""
    return type(array) is np.ndarray and bool(
        array.size and array.ndim > 1 and array.min() >= 0
        and np.allclose(array.sum(-1), 1, atol=1e-4))


def are_rows_of_probabilities(target: Any, of_logarithms: bool) -> bool:
    """Whether a target's rows are probabilities, or the logarithms of such."""
    return are_probabilities(np.exp(target) if of_logarithms and type(
        target) is np.ndarray else target)


class Probabilities(Check):
    """Binary cross entropy of clamped scores, or with targets that are no probabilities."""

    rests = True

    @only(*BINARY)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if node.edges[0] is None:
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
        if kind == "BinaryCrossEntropyBackward0" and type(source).__name__ == SOFTMAX[0] and (
                type(target) is np.ndarray and has_several_labels(target)):
            self.find(reading.place_of(node), "no-probabilities", "the target of a binary cross "
                      "entropy of a softmax has rows that sum to as much as "
                      f"{target.sum(1).max():g}",
                      "the probabilities of a softmax sum to 1: it can never give several classes "
                      "1", "take sigmoid() instead of softmax(), or of the scores themselves "
                      "F.binary_cross_entropy_with_logits()")
        if kind == "BinaryCrossEntropyBackward0" and type(source).__name__.startswith("Clamp"):
            behind = scores_of(source)           # type: ignore[arg-type]
            relu = type(behind).__name__ == "ReluBackward0"
            behind = scores_of(behind) if relu else behind       # type: ignore[arg-type]
            if behind is not None and reading.operator_name(behind).startswith(PRODUCTS):
                self.find(reading.place_of(node), "no-probabilities", "a binary cross entropy was "
                          f"given scores that clamp() has cut off, at {reading.place_of(source)}",
                          "a score below 0 or above 1 gets no gradient, so what is most wrong is "
                          "never corrected",
                          f"leave out the clamp{' and the relu' if relu else ''}, and take "
                          "F.binary_cross_entropy_with_logits()")


class SoftmaxOverBatch(Check):
    """softmax(dim=0) of a network's output (N, C), or of attention's scores (N, T, S)."""

    rests = True
    relu_at: Place | None = None         # a relu before the log_softmax() that a network ends in

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        node = result._grad_fn if isinstance(result, Tensor) else None
        if node is not None:
            node._is_output = True
            if is_softmax(node):
                self.of_output(node, result._data)

            if type(node).__name__ == SOFTMAX[1] and result._data.ndim == 2:
                self.of_relu(node, scores_of(node))

    def of_relu(self, node: Node, relu: Node | None) -> None:
        """log_softmax(relu(scores)), the output of a network, whatever its loss is."""
        if type(relu).__name__ == "ReluBackward0" and reading.operator_name(
                scores_of(relu) or node).startswith(PRODUCTS):           # type: ignore[arg-type]
            self.relu_at = reading.place_of(relu)                        # type: ignore[arg-type]

    def at_end(self) -> None:
        known = any(f.kind == RELU_FIRST[0] for f in self.doctor.report.findings)
        if self.relu_at is not None and not known:       # of the loss, which says more
            self.find(self.relu_at, *RELU_FIRST)

    @only("MulBackward0", *SOFTMAX)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if type(node).__name__ == "MulBackward0" and node.edges.count(None) == 1:
            constant = variables.get("input" if node.edges[0] is None else "other")
            soft = next(e for e in node.edges if e is not None)
            if is_softmax(soft) and isinstance(constant, Tensor):
                self.of_one_hot(soft, constant._data)
        if not is_softmax(node):
            return
        result, source = variables.get("res"), node.edges[0]
        if isinstance(result, np.ndarray) and result.ndim and node._saved_dim % result.ndim == 0:
            node._shape = result.shape
        if getattr(source, "_is_output", False):
            self.of_output(node, result)
        elif isinstance(result, np.ndarray) and result.ndim > 2 and are_products(source):
            self.of_products(node, result)

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            if type(node).__name__.startswith("NllLoss"):
                self.of_classes(node)
            elif (weights := weights_over_batch(node)) is not None:
                shape, name = tuple(weights._shape), reading.operator_name(weights)
                self.find(reading.place_of(weights), "softmax-over-batch", f"{name}() of the "
                          f"scores {shape} goes over dimension 0, and what it weighs is summed "
                          "over dimension 1", "the weights of one sum do not add up to 1: those "
                          "of different examples do", "one dimension for both: `dim=1`")

    def of_classes(self, loss: Node) -> None:
        """nll_loss() of log_softmax(scores, dim=1) where the classes lie in another dimension."""
        node, dim = classes_behind(loss)
        if type(node).__name__ != "LogSoftmaxBackward0" or reading.is_freed(node):
            return
        shape = tuple(reading.array_of(node._saved_result).shape)        # type: ignore[attr-defined]
        over = node._saved_dim % len(shape)                              # type: ignore[attr-defined]
        if over != dim < len(shape) and min(shape[over], shape[dim]) > 1:
            self.find(reading.place_of(node), "softmax-over-batch", f"log_softmax() of {shape} "
                      f"goes over dimension {over}, and the loss at {reading.place_of(loss)} takes "
                      f"dimension {dim} for the classes", "the probabilities of one class then sum "
                      "to 1 over other places, or examples, and not those of one place over the "
                      "classes", f"give the dimension of the classes: `dim={dim}`")

    def of_one_hot(self, node: Any, mask: Any) -> None:
        """softmax(dim=-1) of (N, C, H, W), times a mask with a one for each pixel's class."""
        shape, dim = reading.array_of(node._saved_result).shape, node._saved_dim
        if type(mask) is np.ndarray and mask.shape == shape and mask.ndim > 2 and (
                dim % mask.ndim != 1 and mask.size):
            sums = mask.sum(1)
            if ((mask == 0) | (mask == 1)).all() and (sums == 1).all() and not (
                    mask.sum(dim) == 1).all():
                self.find(reading.place_of(node), "softmax-over-batch", "softmax() of "
                          f"{tuple(shape)} goes over dimension {dim % mask.ndim}, and the mask "
                          "that it meets has its classes in dimension 1", "the probabilities of "
                          "one pixel, or place, over the classes then do not sum to 1",
                          "give the dimension of the classes: `dim=1`")

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
        dim, shape = node._saved_dim % result.ndim, tuple(result.shape)
        if dim < result.ndim - 2 and min(shape) > 1:
            self.find(reading.place_of(node), "softmax-over-batch",
                      f"{reading.operator_name(node)}() of the scores {shape} goes over dimension "
                      f"{dim}, of size {shape[dim]}", "attention weighs the keys, the last "
                      "dimension; here the weights of different "
                      f"{'examples' if dim == 0 else 'heads'} sum to 1",
                      "give the dimension of the keys: `dim=-1`")


def classes_behind(loss: Node) -> tuple[Any, int]:
    """The node that computed nll_loss()'s input, behind views, and its dimension of classes."""
    node, dim = loss.edges[0], 1
    flat = type(loss).__name__ == "NllLossBackward0"
    while node is not None:
        kind = type(node).__name__
        if kind == "TransposeBackward0":
            pair = node._saved_dim0, node._saved_dim1                    # type: ignore[attr-defined]
            dim = pair[1 - pair.index(dim)] if dim in pair else dim
        elif kind in VIEWS and hasattr(node, "_saved_self_sym_sizes"):
            sizes = node._saved_self_sym_sizes
            if flat and len(sizes) == 2 or not flat and len(sizes) < 3:
                return None, 0
            dim, flat = len(sizes) - 1 if flat else dim, False
        elif kind != "CloneBackward0":
            return node, dim
        node = node.edges[0]
    return None, 0


def weights_over_batch(node: Any) -> Any:
    """The softmax over B of weights (B, T) by which a sum over T of (B, T, C) goes; or None.

    The sum may be `(weights[:, :, None] * values).sum(1)` or a product of matrices.
    """
    kind, summed, sizes = type(node).__name__, [], ()
    if kind == "SumBackward1" and node._saved_dim in (1, (1,)) and type(
            node.edges[0]).__name__ == "MulBackward0":
        summed, sizes = node.edges[0].edges, tuple(node._saved_self_sym_sizes)[:2]
    elif kind == "BmmBackward0":
        values = next((s.array for s in reading.saved(node) if s.name == "mat2"), np.empty(0))
        summed, sizes = node.edges[:1], values.shape[:2]
    for weights in summed:
        while type(weights).__name__ in ARRANGED:
            weights = weights.edges[0]
        shape = getattr(weights, "_shape", ())
        if len(sizes) == 2 and sizes[0] != sizes[1] and min(sizes) > 1 and (
                shape in (sizes, (*sizes, 1))):
            return weights
    return None


def is_softmax(node: Node) -> bool:
    return type(node).__name__ in SOFTMAX


def are_products(node: Node | None) -> bool:
    """Whether a node's result is a product of stacks of matrices, scaled or masked."""
    for _ in range(12):
        if node is None or type(node).__name__ not in SCALED_OR_MASKED:
            break
        node = node.edges[0]
    return type(node).__name__ == "BmmBackward0"


CHECKS = (AppliedTwice, Probabilities, SoftmaxOverBatch)
