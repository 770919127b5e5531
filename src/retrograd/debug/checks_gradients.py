"""Checks of gradients that train nothing: exactly zero, vanishing on the way, or of a result."""

from __future__ import annotations

import ast
import inspect
import math
import re
import weakref
from collections import Counter
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from .._callers import caller, is_own
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules.dropout import _DropoutNd
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_values import PRODUCTS, largest
from .crashes import parts
from .names import Names
from .places import Place, place, user_frames
from .programs import called_name
from .reading import array_of, arrays_in
from .words import listed

PASSES = 5               # passes that must all show it to make a finding
DEAD = 10                # passes in a row whose gradient is 0, after others
TINY = 1e-30             # a square this small may have lost digits in float32
VANISHED = 1e-9          # a vanished gradient, relative to the largest one of the pass
ALL_OF_IT = 0.999        # a softmax is saturated if one place of a row has so much
HARDLY = 0.05            # the mean slope of a saturated layer, relative to the largest slope
LARGE = 10               # data with numbers above this were not scaled
STEEPEST = {"SigmoidBackward0": 0.25, "TanhBackward0": 1.0}

EXPLAIN_ZEROS = ("inverted-mask", "constant-penalty", "nan-forward", "nan-backward", "same-tensor",
                 "not-cleared", "ratio-of-itself", "compared-with-itself")
FLAT = ("{0}() is made of flat steps: its slope is 0 everywhere",
        "leave it out of the loss, or let gradients pass it by: `x + (x.{0}() - x).detach()`")
SATURATED = (
    "every number that {0}() got lies where it is flat: its slope is 0 there",
    "give it smaller numbers: smaller weights to begin with, inputs divided by their standard "
    "deviation, or a normalization layer before it")
EVEN = (
    "the gradient that came in is the same for all shares of a row, and these always sum to 1: "
    "there is nothing to choose between",
    "look at what the softmax weighs: is it the same everywhere, as padding is? A key_padding_mask "
    "is True where a key is to be left out; and the sum, or mean, of a softmax is constant")
REASONS = {              # why zeros came out of a gradient that was none, and what to do
    "relu": ("every number that relu() got is negative: its slope is 0 there",
             "another start (is a bias far below 0?), a lower learning rate, or F.leaky_relu(), "
             "whose slope is nowhere 0; none at all after the last layer"),
    "softmax": ("the softmax of a single number is 1, whatever the number",
                "with one output for two classes take sigmoid(); otherwise see to `dim`"),
    "normal": ("torch.normal() is a draw like any other: its gradient is 0, of the mean and of the "
               "deviation", "`mean + std * torch.randn_like(std)`, or rsample() of a distribution"),
    "zeros": ("the weights that the gradient is multiplied with are 0 everywhere",
              "begin with random weights, as layers do by themselves: from zeros, or all alike, "
              "they cannot become different from each other"),
    **dict.fromkeys(("round", "floor", "ceil", "trunc", "sign"), FLAT),
    "clamp": ("every number that clamp() got lies beyond its bounds, where its slope is 0",
              "leave it out of the loss, and clamp what is reported; to bound an output with a "
              "slope everywhere take sigmoid() or tanh()"),
    **dict.fromkeys(("sigmoid", "tanh", "log_softmax", "hardtanh", "hardsigmoid"), SATURATED),
}


CANCELLED = (
    "nothing that was computed here changes when the parameters do: two parts of the loss cancel, "
    "such as a difference, or ratio, of the same thing, or it is multiplied by 0",
    "look at the parts of the loss one by one; in a ratio of new and old probabilities detach() "
    "the old ones")
UNDERFLOW = (
    "parameters are float16, which holds nothing between 0 and 6e-8: smaller gradients become 0",
    "parameters in float32, with torch.autocast() and a GradScaler, which multiplies the loss by a "
    "large factor before backward(); or bfloat16, which is as wide as float32")
CANCEL = (
    "what comes back from {0} and from {1} cancels out: two parts of the loss depend on the same "
    "result, in equal and opposite ways",
    "one of the two was meant to be a constant: `.detach()` it, or compute it in `with "
    "torch.no_grad():`, as the old log-probabilities of PPO, or the difference in "
    "`x + (quantized - x).detach()`")
NO_OVERLAP = (
    "both factors are 0 for every element, as {0}() bounds them: so are the sides of an overlap "
    "where two boxes are apart, and the product is 0 however far that is",
    "a loss that falls as they come closer: the generalized IoU, which subtracts the empty share "
    "of the box around both, or F.smooth_l1_loss() of the coordinates")
DROPPED = ("dropout leaves out every number: its `p` is the share that is left out",
           "a `p` below 1, such as 0.1 or 0.5")
NO_INPUT = (
    "what they are multiplied with is 0 everywhere: an input that is always 0, or a state that is "
    "set to zeros anew each time before it is used",
    "set the state to zeros once, before the loop over the steps, and hand on what each step gives")
HOOK = ("this hook gives zeros in place of a gradient that was not 0",
        "return what the gradient shall be, or None to leave it as it is; in-place operations on "
        "it change the gradient too")


@dataclass
class Learning:
    """The gradients that a leaf got."""

    leaf: Tensor
    passes: int = 0
    zeros: int = 0                   # the last passes in which it was 0, and others were not
    share: float = 0.0               # the most that its gradient was of the largest in a pass
    size: float = 0.0                # of its gradient, and of that largest one, in the last pass
    largest: float = 0.0
    name: str = "a parameter"
    where: Place | None = None       # the line where the gradient was lost
    reason: tuple[str, str] = ("", "")


@dataclass
class Lost:
    """Where a gradient became 0, on its way to a node or a leaf, and why."""

    goal: Node | Tensor | None
    where: Place | None
    reason: tuple[str, str]
    node: Node | None = None         # that gave the zeros

    def leaves(self) -> list[Tensor]:
        """The leaves that get nothing by this way."""
        if isinstance(self.goal, Tensor):
            return [self.goal]
        return [] if self.goal is None else reading.leaves([self.goal])


class Teaching(Check):
    """Parameters whose gradients are zero in every pass, or far smaller than all others."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.known: dict[int, Learning] = {}
        self.sizes: dict[int, tuple[Tensor, float]] = {}     # of the gradients in this pass
        self.lost: list[Lost] = []
        self.flat: dict[str, tuple[Place, int]] = {}         # lines whose passes gave only zeros
        self.hook: Any = None            # that has made zeros, of the gradient on its way
        self.fed: dict[Node, list[Node]] = {}    # what has given a node more than zeros

    def before_pass(self, task: Pass) -> None:
        self.sizes.clear()
        self.lost.clear()
        self.hook = None

    def on_zeros(self, hook: Any) -> None:
        self.hook = hook

    def after_run(self, node: Node, g: Any, results: Any) -> None:
        zero = []
        for edge, r in zip(node.edges, results, strict=False):
            if is_zero(array_of(r)):
                zero.append(edge)
            elif edge is not None:
                self.fed.setdefault(edge, []).append(node)
        hook, self.hook = self.hook, None
        if not zero or hook is None and is_zero(array_of(g)):    # a hook may write into `g`, too
            if len(self.fed.get(node, ())) == 2:
                self.cancelled(zero, self.fed[node])
            return
        reason = reason_of(node, results) if hook is None else HOOK
        where = reading.place_of(node) if hook is None else line_of(hook)
        if reason:
            self.lost += [Lost(edge, where, reason, node) for edge in zero]

    def cancelled(self, zero: list, both: list[Node]) -> None:
        """The gradients that two nodes have given another one are zero together."""
        places = sorted(filter(None, map(reading.place_of, both)), key=lambda w: w.line)
        if len(places) < 2:                      # a node of the engine's own has no line
            return
        where, other = places
        reason = CANCEL[0].format(where, other), CANCEL[1]
        self.lost += [Lost(edge, other, reason, both[0]) for edge in zero]

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        array = array_of(g)
        hook, self.hook = self.hook, None
        if hook is not None and is_zero(array):
            self.lost.append(Lost(leaf, line_of(hook), HOOK))
        if type(array) is np.ndarray and array.size and self.doctor.is_trained(leaf):
            size = size_of(array)
            self.sizes[id(leaf)] = leaf, max(size, self.sizes.get(id(leaf), (leaf, 0.0))[1])

    def after_pass(self, task: Pass) -> None:
        largest = max((size for _, size in self.sizes.values()), default=0.0)
        dead = any(hasattr(lost.node, "_network") for lost in self.lost)     # a network's output
        if self.sizes:
            _, times = self.flat.get(str(task.where), (task.where, 0))
            self.flat[str(task.where)] = task.where, -1 if largest or times < 0 else times + 1
        suspects = []
        for key, (leaf, size) in self.sizes.items():
            seen = self.known.setdefault(key, Learning(leaf))
            seen.passes += 1
            seen.share = max(seen.share, size / largest if largest else 0.0)
            seen.size, seen.largest = size, largest
            seen.zeros = seen.zeros + 1 if (largest or dead) and not size else 0
            if seen.passes == PASSES and seen.share < VANISHED or seen.zeros == DEAD:
                suspects.append(seen)
        if suspects:
            self.explain(suspects, task)
        self.lost.clear()
        self.fed.clear()

    def explain(self, suspects: list[Learning], task: Pass) -> None:
        """Note what the program calls these leaves, and where their gradients were lost."""
        names = Names(user_frames())
        for seen in suspects:
            seen.name = names.of(seen.leaf) or seen.name
            if seen.share:
                near = [n for n in task.nodes if any(
                    isinstance(e, AccumulateGrad) and e.variable is seen.leaf for e in n.edges)]
                seen.where = reading.place_of(near[0]) if near else None
        uses = Counter(id(leaf) for lost in self.lost if lost.reason is NO_INPUT
                       for leaf in lost.leaves())
        for lost in self.lost:
            behind = {id(leaf) for leaf in lost.leaves()}
            if lost.reason is NO_INPUT and not is_in_inner_loop(lost.where):
                behind = {key for key in behind if uses[key] > 1}    # of one step, that is right
            for seen in suspects:
                explains = not seen.share or seen.zeros == DEAD and (
                    lost.node is None or hasattr(lost.node, "_network")
                    or is_hidden(lost.node, task))
                if explains and not seen.reason[0] and id(seen.leaf) in behind:
                    seen.where, seen.reason = lost.where, lost.reason

    def at_end(self) -> None:
        if any(f.kind in EXPLAIN_ZEROS for f in self.doctor.report.findings):
            return
        forgotten = any(f.kind == "not-in-optimizer" for f in self.doctor.report.findings)
        zero = [s for s in self.known.values() if not s.share and s.reason[0]
                and not (forgotten and s.reason is REASONS["zeros"])]    # which stay zeros then
        for (_, reason), group in grouped(zero).items():
            self.find(group[0].where, "zero-gradient", f"{listed([s.name for s in group])} got "
                      f"gradients of exactly 0 in all {group[0].passes} passes: training does not "
                      f"change {'it' if len(group) == 1 else 'them'}", *reason)
        died = [s for s in self.known.values() if s.share and s.zeros >= DEAD and s.reason[0]]
        for (_, reason), group in grouped(died).items():
            self.find(group[0].where, "zero-gradient", f"{listed([s.name for s in group])} got "
                      f"gradients of exactly 0 in the last {group[0].zeros} of {group[0].passes} "
                      f"passes: {'it has' if len(group) == 1 else 'they have'} died", *reason)
        small = [s for s in self.known.values() if 0 < s.share < VANISHED and s.passes >= PASSES
                 and s.leaf._data.ndim > 1]      # a bias before BatchNorm has none but rounding
        for where, times in self.flat.values() if not (zero or died or forgotten) else ():
            if times >= DEAD:
                half = any(s.leaf._data.dtype.name == "float16" for s in self.known.values())
                self.find(where, "zero-gradient", "all gradients of this backward() are exactly 0, "
                          f"in all {times} passes", *(UNDERFLOW if half else CANCELLED))
        for group in grouped(small).values():
            least = min(group, key=lambda s: s.share)
            self.find(least.where, "vanishing-gradient", f"the gradient of `{least.name}` is as "
                      f"small as {least.size:.1g}, others are as large as {least.largest:.1g}: it "
                      "does not learn", "on the way back each layer multiplies the gradient by its "
                      "slope, sigmoid by 1/4 at the most: after many of them nothing is left",
                      "ReLU or GELU instead of sigmoid and tanh, inputs divided by their standard "
                      "deviation, normalization layers, or sums `x + layer(x)` that gradients can "
                      "pass by; in sequences nn.LSTM or nn.GRU")


def is_in_inner_loop(where: Place | None) -> bool:
    """Whether a line is in a loop of its function without a backward(), such as one over steps."""
    source = S.read(where.file) if where is not None else None
    statement = S.statement_at(source, where) if source is not None and where is not None else None
    loop = S.loop_of(statement) if statement is not None else None
    return loop is not None and not any(
        isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(loop))


def grouped(several: list[Learning]) -> dict[tuple, list[Learning]]:
    """The leaves by the line and the reason of their loss."""
    groups: dict[tuple, list[Learning]] = {}
    for seen in several:
        groups.setdefault((str(seen.where), seen.reason), []).append(seen)
    return groups


def is_hidden(node: Node, task: Pass) -> bool:
    """Whether a layer follows a node; none follows the hinge of a loss, which may be 0 for all."""
    return any(reading.operator_name(n).startswith(PRODUCTS) and node in reading.nodes([n])
               for n in task.nodes if n is not node and not isinstance(n, AccumulateGrad))


def size_of(array: np.ndarray) -> float:
    """The norm of a gradient, quick to compute; its largest element where squares underflow."""
    square = abs(np.vdot(array, array)) if array.flags.c_contiguous else 0.0
    if TINY < square < math.inf:
        return math.sqrt(square)
    return float(np.abs(array).max())


def is_zero(array: Any) -> bool:
    """Whether an array holds only zeros; for most arrays the first element decides."""
    return type(array) is np.ndarray and array.size > 0 and not array.item(0) and not array.any()


def is_zero_weight(kept: reading.Saved) -> bool:
    """Whether a node has kept a parameter, or a view of one, that is zero everywhere."""
    return is_weight(kept) and is_zero(kept.array)


def is_weight(kept: reading.Saved) -> bool:
    """Whether what a node has kept is a parameter, or a view of one."""
    t = kept.tensor if kept.tensor is None or kept.tensor._base is None else kept.tensor._base
    return t is not None and t.is_leaf and t.requires_grad


def line_of(hook: Any) -> Place | None:
    """Where a hook of the program begins; that of a Module is found under our own."""
    hook = next(iter(getattr(getattr(hook, "__self__", None), "user_hooks", ())), hook)
    code = getattr(inspect.unwrap(hook), "__code__", None)
    return None if code is None or is_own(code.co_filename) else place(code, 0)


def reason_of(node: Node, results: Any) -> tuple[str, str] | None:
    """Why a node gives zeros, and what to do; None where that may be intended (`0 * loss`)."""
    name = reading.operator_name(node)
    function = getattr(node, "_forward_cls", None)
    if function is not None and not is_own(inspect.getfile(inspect.unwrap(function.forward))):
        return (f"backward() of the Function {name} gives zeros",
                f"return the gradient from {name}.backward(): grad_output times the slope")
    if name.startswith(PRODUCTS):
        kept = reading.saved(node)
        if None in node.edges and any(is_zero(s.array) for s in kept if not is_weight(s)):
            return NO_INPUT
        return REASONS["zeros"] if any(map(is_zero_weight, kept)) else None
    if name == "mul" and any(is_zero(s.array) for s in reading.saved(node)) and (
            is_dropout(node)):
        return DROPPED
    if name == "mul" and (buffer := buffer_of_zeros(node)):
        return (f"`self.{buffer}` is a buffer of zeros, by which this is multiplied: a buffer gets "
                "no gradient, so no step changes it", f"`self.{buffer} = nn.Parameter(...)` in "
                "__init__(), if it is to be learned; otherwise other numbers than 0")
    kept = reading.saved(node) if name == "mul" and None not in node.edges else []
    if len(kept) == 2 and all(s.array.size > 1 and is_zero(s.array) for s in kept):
        bounds = [bounded_by(e) for e in node.edges]
        if all(bounds):
            return NO_OVERLAP[0].format(bounds[0]), NO_OVERLAP[1]
        return REASONS["zeros"]                  # such as two embeddings: neither can begin
    known = REASONS.get(name)
    if name in ("softmax", "log_softmax"):
        shape = array_of(results[0]).shape or (1,)
        alone = shape[node._saved_dim] == 1      # type: ignore[attr-defined]
        known = REASONS["softmax"] if alone else SATURATED if is_saturated(node) else EVEN
    return known and (known[0].format(name), known[1].format(name))


def bounded_by(node: Any) -> str:
    """The function that has bounded a result from below, behind a choice of elements; "" if none.
    """
    while type(node).__name__ in CHOSEN:
        node = node.edges[0]
    bounded = type(node).__name__.startswith(("Clamp", "Relu", "Maximum"))
    return reading.operator_name(node) if bounded else ""


CHOSEN = ("SelectBackward0", "SliceBackward0", "IndexBackward0", "UnbindBackward0",
          "SplitBackward0", "SqueezeBackward1", "UnsqueezeBackward0")


def is_saturated(node: Node) -> bool:
    """Whether each row of a softmax is 1 in one place; log_softmax shows that in its gradient."""
    kept = [s.array for s in reading.saved(node) if s.name == "result"]
    return not kept or type(node).__name__ != "SoftmaxBackward0" or bool(
        (kept[0].max(node._saved_dim) > ALL_OF_IT).all())                # type: ignore[attr-defined]


def buffer_of_zeros(node: Node) -> str:
    """The buffer of the Module that recorded a product, if its numbers are all 0; or ""."""
    call = reading.call_of(node)
    module = None if call is None else call.module()
    zeros = [s.tensor for s in reading.saved(node) if is_zero(s.array)]
    return next((name for name, b in module._buffers.items() for t in zeros if b is t),
                "") if module is not None else ""


def is_dropout(node: Node) -> bool:
    """Whether a Dropout has recorded a node."""
    call = reading.call_of(node)
    return call is not None and isinstance(call.module(), _DropoutNd)


@dataclass
class Flat:
    """A layer whose inputs are data, and what its sigmoid or tanh made of them."""

    where: Place | None
    name: str                        # of the function
    size: float                      # of the largest number in the data
    times: int = 0                   # that it was saturated, since the first pass
    slope: float = 0.0


class Saturated(Check):
    """sigmoid(layer(x)) of numbers up to 255, which is 0 or 1 from the beginning."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.layers: dict[int, Flat] = {}        # by their weights
        self.passes: Counter[int] = Counter()

    @only(*STEEPEST)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        result = array_of(variables.get("res"))
        if type(result) is np.ndarray and result.size >= MANY:
            weight = weight_on_data(node.edges[0])
            if weight is not None and self.passes[id(weight)] < PASSES:
                slopes = result * (1 - result) if kind == "SigmoidBackward0" else 1 - result**2
                node._flat = id(weight), float(slopes.mean()) / STEEPEST[kind]

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            key, slope = getattr(node, "_flat", (0, 0.0))
            if not key or self.passes[key] >= PASSES:
                continue
            self.passes[key] += 1
            size = largest(s.array for s in reading.saved(node.edges[0])     # type: ignore[arg-type]
                           if s.tensor is not None and not s.tensor.requires_grad)
            if slope < HARDLY and size > LARGE and is_hidden(node, task):
                seen = self.layers.setdefault(key, Flat(
                    reading.place_of(node), reading.operator_name(node), size))
                seen.times, seen.slope = seen.times + 1, slope

    def at_end(self) -> None:
        if any(f.kind in ("zero-gradient", *EXPLAIN_ZEROS) for f in self.doctor.report.findings):
            return
        for seen in self.layers.values():
            if seen.times >= PASSES:
                self.find(seen.where, "saturated", f"{seen.name}() is saturated from the first "
                          f"pass on: its mean slope is {seen.slope:.1%} of the steepest",
                          f"the layer before it is given numbers as large as {seen.size:.4g}, "
                          "and so gives large ones: where the function is flat almost no gradient "
                          "comes through, and the layer hardly learns", "scale the data: `x / 255` "
                          "for pixels, otherwise subtract the mean and divide by the standard "
                          "deviation of each feature, or put nn.BatchNorm1d() first")


MANY = 32                # results say something


def weight_on_data(node: Any) -> Tensor | None:
    """The parameter that multiplies data to give a node's result; None if it is anything else."""
    name = "" if node is None else reading.operator_name(node)
    if not name.startswith(PRODUCTS):
        return None
    first = 1 if name == "addmm" else 0
    weight = node.edges[first + 1]
    while type(weight).__name__ in ("TBackward0", "TransposeBackward0"):
        weight = weight.edges[0]
    return weight.variable if node.edges[first] is None and isinstance(
        weight, AccumulateGrad) else None


STRAIGHT = {"ThresholdBackwardBackward0": "relu", "LeakyReluBackwardBackward0": "leaky_relu"}


class NoCurvature(Check):
    """autograd.grad() of a gradient, where the network is piecewise linear."""

    def after_pass(self, task: Pass) -> None:
        results = arrays_in(task.results)
        if task.fills or not results or not all(map(is_zero, results)):
            return
        made_of = {STRAIGHT.get(type(node).__name__, "") for node in task.nodes} - {""}
        if made_of:
            name = min(made_of)
            self.find(task.where, "zero-gradient", "this second derivative is exactly 0 everywhere",
                      f"{name}() is made of straight lines: its slope changes at one point only, "
                      "so the second derivative of the network says nothing",
                      f"take a smooth function instead of {name}() in the network: tanh, SiLU, "
                      "GELU or Softplus")


class RowsAddedUp(Check):
    """`y[i].backward(retain_graph=True); J[i] = x.grad`, where x.grad sums the rows up."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.added: list[Tensor] = []            # leaves whose gradient this pass adds to another
        self.last: dict[str, weakref.WeakSet[Node]] = {}         # the nodes of a line's last pass

    def before_pass(self, task: Pass) -> None:
        self.added.clear()

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if not self.doctor.is_trained(leaf) and leaf._grad is not None and (
                reading.numbers(leaf._grad._data).any()):
            self.added.append(leaf)

    def after_pass(self, task: Pass) -> None:
        if not (task.fills and task.keep):
            return
        line = str(task.where)
        again = not self.last.get(line, weakref.WeakSet()).isdisjoint(task.nodes)
        self.last[line] = weakref.WeakSet(n for n in task.nodes
                                          if not isinstance(n, AccumulateGrad))
        for leaf in self.added if again else ():
            name = Names(user_frames()).of(leaf)
            if name and is_read_in_loop(task.where, f"{name}.grad"):
                self.find(task.where, "not-cleared", f"this adds to `{name}.grad`, which is read "
                          "after each backward()", "backward() adds to .grad and never clears it: "
                          "each row is the sum of all rows so far",
                          f"set `{name}.grad = None` before each backward(), or take "
                          f"torch.autograd.grad(y[i], {name}, retain_graph=True), which adds to "
                          "nothing; torch.func.jacrev(f)(x) computes all rows at once")


def is_read_in_loop(where: Place, text: str) -> bool:
    """Whether the loop around a line reads an attribute."""
    source = S.read(where.file)
    statement = None if source is None else S.statement_at(source, where)
    loop = None if statement is None else S.loop_of(statement)
    return loop is not None and any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load) and ast.unparse(n) == text
        for n in ast.walk(loop))


class HooksPileUp(Check):
    """The same hook, put on a tensor or a Module again in every iteration of a loop."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.leaves: dict[int, Tensor] = {}
        self.modules: dict[int, Module] = {}

    def on_gradient(self, leaf: Tensor, g: Any) -> None:
        if self.doctor.is_trained(leaf):
            self.leaves[id(leaf)] = leaf

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        self.modules[id(module)] = module

    def at_end(self) -> None:
        several: list[Any] = []
        for kept in [getattr(leaf, "_leaf_hooks", None) for leaf in self.leaves.values()]:
            several += kept.tensors.values() if kept is not None else ()
        for module in self.modules.values():
            several += [module._forward_hooks, module._forward_pre_hooks, module._backward_hooks]
        most: dict[Any, int] = {}                # by the hook's code: how often on one thing
        for hooks in several:
            codes = Counter(getattr(h, "__code__", None) for h in hooks.values())
            for code, n in codes.items():
                most[code] = max(n, most.get(code, 0))
        for code, n in most.items():
            if code is not None and n >= PASSES and not is_own(code.co_filename):
                self.find(registered_at(code) or place(code, 0), "hooks-pile-up", "this hook was "
                          f"put on the same thing {n} times, and is called as often",
                          "a hook stays until it is removed: each iteration adds one more, which "
                          "takes time, and changes the gradient once more if it returns one",
                          "register it once, before the loop, or keep the handle: "
                          "`handle = t.register_hook(...)`, `handle.remove()`")


class GradientOfAResult(Check):
    """`.grad` was read from a computed tensor, where it is None and stays None."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, Place] = {}        # by what is said of them

    def on_no_gradient(self, t: Tensor, text: str) -> None:
        self.lines.setdefault(text.partition("\n\n")[2], place(*caller()))

    def at_end(self) -> None:
        ended = {f"{f.file}:{f.line}" for f in self.doctor.report.findings if f.kind == "error"}
        for text, where in self.lines.items():
            if str(where) not in ended:
                self.find(where, "gradient-of-a-result", "this reads the `.grad` of a tensor that "
                          "is no leaf: it is None", *parts(text))


def registered_at(code: CodeType) -> Place | None:
    """The line that registers a hook, or what a function makes as one; None if it is unclear."""
    source = S.read(code.co_filename)
    hook = None if source is None else source.scope(code)
    outer = None if hook is None else next(
        (n for n in S.around(hook) if isinstance(n, ast.FunctionDef)), None)
    names = {code.co_name, getattr(outer, "name", "")}
    found = [] if source is None else [
        n for n in source.nodes if isinstance(n, ast.Call) and n.args and REGISTERS.fullmatch(
            called_name(n)) and (S.holds(n, hook) or names & {                # type: ignore[arg-type]
                ast.unparse(part).rpartition(".")[2] for part in ast.walk(n.args[-1])
                if isinstance(part, (ast.Name, ast.Attribute))})]
    return source.place(found[0]) if len(found) == 1 and source is not None else None


REGISTERS = re.compile(r"register_\w*hook")


CHECKS = (Teaching, Saturated, NoCurvature, RowsAddedUp, HooksPileUp, GradientOfAResult)
