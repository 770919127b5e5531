"""Checks of values: the first nan, silent changes of what backward needs, accidental float64."""

from __future__ import annotations

import ast
import math
import re
import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _dtype
from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..autograd.unseen import seen
from . import reading
from . import source as S
from .check import Check, Pass
from .grown import PRODUCTS, SMALLER_STEPS, why_training_grew
from .names import Names
from .origins import Origin, first_not_finite, looped_over
from .places import Place, place, user_frames
from .programs import assigned, called_name, env_of
from .reading import arrays_in
from .slopes import (
    CURE,
    CURES,
    CURES_OF_SLOPES,
    INFINITE_SLOPE,
    NORMALIZE,
    at,
    element,
    first_bad,
    has_nan,
    operands_at,
    values_at,
)


def finite(array: Any) -> bool:
    """Whether an array holds neither nan nor inf."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fc":
        return True
    if array.dtype.char in "fd" and array.flags.c_contiguous and math.isfinite(
            np.vdot(array, array)):              # which takes no second array; it may overflow
        return True
    return bool(np.isfinite(array).all())


def largest(arrays: Any) -> float:
    """The size of the largest element."""
    sizes = [float(np.abs(a).max()) for x in arrays for a in arrays_in(x)
             if a.size and a.dtype.kind == "f"]
    return max(sizes, default=0.0)


ROUNDED = 1e-5           # of the largest number: so much below 0 is rounding
LARGE_TO_BEGIN_WITH = 1e4    # beside data below 100
HUGE = 1e15              # no network works with numbers of this size: the training has diverged
GREW_IN_TRAINING = "the numbers have grown from step to step"
GREW_IN_FORWARD = ("before any step the numbers have grown from layer to layer, or with each "
                   "iteration of a loop,")
SMALLER_NUMBERS = (
    "begin with smaller weights (in a recurrence nn.init.orthogonal_()), or put a normalization "
    "layer or a tanh in between")
EQUAL_VALUES = (
    "the gradient of eigenvectors, and singular vectors, divides by the differences of their "
    "values: two are equal here, and their vectors could be any in a plane",
    "compute without the vectors, as by torch.linalg.cholesky(), eigvalsh() or svdvals(), or add "
    "different small numbers to the diagonal")
OUT_OF_LOGARITHMS = (
    "exp() of numbers is added up, or multiplied, and the logarithm taken after that: what lies "
    "between is too large for a floating point number, though the result is not",
    "stay with the logarithms: torch.logsumexp(x, dim) in place of log(sum(exp(x))), and a sum of "
    "logarithms in place of a product")
RECURRENT = ("rnn", "rnn_tanh", "rnn_relu", "lstm", "gru")
RECURRENT_GREW = (
    "a recurrent layer multiplies by the same weights at each step of a sequence: with large ones, "
    "and nothing that bounds the numbers, they grow until they overflow",
    "tanh instead of relu, nn.LSTM or nn.GRU, smaller weights to begin with "
    "(nn.init.orthogonal_()), a lower learning rate, or clip_grad_norm_() between backward() and "
    "step()")
ALONE = (
    "it divides by one less than there are numbers: here there is one, so by 0",
    "take it of more than one number (is this a last, smaller batch? DataLoader(..., "
    "drop_last=True)), or give `correction=0`")
DEVIATION = re.compile(r"\b(std|var)\(")
STANDARDIZED = (
    "it was divided by a standard deviation, or variance: that of a single number is nan, since it "
    "divides by one less than there are numbers, and that of equal numbers is 0",
    "do so only where there are several numbers, or give `correction=0`, and add a small number to "
    "the divisor")
FROM_OUTSIDE = (
    "it comes from outside: missing numbers in the data, a division by 0, or a mask that is "
    "multiplied with inf, since 0 * inf is nan",
    "look for it with `torch.isfinite(x).all()` where the data is read; masked_fill() and "
    "torch.where() do not multiply")
HALF = (
    "the largest number of float16 is 65504: what is larger becomes inf",
    "compute this in float32, `x.float()`, or in bfloat16, which is as wide; or with smaller "
    "numbers. Where it is a gradient, a GradScaler leaves out the step and lowers its factor")
NO_TARGET = (
    "all targets are `ignore_index` here: the mean of nothing is nan",
    "leave out batches in which every target is ignored, or take `reduction=\"sum\"` and divide by "
    "the number of those that count, at least 1")
NO_WEIGHT = (
    "the weights of all classes are 0: the mean divides by the sum of the weights",
    "look at how the weights are computed: a division of whole numbers, `counts // counts.sum()`, "
    "or `.long()` of numbers below 1, gives 0")
NEGATIVE = (
    "a negative number has no root",
    "let the network give a number that cannot be negative: F.softplus(x), or the logarithm of the "
    "variance, whose root is `torch.exp(0.5 * log_var)`")
NEGATIVE_BY_ROUNDING = (
    "a number that is 0 but for rounding has come out below 0, and a negative number has no root",
    "keep it above 0: `{0}.clamp(min=1e-12)` in place of `{0}`")
NEGATIVE_DIFFERENCE = (
    "a negative number has no such power", "its size, `{0}.abs() ** ...`, or a whole exponent")
TOO_LARGE = (
    "the power is larger than the largest number of its type",
    "smaller numbers: scale the data and the targets, or take the error itself, F.l1_loss() or "
    "F.smooth_l1_loss(), in place of its power")
LOG_OF_SOFTMAX = (
    "a softmax that is small enough is rounded to 0, whose logarithm is -inf",
    "F.log_softmax(scores, dim) in place of log(softmax()): it stays with the logarithms; for a "
    "loss F.cross_entropy(scores, target)")
NEGATIVE_LOG = (
    "let the network give a number that cannot be negative, F.softplus(x), or the logarithm "
    "itself, with `torch.exp(log_var)` where the number is needed")
ALL_MASKED = (
    "all numbers of this row are -inf, as where everything is masked: there is nothing to choose "
    "from", "leave something unmasked in each row, or fill with a large negative number, -1e9, "
    "instead of -inf")
NOT_FILLED = (
    "torch.empty() and torch.Tensor(sizes) make room for numbers, and hold what lay in that memory "
    "before: anything, and not the same at each run",
    "fill it where it is made: `nn.init.xavier_uniform_(p)`, `nn.init.zeros_(p)` for a bias, or "
    "`nn.Parameter(torch.randn(sizes) * 0.1)`")
NAN_FROM_THE_START = (
    "it was so before the first step: it was made of such numbers, loaded, or never filled",
    "look at it with `torch.isfinite(p).all()` where it is made, or loaded")
NAN_SINCE_A_STEP = (
    "an earlier step, or a line that wrote to it, has made it so, though the gradients were finite",
    "look at it with `torch.isfinite(p).all()` after each step; a learning rate may be nan or inf")
UNFILLED = re.compile(r"\b(empty|empty_like|Tensor|FloatTensor|DoubleTensor|new_empty)\(")
COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")  # which read outer names


def deviation_at(made: Place) -> Place | None:
    """The line that divides by a deviation: the one that made a tensor, or of a function in it."""
    if DEVIATION.search(made.text):
        return made
    source = S.read(made.file)
    statement = None if source is None else S.statement_at(source, made)
    called = {called_name(n) for n in ast.walk(statement) if isinstance(n, ast.Call)
              } if statement is not None else set()
    for (name, _), function in source.functions.items() if source is not None else ():
        for node in ast.walk(function) if name in called else ():
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and DEVIATION.search(
                    ast.unparse(node.right)):
                return source.place(S.statement(node))       # type: ignore[union-attr]
    return None


class NotFinite(Check):
    """The first operator, and element, that turned finite numbers into nan or inf."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.found = False
        self.kinds: set[str] = set()             # of the nodes of this pass
        self.root: Node | None = None            # its loss
        self.given: tuple[Node, str, Place | None] | None = None     # the first one of data
        self.origin: Origin | None = None        # where that was computed
        self.begun = 0.0                         # the largest number of the first pass

    def note_given(self, node: Node, variables: dict[str, Any]) -> None:
        """Note what the program calls the data that an operator is given nan or inf by."""
        data = [t for t in variables.values() if isinstance(t, Tensor)
                and not t.requires_grad and not finite(t._data)]
        names = Names(user_frames()) if data else None
        name = names and (names.of(data[0]) or names.of_memory(data[0]._cell))
        frames = [f for f in user_frames() if f.f_code.co_name not in COMPREHENSIONS]
        env = env_of(frames[0]) if name and frames else None
        if name and env is not None:
            name = looped_over(env, reading.place_of(node), name) or name
            self.given = node, f"`{name}`", assigned(env, name)
            self.origin = first_not_finite(env, name)

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        results = variables.get("res")           # most often an array, and all is well
        if type(results) is np.ndarray and finite(results):
            return
        results = arrays_in(variables.get("res", variables.get("outputs")))
        bad = next((r for r in results if not finite(r)), None)
        if bad is None:
            return
        node._not_finite = True
        if self.given is None:
            self.note_given(node, variables)
        if type(node).__name__ == "MaskedFillBackward0":          # meant so, for a softmax
            return
        inputs = {name[2:]: a for name, a in variables.items()
                  if name.startswith("x_") and type(a) is np.ndarray}
        given = [*inputs.values(), *arrays_in(variables.get("arrays", ()))]
        new_nan = has_nan(bad) and not any(map(has_nan, given))
        if new_nan or all(map(finite, given)):
            node._first = first_bad(bad), inputs
            node._half = bad.dtype == np.float16

    def before_pass(self, task: Pass) -> None:
        if task.number == 1:
            self.begun = largest(s.array for n in task.nodes for s in reading.saved(n))
        if self.found or not any(getattr(root, "_not_finite", False) for root in task.roots):
            return
        if any(f.kind == "nan-step" for f in self.doctor.report.findings):
            self.found = True                    # it is known what made the weights so
            return
        first = [n for n in task.nodes if getattr(n, "_first", None) is not None]
        self.kinds, self.root = {type(n).__name__ for n in task.nodes}, task.roots[0]
        if first:
            node = min(first, key=lambda n: n._seq)
            (index, kind), inputs = node._first
            leaf = bad_parameter(node)
            if leaf is not None and not finite(leaf._data):
                self.of_parameter(node, leaf)
                return
            giver = self.giver(task, node) if kind == "nan" and not all(
                map(finite, inputs.values())) else None
            if giver is not None and self.name_of_given(giver)[0]:
                self.given_to(giver)
                return
            numbers = "finite" if all(map(finite, inputs.values())) else "infinite"
            self.tell(node, "nan-forward", kind, f"{reading.operator_name(node)}() made {kind} out "
                      f"of {numbers} numbers{at(index)}", inputs, index)
        elif (giver := self.giver(task)) is not None:
            self.given_to(giver)

    def giver(self, task: Pass, last: Node | None = None) -> Node | None:
        """The first operator whose data held nan or inf: of all, or of those that lead to `last`.

        What is all -inf before a softmax was masked: that is another story.
        """
        if last is not None and "softmax" in reading.operator_name(last):
            return None
        nodes = task.nodes if last is None else reading.nodes([last])
        bad = [n for n in nodes if getattr(n, "_not_finite", False)
               and not any(getattr(e, "_not_finite", False) for e in n.edges)
               and (last is None or n is last or getattr(n, "_first", None) is None)]
        return min(bad, key=lambda n: n._seq, default=None)

    def given_to(self, node: Node) -> None:
        """Tell of nan, or inf, that came in with data."""
        if (leaf := bad_parameter(node)) is not None:
            self.of_parameter(node, leaf)
            return
        self.found = True
        where, (giver, made) = reading.place_of(node), self.name_of_given(node)
        operator = f"{reading.operator_name(node)}()"
        if made and (divided := deviation_at(made)) is not None:
            self.find(divided, "nan-forward", f"{giver} has nan or inf in it since this line: "
                      f"{operator} was given it at {where}", *STANDARDIZED, str(where))
            return
        if self.origin is not None and self.given is not None and self.given[0] is node:
            self.find(self.origin.place, "nan-forward", f"`{self.origin.name}` has inf or nan in "
                      f"it since this line: {operator} was given it"
                      + ("" if giver == f"`{self.origin.name}`" else f", by {giver},")
                      + f" at {where}", self.origin.why, self.origin.cure, str(where))
            return
        giver = giver or "a tensor that needs no gradient"
        self.find(where, "nan-forward", f"{operator} was given nan or inf, by {giver}" + (
            f", which was set at {made}" if made else ""), *FROM_OUTSIDE, str(where))

    def of_parameter(self, node: Node, leaf: Tensor) -> None:
        """Tell of a parameter that holds nan, or numbers of any size: it was never filled."""
        self.found = True
        used, name = reading.place_of(node), Names(user_frames()).of(leaf)
        made = None if used is None else unfilled_at(used.file, name or "")
        holds = "nan or inf" if not finite(leaf._data) else \
            f"numbers as large as {largest([leaf._data]):.1g}"
        said = NAN_SINCE_A_STEP if self.doctor.passes > 1 else \
            NAN_FROM_THE_START if made is None else NOT_FILLED
        self.find(made or used, "nan-forward", (f"`{name}`" if name else "a parameter")
                  + f" holds {holds}" + (" before the first step" if self.doctor.passes < 2 else "")
                  + f": {reading.operator_name(node)}() was given it"
                  + (f" at {used}" if made is not None else ""), *said)

    def name_of_given(self, node: Node) -> tuple[str, Place | None]:
        """What the program calls the data that an operator was given nan by, and where it was set.

        "" if no variable holds it.
        """
        if self.given is not None and self.given[0] is node:
            return self.given[1:]
        names, env = Names(user_frames()), env_of(user_frames()[0])
        data = [t for t in names.objects.values() if isinstance(t, Tensor) and not t.requires_grad
                and not finite(t._data)]
        known = next(filter(None, map(names.of, data)), "")
        made = assigned(env, known) if known and env is not None else None
        self.given = node, f"`{known}`" if known else "", made
        self.origin = first_not_finite(env, known) if made is not None and env else None
        return self.given[1:]

    def after_run(self, node: Node, g: Any, results: Any) -> None:
        if self.found:
            return
        for r in results:                        # most often an array, and all is well
            if r is not None and not (finite(r) if type(r) is np.ndarray
                                      else all(map(finite, arrays_in(r)))):
                break
        else:
            return
        bad = next(a for r in results for a in arrays_in(r) if not finite(a))
        if not all(finite(a) for a in arrays_in(g)):
            return
        index, kind = first_bad(bad)
        inputs = {s.name: s.array for s in reading.saved(node)}
        infinite = source_of_nan(node)
        if infinite is not None:
            (place_in, made), given = infinite._first
            self.tell(infinite, "nan-backward", made, f"{reading.operator_name(infinite)}() made "
                      f"{made} out of finite numbers{at(place_in)}, and the gradient of "
                      f"{reading.operator_name(node)}(), which multiplies by it, is {kind}", given,
                      place_in)
            return
        gradient = element(arrays_in(g)[0], index) if arrays_in(g) else ""
        node._half = bad.dtype == np.float16
        self.tell(node, "nan-backward", kind, f"the gradient of {reading.operator_name(node)}() "
                  f"is {kind}{at(index)}" + (
                      f", where a gradient of {gradient} came in" if gradient else ""),
                  inputs, index)

    def tell(self, node: Node, kind: str, value: str, what: str, inputs, index) -> None:
        self.found = True
        where, operator = reading.place_of(node), reading.operator_name(node)
        behind = {type(n).__name__ for n in reading.nodes([node])} if kind == "nan-forward" else ()
        if value == "inf" and "ExpBackward0" in behind and "LogBackward0" in self.kinds and (
                operator not in CURES):
            why, cure = OUT_OF_LOGARITHMS
        elif kind == "nan-forward" and value == "inf" and largest(inputs.values()) > HUGE:
            if any(f.kind == "scaled-step" for f in self.doctor.report.findings):
                return                               # it is known why the steps are too large
            given = [(n, p) for n in reading.nodes([node]) if (p := bad_parameter(n)) is not None
                     ] if self.doctor.passes < 2 else []
            if given:
                self.of_parameter(*given[-1])
                return
            trained = self.doctor.passes > 1
            because, cure = why_training_grew(node, self.root) if trained else ("", SMALLER_NUMBERS)
            if cure == SMALLER_STEPS and self.begun > LARGE_TO_BEGIN_WITH:
                because, cure = f"; before the first step they were {self.begun:.1g} already, " \
                    "with small data: they grow from layer to layer", SMALLER_NUMBERS
            why = f"{GREW_IN_TRAINING if trained else GREW_IN_FORWARD} until they overflowed: " \
                f"here they are as large as {largest(inputs.values()):.1g}{because}"
        else:
            why, cure = (special_reason(node, operator, kind, value, inputs)
                         or reason_at(node, operator, kind, value, inputs, index, where)
                         or general_reason(node, operator, kind, value, where))
        silent = operator.startswith(PRODUCTS) or (why, cure) == RECURRENT_GREW
        values = [] if silent else values_at(inputs, index, operator)
        self.find(where, kind, what + (f" ({', '.join(values)} there)" if values else ""), why,
                  cure)


def bad_parameter(node: Node) -> Tensor | None:
    """A leaf that an operator was given, perhaps transposed, with nan or far too large numbers."""
    near = [e for edge in node.edges if edge is not None
            for e in (edge, *(edge.edges if type(edge).__name__ == "TBackward0" else ()))]
    leaves = [e.variable for e in near if isinstance(e, AccumulateGrad)]
    return next((p for p in leaves if not finite(p._data) or largest([p._data]) > HUGE), None)


def unfilled_at(file: str, name: str) -> Place | None:
    """The line that makes a parameter, or an attribute of its name, by torch.empty() or the like.
    """
    source, last = S.read(file), name.rpartition(".")[2]
    for node in source.nodes if source is not None and last else ():
        if any(ast.unparse(t) in (last, f"self.{last}") for t in S.targets(node)) and (
                UNFILLED.search(ast.unparse(getattr(node, "value", None) or ast.Pass()))):
            return source.place(node)                            # type: ignore[union-attr]
    return None


def source_of_nan(node: Node) -> Any:
    """The operator that made the nan, or inf, that a node was given, also by way of others."""
    waiting = list(node.edges)
    while waiting:
        n = waiting.pop()
        if getattr(n, "_first", None) is not None:
            return n
        if n is not None and getattr(n, "_not_finite", False):
            waiting += n.edges
    return None


def special_reason(node: Node, operator: str, kind: str, value: str, inputs) -> tuple | None:
    """(why, cure) of a nan or inf that this operator is known for."""
    forward = kind == "nan-forward"
    made_nan = forward and value == "nan"
    if value == "inf" and getattr(node, "_half", False) and operator not in CURES:
        return HALF
    if operator in RECURRENT and forward:
        return RECURRENT_GREW
    if operator in ("linalg_eigh", "linalg_svd") and not forward:
        return EQUAL_VALUES
    if any(a.size == 0 for a in inputs.values()):
        return "the mean of nothing is nan", "leave out batches without any elements"
    if operator.startswith("nll_loss") and made_nan:
        weight = inputs.get("weight")
        return NO_TARGET if weight is None or weight.any() else NO_WEIGHT
    if operator == "log" and made_nan:
        return NEGATIVE[0].replace("root", "logarithm"), NEGATIVE_LOG
    if operator in ("std", "var") and made_nan:
        return ALONE
    if operator in ("softmax", "log_softmax") and value == "nan" and not all(
            map(finite, inputs.values())):
        return ALL_MASKED
    return None


def reason_at(node: Node, operator: str, kind: str, value: str, inputs, index, where) -> Any:
    """(why, cure) where it depends on the number that an operator was given; None if it does not.
    """
    given = element(inputs["self"], index) if "self" in inputs else ""
    if kind != "nan-forward" or not given:
        return None
    number, text = float(given), operands_at(where, operator)[0]
    if operator in ("sqrt", "pow") and value == "nan":
        rounded = -largest([inputs["self"]]) * ROUNDED < number
        difference = operator == "pow" and reading.operator_name(node.edges[0]) in ("sub", "rsub")
        why, cure = NEGATIVE_BY_ROUNDING if rounded else \
            NEGATIVE_DIFFERENCE if difference else NEGATIVE
        return why, cure.format(text)
    if operator == "pow" and number:
        return HALF if getattr(node, "_half", False) else TOO_LARGE
    source = node.edges[0]
    if operator == "log" and number == 0 and type(source).__name__ == "SoftmaxBackward0" and not (
            getattr(source.edges[0], "_not_finite", False)):     # else it was masked
        return LOG_OF_SOFTMAX
    return None


def general_reason(node: Node, operator: str, kind: str, value: str, where) -> tuple:
    """(why, cure) for any other operator: what the value leads to, and how to avoid it there."""
    if kind == "nan-forward":
        cures = CURES
        why = (f"from here on everything computed from it is {value} too, the loss and all "
               "gradients included")
    else:
        cures = CURES | CURES_OF_SLOPES
        first = getattr(node, "_first", None)
        why = INFINITE_SLOPE[value] if first is None else (
            f"zero times {'nan' if first[0][1] == 'nan' else 'infinity'} is nan: masking the "
            "result afterwards, as with torch.where, keeps the loss finite and does not help the "
            "gradients")
    given = operands_at(where, operator)
    if operator == "div" and "norm(" in given[1]:
        return why, NORMALIZE.format(*given)
    return why, cures.get(operator, CURE).format(*given)


STRAIGHT_THROUGH = re.compile(r"sign|round|floor|ceil|trunc|bin|quant", re.IGNORECASE)   # meant so


@dataclass
class Taken:
    """A result whose .data was taken, or set."""

    node: weakref.ref
    cell: list
    copy: list | None                # the cell of what .data has given; None where it was set
    line: tuple

    def written_at(self) -> Place | None:
        """The line that has changed its numbers, if one did."""
        if self.copy is None:
            return place(*self.line)
        return None if self.copy[1] is None else place(*self.copy[1][1:])


class SilentWrites(Check):
    """What a node has saved was changed without a version count: the gradient would be wrong."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.handed_out: deque = deque(maxlen=2000)
        self.of_results: deque[Taken] = deque(maxlen=200)

    def on_new_memory(self, t: Tensor, value: Tensor, line: tuple) -> None:
        if (head := reading.head(t)) is not None:
            self.of_results.append(Taken(weakref.ref(head), t._cell, None, line))

    def on_outside(self, t: Tensor, what: str, result: Any) -> None:
        cell = result._cell if isinstance(result, Tensor) else None
        if what not in (".data", "numpy()"):     # of detach() writes are counted
            return
        self.handed_out.append((t._cell, what, cell, caller()))
        if what == ".data" and (head := reading.head(t)) is not None:
            self.of_results.append(Taken(weakref.ref(head), t._cell, cell, caller()))

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        node._prints = [(s, reading.fingerprint(s.array)) for s in reading.saved(node)
                        if not s.name.startswith("running_")]      # batch norm's own business

    def before_run(self, node: Node, g: Any) -> None:
        prints, node._prints = getattr(node, "_prints", ()), ()
        for s, number in prints:
            visibly = seen(s.cell, s.cell[0]) != seen(s.cell, s.version)    # then it is an error
            if not visibly and reading.fingerprint(s.array) != number:
                self.tell(node, s)

    def after_pass(self, task: Pass) -> None:
        """Look for writes into results that no node saved: the gradient misses these, too."""
        nodes = set(task.nodes) if self.of_results else ()
        for taken in [taken for taken in self.of_results if taken.node() in nodes]:
            self.of_results.remove(taken)
            where = taken.written_at()
            if where is None or STRAIGHT_THROUGH.search(where.text):
                continue
            name = Names(user_frames()).of_memory(taken.cell)
            self.find(where, "silent-write", (f"`{name}`" if name else "a result")
                      + " was changed through .data: backward() goes through it as if it had not "
                      "been", "autograd cannot see such a write: what is computed here has no "
                      "slope, and the gradients of all that comes before are wrong",
                      "compute a new tensor, without .data: `h = torch.relu(h)` instead of "
                      "`h.data.clamp_(min=0)`")

    def tell(self, node: Node, s: reading.Saved) -> None:
        for taken in [taken for taken in self.of_results if taken.cell is s.cell]:
            self.of_results.remove(taken)
        name = Names(user_frames()).of_memory(s.cell)
        thing = f"`{name}`" if name else "a tensor"
        made = reading.place_of(node)
        where, how = self.writer(s.cell)
        self.find(where or made, "silent-write",
                  f"{thing} was changed{how} after {reading.operator_name(node)}() had saved it"
                  + (f" ({made})" if made else "") + ": the gradient is wrong",
                  "autograd cannot see such a write, so there is no error; it computes with the "
                  "new numbers as if they had been there all the time",
                  "change it after backward(), or inside `with torch.no_grad():` without .data, "
                  "which raises an error where the change does harm")

    def writer(self, cell: list) -> tuple[Place | None, str]:
        """(line, " through .data") of the last write that autograd could not see."""
        for original, what, copy, line in reversed(self.handed_out):
            if original is cell and (copy is None or copy[1] is not None):
                where = line if copy is None else copy[1][1:]
                return place(*where), f" through {what}"
        return None, ""


class AccidentalDouble(Check):
    """float32 and float64 meet: the result, and all that follows, is float64."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: set[str] = set()

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        dtypes = variables.get("cast")
        if not isinstance(dtypes, tuple) or {str(d) for d in dtypes} != {"float32", "float64"}:
            return
        if _dtype.default.np == np.float64:      # then it is what the program wants
            return
        operands = [variables.get(name) for name in ("input", "other")]
        double = next((t for t in operands if isinstance(t, Tensor) and t._data.ndim
                       and t._data.dtype == np.float64), None)
        where = reading.place_of(node)
        if double is None or str(where) in self.lines:
            return
        self.lines.add(str(where))
        name = Names(user_frames()).of(double)
        thing = f"`{name}`" if name else "one operand"
        self.find(where, "double", f"{thing} is float64 and the other operand float32: the result "
                  "is float64", "NumPy makes float64 by default, and net.double() converts "
                  "parameters and buffers only; from here on everything takes twice the memory and "
                  "time",
                  f"convert it once where it is made: `{name} = {name}.float()`" if name else
                  "convert that one where it is made, with .float()")


CHECKS = (NotFinite, SilentWrites, AccidentalDouble)
