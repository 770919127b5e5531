"""Padding: constant, reflect, replicate, circular."""
from __future__ import annotations

from retrograd.nn._functional._operators import ops


def pad(input, pad, mode="constant", value=None):
    """Add `pad` = (left, right, top, bottom, ...) elements, last dimension first.

    Args:
        mode: 'constant' (any dimensions, negative numbers crop), 'reflect', 'replicate' or
            'circular' (the last 1 to 3 dimensions).

    >>> import retrograd as torch
    >>> torch.nn.functional.pad(torch.ones(2), (1, 0))
    tensor([0., 1., 1.])
    """
    pad = tuple(pad)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input "
                           f"dimension but got padding length {len(pad)} and input of dimension "
                           f"{input.dim()}")
    if mode == "constant":
        return ops.constant_pad_nd(input, pad, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f"Padding mode \"{mode}\" doesn't take in value argument")
    names = {"reflect": "reflection", "replicate": "replication", "circular": "circular"}
    if mode not in names:
        raise RuntimeError(f"Unrecognised padding mode {mode}")
    spatial, dims = len(pad) // 2, input.dim()
    if spatial not in (1, 2, 3) or dims not in (spatial + 1, spatial + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are "
                                  "supported for now")
    if mode == "circular":
        return _circular(input, pad)
    return getattr(ops, f"{names[mode]}_pad{spatial}d")(input, pad)


def _circular(input, pad):
    """Wrap around: copy the input into the middle, then each border from the opposite side."""
    spatial = len(pad) // 2
    first = input.dim() - spatial
    shape = list(input.shape)
    for i in range(spatial):
        before, after = pad[2 * (spatial - i - 1)], pad[2 * (spatial - i - 1) + 1]
        size = input.size(first + i)
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        shape[first + i] += before + after
        if shape[first + i] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = input.new_empty(shape)
    inner, source = out, input
    for i in range(spatial):
        before, after = pad[2 * (spatial - i - 1)], pad[2 * (spatial - i - 1) + 1]
        dim = first + i
        inner = inner.narrow(dim, max(before, 0), shape[dim] - max(before, 0) - max(after, 0))
        source = source.narrow(dim, max(-before, 0),
                               input.size(dim) - max(-before, 0) - max(-after, 0))
    inner.copy_(source)
    for i in range(spatial - 1, -1, -1):       # innermost dimension first, as pad lists them
        before, after = pad[2 * (spatial - i - 1)], pad[2 * (spatial - i - 1) + 1]
        dim = first + i
        if before > 0:
            out.narrow(dim, 0, before).copy_(
                out.narrow(dim, shape[dim] - before - max(after, 0), before))
        if after > 0:
            out.narrow(dim, shape[dim] - after, after).copy_(
                out.narrow(dim, max(before, 0), after))
    return out
