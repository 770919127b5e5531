"""Operators on tensors that depend on the inputs of a Function that is being examined.

NOTE [saved intermediates] in `autograd/intermediates.py` says what for.
"""

from __future__ import annotations

from functools import partial

from .._state import state
from .._tensor import TRACED


def call(op, fn, tensors, consts, flat):
    """The operator `fn`, in place or not; its results are traced if they depend on `flat`."""
    return _traced(op, partial(fn, *tensors, *consts), flat)


call_in_place = call


def call_views(function, input, args):
    """several_views() of a traced tensor."""
    return _traced(None, partial(function, input, *args), [input])


def _traced(op, run, flat):
    marked = [t for t in flat if t._flags & TRACED]
    for t in marked:
        t._flags &= ~TRACED
    res = run()
    if state.tracing is not None:
        from ..autograd.intermediates import note_traced
        note_traced(op, marked, res)
    return res
