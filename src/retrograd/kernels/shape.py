"""Views of an array's memory, and copies that join or repeat arrays."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided as _as_strided


def strided(a, shape, strides, offset=0):
    """A writable view of `a`'s memory with these strides (in bytes), `offset` bytes further on."""
    if offset:
        a = _as_strided(a, (1,), (offset,), writeable=True)[0:0] if a.size == 0 else a
    return _as_strided(a, shape, strides)


def view(a, shape):
    """`a` with another shape and no copy; ValueError where strides do not allow that."""
    res = a.reshape(shape)
    if res.base is None or not np.may_share_memory(res, a):
        if a.size and not np.shares_memory(res, a):
            raise ValueError("needs a copy")
    return res


def reshape(a, shape):
    return a.reshape(shape)


def expand(a, shape):
    """`a` repeated along dimensions of size 1, as a view with stride 0."""
    lead = len(shape) - a.ndim
    strides = (0,) * lead + tuple(0 if n == 1 and m != 1 else s for n, m, s in
                                  zip(a.shape, shape[lead:], a.strides, strict=True))
    return _as_strided(a, shape, strides)


def permute(a, dims):
    return a.transpose(dims)


def transpose(a, dim0, dim1):
    return a.swapaxes(dim0, dim1)


def t(a):
    return a.T


def mT(a):
    return a.swapaxes(-2, -1)


def mH(a):
    return a.swapaxes(-2, -1).conj() if a.dtype.kind == "c" else a.swapaxes(-2, -1)


def unsqueeze(a, dim):
    return np.expand_dims(a, dim)


def squeeze(a, dim):
    return a.squeeze(dim)


def select(a, dim, index):
    return a[(slice(None),) * dim + (index,)] if a.ndim > 1 else a[index, ...]


def slice_dim(a, dim, start, end, step):
    return a[(slice(None),) * dim + (slice(start, end, step),)]


def basic_index(a, key):
    return a[key] if Ellipsis in key else a[(*key, Ellipsis)]


def basic_index_backward(g, shape, key):
    res = np.zeros(shape, g.dtype)
    res[key if Ellipsis in key else (*key, Ellipsis)] = g
    return res


def cat(arrays, dim):
    return np.concatenate(arrays, dim)


def stack(arrays, dim):
    return np.stack(arrays, dim)


def split_back(g, shapes, dim):
    """The pieces of a joined gradient, one for each joined array."""
    pieces, start = [], 0
    for shape in shapes:
        if len(shape) == 1 and shape[0] == 0:
            pieces.append(np.zeros(0, g.dtype))
            continue
        end = start + shape[dim]
        pieces.append(slice_dim(g, dim, start, end, 1))
        start = end
    return pieces


def clone_as(a, strides):
    """A copy of `a` in memory with these strides, where they are dense."""
    need = a.itemsize + sum((n - 1) * s for n, s in zip(a.shape, strides, strict=True))
    if need != a.nbytes:
        return a.copy()
    res = np.ndarray(a.shape, a.dtype, np.empty(need, np.uint8), 0, strides)
    res[...] = a
    return res


def window_cut(a, window):
    return window.cut(a)


def window_pad(a, window):
    return window.pad(a)


def window_replace(a, part, window):
    return window.replace(a, part)
