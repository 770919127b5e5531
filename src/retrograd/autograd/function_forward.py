"""Custom Functions in forward mode: `jvp` gives the tangents of the outputs."""

from __future__ import annotations

import numpy as np

from .._tensor import Tensor, wrap
from ..ops import dual
from ..ops.special_modes import flatten
from . import forward_ad
from .function_call import call
from .saved import SavedTensor


def apply_dual(ctx, args, apart):
    """`call` on arguments of which some are dual tensors."""
    tensors = flatten(args)
    level = dual.top_level(tensors)
    with dual.AtLevel(tensors, level) as by_id:
        tangents = [_tangent(ctx, a, by_id) for a in args]
        versions = [None if t is None else t._cell[0] for t in tangents]
        out = call(ctx, args, apart)
        outputs = out if isinstance(out, tuple) else (out,)
        output_tangents = _output_tangents(ctx, tangents, outputs)
    for nr, (value, output_tangent) in enumerate(zip(outputs, output_tangents, strict=True)):
        if output_tangent is None:
            continue
        if nr in ctx._constant or not _differentiable(value):
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {nr}, but  the corresponding "
                "forward output is not a differentiable Tensor.You should return None at that "
                "position instead."
            )
        _check(value, output_tangent, args, tangents, versions, by_id)
        dual.set_tangent(value, level, output_tangent)
        dual.keep_tangent(value, level, output_tangent)
    return out


def _differentiable(value) -> bool:
    return isinstance(value, Tensor) and value._data.dtype.kind in "fcV"


def _tangent(ctx, value, by_id):
    """What jvp gets for an argument: its tangent, zeros, or None if it can have none."""
    if not _differentiable(value):
        return None
    tangent = by_id.get(id(value))
    if tangent is None and ctx.materialize_grads:
        return wrap(np.zeros_like(value._data))
    return tangent


def _output_tangents(ctx, tangents, outputs) -> tuple:
    """What the user's jvp returns, one for each output."""
    backward_saved = ctx._saved
    ctx._saved = tuple(SavedTensor.of_input(t) for t in ctx.saved_for_forward or ())
    try:
        output_tangents = ctx.apply_jvp(*tangents)
    finally:
        ctx._saved, ctx.saved_for_forward = backward_saved, None
    output_tangents = output_tangents if isinstance(output_tangents, tuple) else (output_tangents,)
    if len(output_tangents) != len(outputs):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients (expected "
            f"{len(outputs)} but got {len(output_tangents)})"
        )
    for nr, (output_tangent, value) in enumerate(zip(output_tangents, outputs, strict=True)):
        if output_tangent is not None and not isinstance(output_tangent, Tensor):
            kind = type(output_tangent).__name__
            raise RuntimeError(f"expected Variable or None (got {kind}) for grad output {nr}.")
        if output_tangent is not None and _differentiable(value):
            forward_ad.check_size(value, output_tangent)
    return output_tangents


def _check(value, output_tangent, args, tangents, versions, by_id) -> None:
    """An output changed in place needs a tangent changed in place; one that is a view, a view."""
    for a, tangent, version in zip(args, tangents, versions, strict=True):
        if a is value and id(a) in by_id:
            if tangent._cell[0] == version:
                raise RuntimeError(
                    "An inplace custom Function is not modifying the forward mode gradients "
                    "inplace. If the forward is modifying an input inplace, then the jvp function "
                    "must modify the corresponding gradient inplace."
                )
            if output_tangent is not tangent:
                raise RuntimeError(
                    "An inplace custom Function is not returning the forward mode gradients "
                    "as-is. If the forward is modifying an input inplace, then the jvp function "
                    "must modify the gradient inplace and return it as-is."
                )
            return
    base = value._base
    for a, tangent in zip(args, tangents, strict=True):
        if base is None or id(a) not in by_id or not (a is base or a._base is base):
            continue
        if output_tangent._base is None:
            raise RuntimeError(
                "A custom Function's forward is returning a view (or an input as-is) but the jvp "
                "is not returning a view."
            )
        expected = tangent if tangent._base is None else tangent._base
        if output_tangent._base is not expected:
            what = "the given" if tangent._base is None else "the same base as the given"
            raise RuntimeError(
                "A custom Function is returning a view but the jvp is not returning a view of "
                f"{what} grad input."
            )
