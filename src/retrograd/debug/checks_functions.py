"""Checks of custom Functions: a backward() that is not the derivative of its forward()."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import random
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._state import set_recording, state
from .._tensor import Tensor, wrap
from ..autograd import grad
from ..autograd.function import Function
from ..autograd.node import Node
from ..random import get_rng_state, set_rng_state
from . import source as S
from .check import Check, Pass
from .checks_values import finite
from .places import Place, is_library
from .reading import arrays_in

CALLS = 3                # the most calls of a Function that are looked at
LARGEST = 1 << 20        # the most elements of its arguments
ELEMENTS = 8             # elements of an argument that are changed a little
SECONDS = 0.5            # the time for all runs of a forward()
STEP = 1e-4
CLOSE = 1e-3             # slopes by a step and by half of it differ less, unless a kink is near
OFF = 0.1                # the relative error from which a gradient is wrong, no approximation


@dataclass
class Call:
    """What a Function was called with, and what it returned."""

    function: Any
    args: list[Any]                  # tensors as arrays
    needs: list[bool]                # which of them require grad
    results: list[np.ndarray]


@dataclass
class Slope:
    """An element of an argument: what backward() says, and what changing it a little says."""

    argument: int                    # its number among all arguments
    index: tuple[int, ...]
    given: float
    measured: float

    @property
    def is_off(self) -> bool:
        return abs(self.given - self.measured) > OFF * max(abs(self.given), abs(self.measured))


class WrongBackward(Check):
    """Runs forward() of the program's own Functions again, with some elements changed a little.

    Gradients that may differ on purpose are left alone: those of a forward() that is flat or
    returns its input, gradients of 0, and everything random. But each has to depend on the
    gradient that comes in.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.calls: dict[Any, int] = {}

    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        function = getattr(node, "_forward_cls", None)
        if function is None or self.calls.get(function, 0) >= CALLS:
            return
        args, outputs = variables.get("args", ()), variables.get("outputs", ())
        sizes = sum(a._data.size for a in args if isinstance(a, Tensor))
        if (is_library(inspect.unwrap(function.forward).__code__.co_filename)
                or node.dirty_tensors or sizes > LARGEST):               # type: ignore[attr-defined]
            return
        node._call_again = Call(
            function, [a._data.copy() if isinstance(a, Tensor) else a for a in args],
            [isinstance(a, Tensor) and a.requires_grad for a in args],
            [o._data.copy() for o in outputs if isinstance(o, Tensor)])

    def after_run(self, node: Node, g: Any, results: Any) -> None:
        call, node._call_again = getattr(node, "_call_again", None), None
        gradients = arrays_in(g)
        if call is None or self.calls.get(call.function, 0) >= CALLS or not (
                all(map(finite, gradients)) and any(a.any() for a in gradients)):
            return
        self.calls[call.function] = self.calls.get(call.function, 0) + 1
        self.doctor.aside = True
        try:
            with undisturbed():
                came, slopes = measured(call, g)
                deaf = not slopes and is_deaf(call, g)
        except Exception:                # it does not take float64, or minds being called again
            self.calls[call.function] = CALLS
            return
        finally:
            self.doctor.aside = False
        if deaf:
            self.calls[call.function] = CALLS
            self.tell_of_deaf(call.function)
        for argument in sorted({s.argument for s in slopes}):
            of_it = [s for s in slopes if s.argument == argument]
            off = [s for s in of_it if s.is_off]
            if 2 * len(off) > len(of_it):
                self.calls[call.function] = CALLS
                self.tell(call, off, came)
                break

    def tell(self, call: Call, off: list[Slope], gradients: list[np.ndarray]) -> None:
        function, slope = call.function, off[0]
        argument = names_of_arguments(function)[slope.argument]
        place = f"`{argument}`" + (f" at element {slope.index}" if slope.index else "")
        came = gradients[0][slope.index] if gradients[0].shape == np.shape(
            call.args[slope.argument]) else None
        cure = "compute the derivative of forward() anew"
        if all(abs(s.given + s.measured) < OFF * abs(s.measured) for s in off):
            cure = "the sign is the wrong way around"
        elif came and abs(slope.given * came - slope.measured) < OFF / 10 * abs(slope.measured):
            cure = "multiply by the gradient that backward() is given: it is missing"
        elif factor := factor_of(call, off):
            cure = f"it is {factor} times too large: "\
                + ("forward() takes a mean, so each element's share is divided by their number"
                   if factor > 2 else "the factor 2 is one too many")
        self.find(line_of_backward(function), "wrong-backward",
                  f"backward() of the Function {function.__name__} gives {slope.given:.4g} for "
                  f"{place}, and differences of forward() give {slope.measured:.4g}",
                  "forward() was run again with this element a little larger, and a little "
                  "smaller: what backward() returns is not its derivative, and all gradients "
                  "before this Function are wrong",
                  f"{cure}; `torch.autograd.gradcheck({function.__name__}.apply, inputs)`, with "
                  "inputs in float64, compares every element")


    def tell_of_deaf(self, function: Any) -> None:
        self.find(line_of_backward(function), "wrong-backward", f"backward() of the Function "
                  f"{function.__name__} gives the same, whatever gradient comes in",
                  "the gradient of what follows is missing from it: all layers before this "
                  "Function are moved the same way in each step, whether that makes the loss "
                  "smaller or larger", "multiply by the gradient that backward() is given: "
                  "`grad_input = grad_output.clone()` instead of ones, before parts of it are set "
                  "to 0")


def factor_of(call: Call, off: list[Slope]) -> int:
    """The number of an argument's elements, or of its rows, if its slopes are so many times too
    large; 0 if they are not."""
    shape = np.shape(call.args[off[0].argument])
    known = {2, int(np.prod(shape)), *shape}
    return next((n for n in sorted(known) if n > 1 and all(
        abs(s.given - n * s.measured) < OFF / 10 * abs(s.given) for s in off)), 0)


def is_deaf(call: Call, g: Any) -> bool:
    """Whether backward() gives the same for other gradients than those that came, and no zeros.

    A loss that computes its gradient in forward() may return that, since a 1 comes in.
    """
    came = arrays_in(g)
    if not came or all(a.size == 1 or (a == a.flat[0]).all() for a in came):
        return False
    floats = [a.astype(np.float64) if is_float(a) else a for a in call.args]
    used = [any(a.any() for a in arrays_in(x)) for x in (
        g if isinstance(g, (list, tuple)) else [g])]
    first, second, turned = (differentiated(call, floats, used, scale)[1].values()
                             for scale in (1.0, 2.0, -1.0))
    return any(a.any() for a in first) and all(
        np.array_equal(a, b) and np.array_equal(a, c)
        for a, b, c in zip(first, second, turned, strict=True))


class KeptInTheClass(Check):
    """`Square.x = x` in forward(): one place for all calls, read again by each backward()."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.looked_at: set[Any] = set()

    def before_pass(self, task: Pass) -> None:
        times = Counter(n._forward_cls for n in task.nodes if hasattr(n, "_forward_cls"))
        for function, n in times.items():
            if n < 2 or function in self.looked_at:
                continue
            self.looked_at.add(function)
            source, line = kept_in_class(function)
            if source is not None and line is not None:
                text = ast.unparse(line.targets[0])
                self.find(source.place(line), "wrong-backward", f"`{text}` is one place for all "
                          f"calls of the Function {function.__name__}, of which there are {n} "
                          "in this pass", "each call writes over what the one before has kept "
                          "there: backward() computes with the numbers of the last one",
                          "`ctx.save_for_backward(...)` in forward(), `ctx.saved_tensors` in "
                          "backward(); numbers that are no tensors as attributes of ctx")


def kept_in_class(function: Any) -> tuple[S.Source | None, Any]:
    """The line of forward() that sets an attribute of the class which backward() reads."""
    code = inspect.unwrap(function.forward).__code__
    source = None if is_library(code.co_filename) else S.read(code.co_filename)
    if source is None:
        return None, None
    back = source.scope(inspect.unwrap(function.backward).__code__)
    read = {ast.unparse(n) for n in S.inside(back) if isinstance(n, ast.Attribute)
            and isinstance(n.ctx, ast.Load)}
    return source, next((n for n in S.inside(source.scope(code)) if isinstance(n, ast.Assign)
                         and ast.unparse(n.targets[0]) in read
                         and ast.unparse(n.targets[0]).startswith(f"{function.__name__}.")), None)


def measured(call: Call, g: Any) -> tuple[list[np.ndarray], list[Slope]]:
    """Gradients for the results, and elements of all arguments where forward() has a slope.

    Both are empty if this Function cannot be compared. `g` is what backward() was given.
    """
    floats = [a.astype(np.float64) if is_float(a) else a for a in call.args]
    again = run(call.function, floats)
    if not all(np.allclose(a, b, 1e-3, 1e-5) for a, b in zip(again, call.results, strict=True)):
        return [], []                    # it is random, or depends on how often it is called
    if any(a.shape == r.shape and np.array_equal(a, r)
           for a in call.args if is_float(a) for r in call.results):
        return [], []                    # it is there for its backward alone
    used = [any(a.any() for a in arrays_in(x)) for x in (
        g if isinstance(g, (list, tuple)) else [g])]
    weights, gradients = differentiated(call, floats, used)
    end, found = time.perf_counter() + SECONDS, []
    for k, gradient in gradients.items():
        size = float(np.abs(gradient).max()) if gradient.size else 0.0
        for index in elements(gradient) if size else ():
            if time.perf_counter() > end:
                return weights, found
            whole, half = (slope(call.function, floats, weights, k, index, h)
                           for h in (STEP, STEP / 2))
            if abs(whole) < 1e-6 * size:
                return [], []            # flat: a gradient of its own is what it was made for
            if abs(whole - half) < CLOSE * abs(whole):
                found.append(Slope(k, index, float(gradient[index]), whole))
    return weights, found


def differentiated(call: Call, args: list, used: list[bool],
                   scale: float = 1.0) -> tuple[list[np.ndarray], dict[int, np.ndarray]]:
    """Random gradients for the results, and what backward() makes of them, by argument.

    A result that no loss depends on gets zeros, since backward() may ignore its gradient.
    """
    inputs = [wrap(a.copy()) if isinstance(a, np.ndarray) else a for a in args]
    wanted = {k: inputs[k].requires_grad_() for k, needed in enumerate(call.needs)
              if needed and is_float(args[k])}
    state.grad = True
    try:
        out = call.function.apply(*inputs)
        results = [o for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, Tensor)]
        draw = np.random.default_rng(0)
        weights = [draw.standard_normal(o._data.shape) * (o.requires_grad and counts) * scale
                   for o, counts in zip(results, used, strict=True)]
        several = [(o, wrap(w.astype(o._data.dtype)))
                   for o, w in zip(results, weights, strict=True) if o.requires_grad]
        got = grad([o for o, _ in several], list(wanted.values()), [w for _, w in several],
                   allow_unused=True)
    finally:
        state.grad = False
    return weights, {k: g._data for k, g in zip(wanted, got, strict=True) if g is not None}


def is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def elements(gradient: np.ndarray) -> Iterator[tuple[int, ...]]:
    """A few elements whose gradient is not 0: the largest, and some from all over."""
    flat = np.abs(gradient).reshape(-1)
    some = np.linspace(0, flat.size - 1, min(flat.size, ELEMENTS // 2)).astype(int)
    chosen = dict.fromkeys([*np.argsort(flat)[:-1 - ELEMENTS // 2:-1].tolist(), *some.tolist()])
    for k in chosen:
        if flat[k] > 1e-3 * flat.max():
            yield tuple(int(i) for i in np.unravel_index(k, gradient.shape))


def slope(function: Any, args: list, g: list, k: int, index: tuple[int, ...], h: float) -> float:
    """The derivative, by one element, of the outputs weighted with their gradients `g`."""
    sums = []
    h *= max(1.0, abs(float(args[k][index])))
    for step in (h, -h):
        changed = args[k].copy()
        changed[index] += step
        outputs = run(function, [*args[:k], changed, *args[k + 1:]])
        sums.append(sum(float((a * b).sum()) for a, b in zip(g, outputs, strict=True)))
    return (sums[0] - sums[1]) / (2 * h)


def run(function: Any, args: list) -> list[np.ndarray]:
    """The arrays that a Function returns."""
    out = function.apply(*[wrap(a.copy()) if isinstance(a, np.ndarray) else a for a in args])
    return [o._data for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, Tensor)]


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Record, print and warn of nothing, and leave the random generator as it was before."""
    recording, mine, others, numpys = (state.grad, get_rng_state(), random.getstate(),
                                       np.random.get_state())
    set_recording(False)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        set_recording(recording)
        set_rng_state(mine)
        random.setstate(others)
        np.random.set_state(numpys)


def names_of_arguments(function: Any) -> list[str]:
    """What forward() calls its arguments; those of *args by number."""
    names = list(inspect.signature(function.forward).parameters)
    if function.setup_context is Function.setup_context:
        names = names[1:]                # ctx
    return [*names, *(f"argument {k}" for k in range(len(names), 100))]


def line_of_backward(function: Any) -> Place | None:
    """The one line on which backward() returns, or the one where it begins."""
    code = inspect.unwrap(function.backward).__code__
    source = S.read(code.co_filename)
    if source is None:
        return None
    scope = source.scope(code)
    returns = [n for n in S.inside(scope) if isinstance(n, ast.Return)]
    return source.place(returns[0] if len(returns) == 1 else scope)


CHECKS = (WrongBackward, KeptInTheClass)
