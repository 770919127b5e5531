"""Functions that PyTorch keeps for itself (mostly with an underscore) but programs do call."""

from __future__ import annotations

import numpy as np

from .._tensor import wrap
from ..kernels.checks import not_implemented
from .declare import F as T
from .dims import axes, wrap_dim
from .mapped import each_slice, is_batched
from .out import fill_checked
from .public import numpy_names, public
from .resize import constant_pad_nd


@public(method=False)
def _softmax_backward_data(grad_output, output, dim, input_dtype):
    """The gradient of softmax's input: (g - sum(g * y)) * y."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


@public(method=False)
def _log_softmax_backward_data(grad_output, output, dim, input_dtype):
    """The gradient of log_softmax's input: g - exp(y) * sum(g)."""
    return (grad_output - output.exp() * grad_output.sum(dim, keepdim=True)).to(input_dtype)


@public(method=False)
def _unsafe_masked_index(input, mask, indices, fill):
    """input[indices] where `mask`, else `fill`; masked places may lie outside."""
    found = input[tuple(_inside(input, indices))]
    return T.where(mask, found, fill)


@public(method=False)
def _unsafe_masked_index_put_accumulate(input, mask, indices, values):
    """A copy of input with values added at the indices where `mask`."""
    masked = T.where(mask, values, 0)
    return input.index_put(list(_inside(input, indices)), masked, accumulate=True)


def _inside(input, indices):
    """The indices, cut off at the dimensions' ends."""
    sizes = input._data.shape
    return [slice(None) if i is None else i.clamp(-n, n - 1)
            for i, n in zip(indices, sizes, strict=False)]


@public(method=False)
def _chunk_cat(tensors, dim, num_chunks, *, out=None):
    """Each tensor cut along `dim` into `num_chunks` flattened pieces (zeros fill the last); piece
    k of every tensor side by side.  # -> (*before dim, num_chunks, width)"""
    rows, dim = [], wrap_dim(dim, min(t._data.ndim for t in tensors))
    for t in tensors:
        shape = t._data.shape
        lead, n = shape[:dim], shape[dim]
        size = -(-n // num_chunks)
        padded = constant_pad_nd(t, (0, 0) * (len(shape) - 1 - dim)
                                   + (0, size * num_chunks - n), 0)
        rows.append(padded.reshape(*lead, num_chunks, -1))
    res = T.cat(rows, dim + 1)
    return res if out is None else fill_checked("_chunk_cat", out, res)


@public
@numpy_names
def hash_tensor(input, dim=(), *, keepdim=False, mode=0, out=None):
    """The exclusive or of the elements' bits along `dim` (all by default), as uint64.

    Integers count as 64-bit ones, floats as float64. Only mode 0 exists.

    >>> import retrograd as torch
    >>> torch.hash_tensor(torch.tensor([5, 3]))
    tensor(6, dtype=torch.uint64)
    """
    if is_batched(input):
        return each_slice(hash_tensor, input, dim, keepdim=keepdim, mode=mode)
    array = input._data
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if array.dtype.kind == "c":
        raise not_implemented("xor_sum_cpu", array.dtype)
    dim = () if dim is None else dim
    given = dim if isinstance(dim, (tuple, list)) else (dim,)
    if not array.size and array.ndim:
        if not given:
            raise RuntimeError("hash_tensor: Expected reduction dim to be specified for "
                               "input.numel() == 0. Specify the reduction dim with the 'dim' "
                               "argument.")
        for d in given:
            if not array.shape[wrap_dim(d, array.ndim)]:
                raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    wide = array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)
    bits = np.ascontiguousarray(wide).view(np.uint64).reshape(array.shape)
    res = wrap(np.asarray(np.bitwise_xor.reduce(bits, axis=axes(tuple(given), array.ndim),
                                                keepdims=keepdim)))
    return res if out is None else fill_checked("hash_tensor", out, res)


@public(method=False)
def _unique(input, sorted=True, return_inverse=False):
    """(distinct elements, where each element went; empty unless asked for)."""
    return _unique2(input, sorted, return_inverse)[:2]


@public(method=False)
def _unique2(input, sorted=True, return_inverse=False, return_counts=False):
    """(distinct elements, inverse, counts), the last two empty unless asked for."""
    return _asked(T.unique2(input, None), return_inverse, return_counts)


@public(method=False, name="_unique_dim")
def unique_dim(input, dim, sorted=True, return_inverse=False, return_counts=False):
    """(distinct slices along dim, inverse, counts), the last two empty unless asked for."""
    return _asked(T.unique_dim(input, dim), return_inverse, return_counts)


def _asked(found, return_inverse, return_counts):
    values, inverse, counts = found
    empty = wrap(np.empty(0, np.int64))
    return values, inverse if return_inverse else empty, counts if return_counts else empty
