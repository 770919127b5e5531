"""Checks of what a loss compares: scores with targets, each in its place."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from .._callers import caller
from .._state import state
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_scores import BINARY, VIEWS, are_probabilities, is_rearranged
from .checks_values import PRODUCTS
from .names import Names
from .places import Place, place, user_frames


def tensors_given(args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The input and the target that a loss was called with; None for what is not a tensor."""
    found = dict(zip(("input", "target"), args, strict=False)) | kwargs
    scores, target = (t if isinstance(t, Tensor) else None
                      for t in (found.get("input"), found.get("target")))
    return scores, target


class OwnTarget(Check):
    """cross_entropy(z @ z.t(), arange(N)): each example is compared with itself as its own target.

    With other targets, the example itself is still among those that it is compared with.
    """

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if name != "cross_entropy" or scores is None or target is None:
            return
        n, node = target._data.size, without_factor(reading.head(scores))
        if n < 2 or scores._data.shape != (n, n):
            return
        own = target._data == np.arange(n)
        if not is_square_of(node):
            if own.all() and is_product_of_equals(node):
                self.find(place(*caller()), "own-target", f"the {n} vectors are compared with "
                          f"{n} others that are equal to them, number by number", "the two views "
                          "of an example are the same: each is to find itself, which needs no "
                          "learning", "draw the second view anew, `x2 = augment(x)`, in place of "
                          "a second name for the first one")
            return
        if not own.any():
            self.find(place(*caller()), "own-target", f"the {n} examples are compared with "
                      "themselves too: the diagonal is among the scores, and is no one's target",
                      "a vector is always most similar to itself: each example takes itself for "
                      "the nearest, and the loss stays large however well they are told apart",
                      "leave out the diagonal: `sim.fill_diagonal_(float('-inf'))`")
        elif own.all():
            self.find(place(*caller()), "own-target", f"the {n} examples are compared with "
                      "themselves, and each one's target is itself: the diagonal",
                      "a vector is always most similar to itself: this loss is small without any "
                      "learning, and its other view is pushed away like all others",
                      "leave out the diagonal, `sim.fill_diagonal_(float('-inf'))`, and give the "
                      "place of the other view as the target; or compare two sets, `z1 @ z2.t()`")


def is_square_of(node: Any) -> bool:
    """Whether a result is `z @ z.t()`."""
    if type(node).__name__ != "MmBackward0" or None in node.edges:
        return False
    z, turned = node.edges
    return type(turned).__name__ in ("TBackward0", "TransposeBackward0", "PermuteBackward0") and (
        turned.edges[0] is z)


def is_product_of_equals(node: Any) -> bool:
    """Whether a result is `a @ b.t()` of two equal results, whose rows are not all the same."""
    kept = [s.array for s in reading.saved(node)] if type(node).__name__ == "MmBackward0" else []
    return len(kept) == 2 and kept[0].shape == kept[1].T.shape and bool(
        (kept[0] == kept[1].T).all() and (kept[0] != kept[0][:1]).any(1)[1:].all())


def without_factor(node: Any) -> Any:
    """What was multiplied or divided by a given number, such as a temperature."""
    while type(node).__name__ in ("DivBackward0", "MulBackward0") and node.edges.count(None) == 1:
        node = reading.only_source(node)
    return node


class FarthestClass(Check):
    """cross_entropy(torch.cdist(z, centers), labels), without a minus."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if name == "cross_entropy" and scores is not None and target is not None and (
                scores._data.ndim == 2 and is_distance(without_factor(reading.head(scores)))
                and (scores._data >= 0).all()):
            self.find(place(*caller()), "wrong-sign", "a cross entropy is given distances as its "
                      "scores: the class that is farthest away is the most probable",
                      "each step moves an example away from its own class, and towards the others",
                      "give it the negative distances, `F.cross_entropy(-distances, target)`")


def is_distance(node: Any) -> bool:
    """Whether a result is torch.cdist(), or the norm or sum of squares of a difference."""
    while type(node).__name__ in ("SqrtBackward0", "PowBackward0", "ViewBackward0"):
        node = node.edges[0]
    kind = type(node).__name__
    if kind == "SumBackward1" and type(node.edges[0]).__name__ == "PowBackward0":
        kind, node = "LinalgVectorNormBackward0", node.edges[0]
    return kind in ("CdistBackward0", "EuclideanDistBackward0") or (
        kind == "LinalgVectorNormBackward0" and type(node.edges[0]).__name__ == "SubBackward0")


class SwappedTarget(Check):
    """cross_entropy(target, output): the labels where the scores belong."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if (name == "cross_entropy" and scores is not None and target is not None
                and target.requires_grad and not scores.requires_grad
                and not are_probabilities(target._data)):
            self.tell(place(*caller()), "cross_entropy")

    @only(*BINARY)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if node.edges[0] is None:
            labels = reading.array_of(variables.get("input"))
            if type(labels) is np.ndarray and bool(((labels == 0) | (labels == 1)).all()):
                self.tell(reading.place_of(node), reading.operator_name(node))

    def tell(self, where: Place | None, name: str) -> None:
        self.find(where, "swapped-target",
                  f"{name}() was given the labels first and the network's output second",
                  "it takes the labels for the scores, and the network's output for the "
                  "probabilities that are wanted: the output becomes what makes this small, not "
                  "what fits the labels",
                  "the output comes first: `loss(output, target)`")


POSITIVE = re.compile(r"(^|_)pos(itive)?s?(_|\d|$)", re.IGNORECASE)
NEGATIVE = re.compile(r"(^|_)neg(ative)?s?(_|\d|$)", re.IGNORECASE)


class SwappedTriplet(Check):
    """triplet_margin_loss(anchor, negative, positive), as the names in the line say."""

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        if not name.startswith("triplet_margin"):
            return
        where = place(*caller())
        source = S.read(where.file)
        statement = None if source is None else S.statement_at(source, where)
        for call in ast.walk(statement) if statement is not None else ():
            given = call.args if isinstance(call, ast.Call) else []
            if len(given) >= 3 and is_named(given[1], "n", NEGATIVE, POSITIVE) and is_named(
                    given[2], "p", POSITIVE, NEGATIVE):
                first, second, third = map(ast.unparse, given[:3])
                self.find(where, "swapped-target", f"{name}() was given `{second}` for the "
                          f"positive example, and `{third}` for the negative one",
                          "it moves the anchor towards its second argument and away from its "
                          "third: what is alike is pushed apart", "the positive comes second: "
                          f"`{ast.unparse(call.func)}({first}, {third}, {second})`")


def is_named(node: ast.expr, letter: str, wanted: re.Pattern, other: re.Pattern) -> bool:
    """Whether an argument's name says what it is, and not the opposite."""
    names = S.names_in(node) | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return any(n == letter or wanted.search(n) for n in names) and not any(
        map(other.search, names))


class ClassesLast(Check):
    """cross_entropy() of scores (N, T, C), where T == C hides that they should be (N, C, T)."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if name != "cross_entropy" or scores is None or target is None:
            return
        shape, classes = scores._data.shape, target._data.shape
        if len(shape) > 2 and shape[1] == shape[-1] > 1 and classes == (shape[0], *shape[2:]) and (
                is_linear(scores._grad_fn)):
            swap = ".transpose(1, 2)" if len(shape) == 3 else ".movedim(-1, 1)"
            self.find(place(*caller()), "classes-last",
                      f"the scores of a cross entropy have the shape {tuple(shape)}, as a linear "
                      "layer gave them: with the classes last", "it takes dimension 1 for the "
                      f"classes; that there are {shape[1]} of both hides it, and each position is "
                      "compared with the target of another", f"`{swap}` on the scores; or "
                      "`scores.flatten(0, -2)` and `target.flatten()`")


def is_linear(node: Node | None) -> bool:
    """Whether a result is what a linear layer gave, over the last dimension."""
    if type(node).__name__ == "AddBackward0" and isinstance(node.edges[1], AccumulateGrad):
        node = node.edges[0]                     # the bias, where it could not be added at once
    return (type(node).__name__ in VIEWS and len(node._saved_self_sym_sizes) == 2
            and type(node.edges[0]).__name__ in ("AddmmBackward0", "MmBackward0"))


MADE_OF_DIFFERENCES = {"MeanBackward", "SumBackward", "PowBackward", "AbsBackward", "DivBackward",
                       "MulBackward", "SqrtBackward", "AddBackward", "SubBackward", "NegBackward",
                       "MinimumBackward", "MaximumBackward"}
COMPARING = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
SPREADING = {"SubBackward0": "difference", "MulBackward0": "product", "AddBackward0": "sum",
             "DivBackward0": "quotient"}
OF_EACH_EXAMPLE = {"NllLossBackward0", "MseLossBackward0", "SmoothL1LossBackward0",
                   "HuberLossBackward0", "BinaryCrossEntropyBackward0",
                   "BinaryCrossEntropyWithLogitsBackward0", "GatherBackward0"}
UNFIT = "the number tells nothing of how good the network is"
OF_A_DIFFERENCE = {"PowBackward0", "AbsBackward0", "ExpBackward0"}


class SpreadTarget(Check):
    """output (N, 1) minus target (N,) is (N, N): each output is compared with every target.

    The same happens to a weight times a loss, or a bias plus an output.
    """

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        pair = tensors_given(args, kwargs) if name in COMPARING else ()
        if len(pair) == 2 and all(t is not None for t in pair) and (
                pair[0].requires_grad or not state.grad):
            shapes = [tuple(t._data.shape) for t in pair]
            words = [("the output", shapes[0]), ("the target", shapes[1])]
            if is_spread(*shapes) or is_spread(*shapes[::-1]):
                wide, row = words if is_spread(*shapes) else words[::-1]
                self.tell(place(*caller()), wide, row, "difference")
            elif len(shapes[0]) == 1 < shapes[0][0] and shapes[1] == shapes[0] * 2:
                self.tell_of_table(place(*caller()), shapes[0][0])
            elif is_beside_table(*pair):
                self.tell_of_pairs(place(*caller()), "the target", shapes[0])
            elif takes_columns(*pair):
                self.tell_of_columns(pair[0].grad_fn, shapes[1])         # type: ignore[arg-type]

    @only(*SPREADING)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        pair = variables.get("input"), variables.get("other")
        if not all(isinstance(t, Tensor) for t in pair):
            return
        wide, row = sorted(pair, key=lambda t: -t._data.ndim)
        node._table = wide._data.ndim > 1 and wide._data.shape == row._data.shape and (
            None in node.edges)
        shapes = tuple(wide._data.shape), tuple(row._data.shape)
        if kind == "SubBackward0" and takes_columns(wide, row):
            self.tell_of_columns(wide.grad_fn, shapes[1])                # type: ignore[arg-type]
        if shapes[0] == shapes[1] * 2 and is_of_each_example(row) and is_sums_of_pairs(wide):
            node._pairs = Names(user_frames()).of(wide), shapes[1]
        elif kind == "SubBackward0" and (is_beside_table(*pair) or is_beside_table(*pair[::-1])):
            column, table = pair if pair[0].requires_grad else pair[::-1]
            node._pairs = Names(user_frames()).of(table), tuple(column._data.shape)
        if not is_spread(*shapes):
            return
        difference = kind == "SubBackward0" and wide.requires_grad != row.requires_grad
        if difference or (is_weight_of(wide, row) if wide.grad_fn is None
                          else not is_meant(wide.grad_fn, row.grad_fn)):
            names = Names(user_frames())
            words = ("the output", "the target") if difference else ("one operand", "the other")
            node._spread = [(f"`{name}`" if (name := names.of(t)) else word, shape)
                            for t, word, shape in zip((wide, row), words, shapes, strict=True)]

    def before_pass(self, task: Pass) -> None:
        """Report the spread results whose mean or sum is the loss: there they are a mistake."""
        found, stack = set(task.roots), list(task.roots)
        while stack:
            node = stack.pop()
            if hasattr(node, "_pairs"):
                self.tell_of_pairs(reading.place_of(node), *node._pairs)
                return
            if getattr(node, "_spread", None) is not None:
                wide, row = node._spread
                self.tell(reading.place_of(node), wide, row, SPREADING[type(node).__name__])
                return
            table = getattr(node, "_table", False)           # data that is (N, N) itself
            made = type(node).__name__.rstrip("0123456789") in MADE_OF_DIFFERENCES or (
                type(node).__name__ == "WhereBackward0" and None not in node.edges[1:])
            if made and not table:
                new = [n for n in node.edges if n is not None and n not in found]
                found.update(new)
                stack += new

    def tell_of_table(self, where: Place, n: int) -> None:
        """Report a target that became (N, N) on its way, since parts (N, 1) and (N,) met."""
        names = Names(user_frames())
        column = next((f"`{name}`" for t in names.objects.values() if isinstance(t, Tensor)
                       and t._data.shape == (n, 1) and t._data.dtype.kind == "f"
                       and not t.requires_grad and (name := names.of(t))), "another")
        self.find(where, "spread-target", f"the output has the shape ({n},) and the target ({n}, "
                  f"{n}): a part of it is ({n},), and {column} is ({n}, 1)",
                  "each output is compared with a whole row of targets, so the network learns "
                  "their mean", "give all parts of the target the same shape, as with "
                  f"`.squeeze(1)` on {column if column != 'another' else 'the one'}")

    def tell_of_columns(self, node: Node, shape: tuple[int, ...]) -> None:
        """Report `q[:, actions]`, compared with one number for each row."""
        n, (_, columns) = shape[0], tuple(node._saved_self_sym_sizes)    # type: ignore[attr-defined]
        self.find(reading.place_of(node), "spread-target",
                  f"`[:, ...]` takes {n} of the {columns} columns, of all {n} rows: ({n}, {n}), "
                  f"which is compared with {shape}",
                  "each row was to give one number, of its own column; now every row is compared "
                  "with the targets of all",
                  "one of each row: `q.gather(1, a.unsqueeze(1)).squeeze(1)`, or "
                  "`q[torch.arange(len(a)), a]`")

    def tell_of_pairs(self, where: Place | None, name: str, shape: tuple[int, ...]) -> None:
        """Report a target or advantage that is (N, N) because its parts (N, 1) and (N,) met."""
        n = shape[0]
        table = "the target" if name == "the target" else f"`{name}`" if name else "one operand"
        self.find(where, "spread-target", f"{table} is ({n}, {n}) and the other operand {shape}: "
                  f"{table} is made of parts ({n}, 1) and ({n},)",
                  "each number of the one meets every number of the other, instead of its own",
                  f"give the parts of {table} the same shape, as with `.squeeze(1)` on the one "
                  f"that is ({n}, 1), or `keepdim=True` where the other was made")

    def tell(self, where: Place | None, one: tuple, other: tuple, result: str) -> None:
        (wide, shape), (row, shorter) = one, other
        spread = shape[0], *shorter
        self.find(where, "spread-target",
                  f"{wide} has the shape {shape} and {row} {shorter}: their {result} is {spread}",
                  "each output is compared with every target, so " + (
                      "the network learns their mean" if state.grad else UNFIT)
                  if result == "difference" else
                  "each number of the one meets every number of the other, instead of its own",
                  f"give both the same shape, as with `.squeeze(1)` on {wide} or `.unsqueeze(1)` "
                  f"on {row}")


def takes_columns(wide: Tensor, row: Tensor) -> bool:
    """Whether `wide` is `q[:, places]` of a (N, C) with N places, and `row` has N numbers."""
    node = wide._grad_fn
    sizes = tuple(getattr(node, "_saved_self_sym_sizes", ())) if type(
        node).__name__ == "IndexBackward0" else ()
    n, shape = sizes[:1], tuple(row._data.shape)
    return len(sizes) == 2 and n == shape != sizes[1:] and tuple(wide._data.shape) == n * 2


def is_spread(wide: tuple[int, ...], row: tuple[int, ...]) -> bool:
    """Whether shapes are (N, 1) and (N,), or (N, 1, H, W) and (N, H, W): together (N, N, H, W)."""
    return len(wide) == len(row) + 1 > 1 and wide[0] == row[0] > 1 == wide[1] and (
        wide[2:] == row[1:])


def is_meant(column: Any, row: Node | None) -> bool:
    """Whether (N, 1) is x[:, None] or unsqueeze(), to meet (N,), or made of the same numbers."""
    while row is not None and is_rearranged(row):
        row = row.edges[0]
    found, stack = {column}, [column]
    while stack:
        node = stack.pop()
        if node is row or type(node).__name__ == "UnsqueezeBackward0":
            return True
        if not reading.operator_name(node).startswith(PRODUCTS):
            new = [n for n in node.edges if n is not None and n not in found]
            found.update(new)
            stack += new
    return False


def is_weight_of(column: Tensor, row: Tensor) -> bool:
    """Whether (N, 1) holds given numbers, is no view of (N,), and (N,) belongs to the examples."""
    upright = column._base is not None and column._base.ndim == row.ndim
    return not column.requires_grad and not upright and is_of_each_example(row)


def is_of_each_example(row: Tensor) -> bool:
    """Whether a row holds a loss or log-probability for each example, or a ratio of such.

    Other rows may be coefficients, which are meant to meet every one of the given numbers.
    """
    node = row.grad_fn
    while node is not None and (is_rearranged(node) or type(node).__name__ in (
            "NegBackward0", "ClampBackward0", "StackBackward0")):
        node = node.edges[0]
    kind = type(node).__name__
    return kind in OF_EACH_EXAMPLE or (
        kind in OF_A_DIFFERENCE and type(node.edges[0]).__name__ == "SubBackward0")


def is_sums_of_pairs(table: Tensor) -> bool:
    """Whether given numbers (N, N) are a[:, None] + b, of an a and a b that both change."""
    data = table._data
    if table.requires_grad or data.ndim != 2 or len(data) < 3 or data.dtype.kind != "f" or (
            not np.isfinite(data).all()):
        return False
    down, across = data - data[:1], data - data[:, :1]
    size = np.abs(data).max()
    return bool(np.abs(down - down[:, :1]).max() <= 1e-4 * size < np.abs(down).max()
                and 1e-4 * size < np.abs(across).max())


def is_beside_table(column: Tensor, table: Tensor) -> bool:
    """Whether an output (N, 1) meets given numbers (N, N), a[:, None] + b[:, None] * c."""
    n, y = len(column._data) if column._data.ndim == 2 else 0, table._data
    if n < 5 or column.grad_fn is None or table.requires_grad or y.dtype.kind != "f" or (
            column._data.shape[1] != 1 or y.shape != (n, n) or not np.isfinite(y).all()):
        return False
    rows = y - y.mean(1, keepdims=True)          # all are multiples of the longest one
    longest = rows[np.square(rows).sum(1).argmax()]
    factors = rows @ longest / max(float(longest @ longest), 1e-30)
    bound = 1e-4 * np.abs(y).max()
    return bool(np.abs(rows - np.outer(factors, longest)).max() <= bound < np.abs(rows).max()
                and bound < np.abs(y - y[:1]).max())


BOUNDS = {"SigmoidBackward0": (0, 1), "SoftmaxBackward0": (0, 1), "TanhBackward0": (-1, 1),
          "ReluBackward0": (0, np.inf)}
BEYOND = 0.1             # how far noise may take a target out of the reach of an output


class OutOfReach(Check):
    """An output that sigmoid(), tanh() or relu() bounds, and targets beyond that."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        bare = name == "l1_loss"                 # which records a difference, as it is written out
        scores, target = tensors_given(args, kwargs) if name in COMPARING and not bare else (
            None, None)
        if scores is not None and target is not None and not target.requires_grad:
            said = self.beyond(reading.head(scores), target)
            if said is not None:
                self.find(place(*caller()), *said)

    @only("SubBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if node.edges.count(None) == 1:
            first = node.edges[1] is None
            target, scores = variables.get("other" if first else "input"), node.edges[not first]
            node._beyond = self.beyond(scores, target) if isinstance(target, Tensor) else None

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            said = getattr(node.edges[0], "_beyond", None) if type(
                node).__name__ in ("PowBackward0", "AbsBackward0") else None
            if said is not None:
                self.find(reading.place_of(node.edges[0]), *said)        # type: ignore[arg-type]

    def beyond(self, source: Any, target: Tensor) -> tuple[str, ...] | None:
        """What to say of a target outside the range of the function that gave the scores."""
        while source is not None and is_rearranged(source):
            source = source.edges[0]
        low, high = BOUNDS.get(type(source).__name__, (0, 0))
        wanted = target._data
        if high and type(wanted) is np.ndarray and wanted.size:
            far = (wanted > high + BEYOND) | (wanted < low - BEYOND)
            if 2 * np.count_nonzero(far) > far.size:
                function = reading.operator_name(source)
                bounds = f"lies between {low} and {high}" if high < np.inf else "is never below 0"
                return ("out-of-reach", f"the output {bounds}, by {function}()"
                        f" at {reading.place_of(source)}, and the target between "
                        f"{wanted.min():.4g} and {wanted.max():.4g}", f"{function}() can never "
                        "give that: its input is driven to where the function is flat, and no "
                        "gradient comes through", f"leave out the {function} after the last "
                        "layer, or scale the target to the same range",
                        str(reading.place_of(source)))
        return None


SIGNED = ("soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss",
          "cosine_embedding_loss")
HINGES = ("ReluBackward0", "ClampBackward1", "ClampMinBackward0")


class UnsignedLabels(Check):
    """Labels 0 and 1 for a loss that multiplies by them, or asks whether they are -1: a hinge."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        target = kwargs.get("target", args[-1] if args else None)
        if name in SIGNED and are_zero_and_one(target):
            self.tell(place(*caller()), f"{name}()")

    @only("MulBackward0", "RsubBackward1", *HINGES)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "MulBackward0":
            pair = variables.get("input"), variables.get("other")
            node._labels = node.edges.count(None) == 1 and any(map(are_zero_and_one, pair))
        elif kind == "RsubBackward1":            # 1 - labels * scores
            one = variables.get("x_other")
            node._labels = getattr(node.edges[0], "_labels", False) and np.all(one == 1)
        elif type(node.edges[0]).__name__ == "RsubBackward1" and (
                node.edges[0]._labels):          # type: ignore[union-attr]
            self.tell(reading.place_of(node), "a hinge")

    def tell(self, where: Place | None, loss: str) -> None:
        self.find(where, "unsigned-labels", f"{loss} was given labels that are 0 and 1",
                  "it takes 1 and -1: what is multiplied by a label of 0 has no gradient, so the "
                  "network learns nothing from these examples",
                  "`2 * labels - 1` makes 1 and -1 of 1 and 0")


def are_zero_and_one(t: Any) -> bool:
    """Whether a tensor that needs no gradient holds zeros and ones, and nothing else."""
    array = t._data if isinstance(t, Tensor) and not t.requires_grad else None
    if type(array) is not np.ndarray or not 0 < np.count_nonzero(array) < array.size:
        return False
    return bool(((array == 0) | (array == 1)).all())


class BlankAsTarget(Check):
    """ctc_loss() with targets that contain the blank, which is class 0 unless told otherwise."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        if name != "ctc_loss":
            return
        given = dict(zip(("log_probs", "targets", "input_lengths", "target_lengths", "blank"), args,
                         strict=False)) | kwargs
        targets, lengths = (np.asarray(reading.array_of(given.get(k)))
                            for k in ("targets", "target_lengths"))
        blank = given.get("blank", 0)
        if targets.ndim == 2 and lengths.shape == targets.shape[:1]:     # the rest is padding
            targets = targets[np.arange(targets.shape[1]) < lengths[:, None]]
        found = int((targets == blank).sum()) if targets.dtype.kind in "iu" else 0
        if found:
            self.find(place(*caller()), "blank-as-target", f"{found} of {targets.size} targets of "
                      f"ctc_loss() are {blank}, which is its blank", "the blank stands for no "
                      "letter, and is left out of what is read: these targets can never be "
                      "reached", "count the letters from 1, `targets + 1`, with one class more; or "
                      "give the blank a class of its own, `blank=number_of_letters`")


CHECKS = (SpreadTarget, OutOfReach, OwnTarget, FarthestClass, SwappedTarget, SwappedTriplet,
          ClassesLast, UnsignedLabels, BlankAsTarget)
