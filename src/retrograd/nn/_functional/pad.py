"""Padding: constant, reflect, replicate, circular."""
from __future__ import annotations

from operator import index

import retrograd as torch
from retrograd import kernels
from retrograd._tensor import wrap
from retrograd.nn._functional._operators import ops
from retrograd.ops.arguments import c_name, must_be
from retrograd.ops.support import unobserved


def pad(input, pad, mode="constant", value=None):
    """Add `pad` = (left, right, top, bottom, ...) elements, last dimension first.

    Args:
        mode: 'constant' (any dimensions, negative numbers crop), 'reflect', 'replicate' or
            'circular' (the last 1 to 3 dimensions).
        value: what 'constant' adds; None: 0.

    (*, n) -> (*, left + n + right), and so for each dimension that is padded. Raises RuntimeError
    for numbers that come in no pairs and for more elements than may be reflected,
    NotImplementedError for unknown modes and dimensions that a mode does not have.

    >>> import retrograd as torch
    >>> torch.nn.functional.pad(torch.ones(2), (1, 0))
    tensor([0., 1., 1.])
    """
    pad = check_pad(pad)
    names = {"reflect": "reflection", "replicate": "replication", "circular": "circular"}
    if mode not in names and mode != "constant":
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input "
                           f"dimension but got padding length {len(pad)} and input of dimension "
                           f"{input.dim()}")
    if mode == "constant":
        if isinstance(value, complex):
            raise must_be("float", "pad", "value", 4, value, handed_on=True)
        value = float(value) if value.__class__ is int else value       # -1 is no uint8, as -1. is
        return ops.constant_pad_nd(input, pad, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f"Padding mode \"{mode}\" doesn't take in value argument")
    spatial, dims = len(pad) // 2, input.dim()
    if spatial not in (1, 2, 3) or dims not in (spatial + 1, spatial + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {dims}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")
    if mode == "circular":
        wrapped = _circular(input, pad)
        return wrapped if any(n > 0 for n in pad) else wrapped.clone()
    return getattr(ops, f"{names[mode]}_pad{spatial}d")(input, pad)


def check_pad(pad):
    """The sizes as a tuple; PyTorch's TypeError for what are none."""
    if not isinstance(pad, (tuple, list)):
        raise must_be("tuple of ints", "pad", "pad", 2, pad)
    for k, n in enumerate(pad):
        if n.__class__ is not int and not hasattr(n, "__index__"):
            raise TypeError("pad(): argument 'pad' (position 2) must be tuple of ints, but found "
                            f"element of type {c_name(n)} at pos {k}")
    return tuple(n if n.__class__ is int else index(n) for n in pad)


def _circular(input, pad):
    """Wrap around: dimension by dimension, each border is taken from the opposite side."""
    spatial = len(pad) // 2
    first = input.dim() - spatial
    sides = [(pad[2 * i], pad[2 * i + 1], first + spatial - 1 - i) for i in range(spatial)]
    for before, after, dim in sides:
        size = input.size(dim)
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    if unobserved(input._flags) and min(pad) >= 0 and input._data.size:
        pads = tuple(zip(pad[-2::-2], pad[::-2], strict=True))
        return wrap(kernels.pad_by(input._data, pads, "circular"))
    for before, after, dim in sides:
        if before < 0 or after < 0:
            start = max(-before, 0)
            input = input.narrow(dim, start, input.size(dim) - start - max(-after, 0))
        size = input.size(dim)
        parts = [input]
        if before > 0:
            parts.insert(0, input.narrow(dim, size - before, before))
        if after > 0:
            parts.append(input.narrow(dim, 0, after))
        if len(parts) > 1:
            input = torch.cat(parts, dim)
    return input
