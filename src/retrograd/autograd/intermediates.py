"""Custom Functions that save what forward computed on the way: their second derivatives.

NOTE [saved intermediates]
    A tensor that forward computed and did not return has no history: when backward runs recorded
    (create_graph), what is computed from it looks like a constant, and the second derivative lacks
    a term. So the first recorded call of each Function is examined. Its inputs get the bit TRACED,
    which operators hand on to results that depend on them smoothly (ops/traced.py); what
    was saved with that bit, and is neither an input nor an output, is remembered for the class.
    Where a recorded backward asks for such a tensor it gets one with a history, an Intermediate,
    which complains if a gradient other than 0 arrives.
"""

from __future__ import annotations

import inspect
from weakref import ref

from .._state import state
from .._tensor import TRACED, Tensor
from .node import Node, next_seq
from .wrong import report

REMEDY = ("A Function that is to be differentiated twice may save inputs and outputs of forward: "
          "save those and compute the rest again in backward, or return the intermediate result "
          "as one more output.")


def examine(ctx, args, forward):
    """Run `forward()` and note for the class which saved tensors are intermediate results: they
    depend on the inputs but have no place in the graph."""
    inputs = [a for a in args if isinstance(a, Tensor)]
    before, state.tracing = state.tracing, []        # weak: what forward drops is freed
    for t in inputs:
        if t._flags & 1:
            t._flags |= TRACED
    try:
        out = forward()
    finally:
        reached, state.tracing = state.tracing or (), before
        saved, own = ctx.to_save or (), ctx.__dict__
        held = [t for t in (*saved, *own.values()) if isinstance(t, Tensor)]
        found = {id(t) for t in held if t._flags & TRACED}
        alive = [t for t in (r() for r in reached) if t is not None]
        for t in (*inputs, *alive, *held):
            t._flags &= ~TRACED
    found -= {id(t) for t in (*inputs, *(out if isinstance(out, tuple) else (out,)))}
    ctx._forward_cls._intermediates = ({i for i, t in enumerate(saved) if id(t) in found},
                                       [name for name, t in own.items() if id(t) in found])
    return out


def note_traced(op, tensors, res) -> None:
    """Hand the bit on from the traced inputs of an operator to its results."""
    for t in tensors:
        t._flags |= TRACED
    if op is not None and (op.grad_fn is None or not _smooth(op)):
        return
    results = res if isinstance(res, (tuple, list)) else (res,)
    names = op.outputs if op is not None else ()
    for k, r in enumerate(results):
        if r._data.dtype.kind in "fcV" and not (k < len(names) and names[k] in op.nondiff):
            r._flags |= TRACED
            state.tracing.append(ref(r))


def _smooth(op) -> bool:
    """Whether some formula's gradient is not zero everywhere, as those of sign and round are."""
    return op.joint is not None or any(
        f.__code__.co_names != ("zeros_like",) for f in op.formulas.values())


class Intermediate(Node):
    """History of a saved intermediate result: a gradient that arrives here would be lost."""

    def __init__(self, ctx, what):
        self._seq = next_seq()
        self.edges, self._numbers = ctx.edges, ctx._numbers
        self.function, self.what = ctx._forward_cls, what

    def run(self, g, edges):
        array = g._data if isinstance(g, Tensor) else g
        if array.any():
            report(self.complaint(), "raise")
        return (None,) * len(edges)

    run_graph = run

    def complaint(self) -> str:
        name = self.function.__name__
        return (f"the second derivative of {name} lacks a term: its backward uses {self.what}, "
                f"which forward computed from the inputs, as if it were a constant.\n\n"
                f"{_line_that_saves(self.function)}{REMEDY}")


def _line_that_saves(function) -> str:
    """Where the Function saves its tensors, if its source is at hand."""
    for method in (function.setup_context, function.forward):
        try:
            lines, first = inspect.getsourcelines(method)
        except (OSError, TypeError):
            continue
        for k, line in enumerate(lines):
            if "save_for_backward" in line:
                return f"  {inspect.getsourcefile(method)}:{first + k}  {line.strip()}\n"
    return ""


def recorded(ctx, t, what):
    """The saved intermediate `t` for a backward pass that is recorded."""
    if state.on_wrong == "ignore" or t is None or t._flags & 1:
        return t
    marked = t.detach()
    marked._grad_fn, marked._flags = Intermediate(ctx, what), marked._flags | 1
    return marked


class attributes_recorded:
    """In this block, tensors that forward kept as attributes of ctx go through recorded()."""

    def __init__(self, ctx, names):
        self.ctx, self.names = ctx, names

    def __enter__(self):
        held = self.ctx.__dict__
        self.kept = {n: held[n] for n in self.names if isinstance(held.get(n), Tensor)}
        for name, t in self.kept.items():
            held[name] = recorded(self.ctx, t, f"ctx.{name}")

    def __exit__(self, *exc):
        self.ctx.__dict__.update(self.kept)
