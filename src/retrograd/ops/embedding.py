"""Rows looked up by index, alone or in bags.

embedding(weight, indices) is weight[indices]. Its gradient is added, row by row, to zeros of the
weight's shape; a row that is looked up twice gets both.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _dtype
from .._callers import note_write
from .._tensor import ON_META, wrap
from ..kernels import embedding as kernels
from ..kernels.checks import INDEX_DTYPES, all_below
from . import nn_samples as S
from .batching import WIDER, fully_batched, layers, levels, physical
from .declare import F as T
from .declare import composite, op
from .nn_checks import backend_name
from .public import public

op("embedding_rows(weight, indices | padding_idx, scale_grad_by_freq, sparse)",
   "EmbeddingBackward0", public=False, of_complex=False,
   samples=lambda: [(S.normal(4, 3), np.array([[1, 3], [1, 2]]), 0, False, False)],
   weight = lambda F, g, indices, weight_shape, padding_idx, scale_grad_by_freq, sparse:
                (F.embedding_sparse_backward if sparse else F.embedding_dense_backward)(
                    g, indices, weight_shape[0], padding_idx, scale_grad_by_freq),
   jvp    = lambda F, weight, indices, weight_t, indices_t, *values:
                F.embedding_rows(weight_t, indices, *values))

op("embedding_dense_backward(grad, indices | num_weights, padding_idx, scale_grad_by_freq)",
   "EmbeddingDenseBackwardBackward0", public=False,
   grad = lambda F, g, indices, padding_idx, scale_grad_by_freq:
              F.embedding_dense_gather(g, indices, padding_idx, scale_grad_by_freq),
   samples=lambda: [(S.normal(4, 3), np.array([1, 3, 1, 0]), 5, 0, scale)
                    for scale in (False, True)],
   jvp  = lambda F, grad, indices, grad_t, indices_t, *values:
              F.embedding_dense_backward(grad_t, indices, *values))

op("embedding_dense_gather(self, indices | padding_idx, scale_grad_by_freq)",
   "EmbeddingBackward0", public=False,
   self = lambda F, g, self_shape, indices, padding_idx, scale_grad_by_freq:
              F.embedding_dense_backward(g, indices, self_shape[0], padding_idx,
                                         scale_grad_by_freq),
   samples=lambda: [(S.normal(4, 3), np.array([1, 3, 1, 0]), 0, scale) for scale in (False, True)],
   jvp  = lambda F, self, indices, self_t, indices_t, *values:
              F.embedding_dense_gather(self_t, indices, *values))

op("embedding_bag_of(weight, indices, offsets, per_sample_weights? | scale_grad_by_freq, mode, "
   "include_last_offset, padding_idx, sparse=False)", "EmbeddingBagBackward0", public=False,
   outputs=("result0", "result1", "result2", "result3"),
   nondiff=("result1", "result2", "result3"),
   samples=lambda: [(S.normal(5, 3), np.array([1, 4, 2, 4, 3]), np.array([0, 2, 2]),
                     None, False, mode, False, 3) for mode in (0, 1, 2)],
   weight = lambda F, g, weight_shape, indices, per_sample_weights, scale_grad_by_freq, mode,
                   padding_idx, sparse, result1, result2, result3:
                F.embedding_bag_backward(g, indices, per_sample_weights, result1, result2, result3,
                                         weight_shape[0], mode, padding_idx, scale_grad_by_freq,
                                         sparse),
   per_sample_weights = lambda F, g, weight, indices, result1, padding_idx:
                F.embedding_bag_weights_backward(g, weight, indices, result1, padding_idx))


@composite
def embedding_bag_backward(g, indices, per_sample_weights, bags, sizes, which, num_weights, mode,
                           padding_idx, scale_by_freq, sparse=False):
    """The gradient of the rows of a bag, of Tensors."""
    if mode == 2:
        if g._flags:
            raise NotImplementedError("the derivative for '_embedding_bag_dense_backward' with "
                                      "mode='max' is not implemented.")
        return wrap(kernels.embedding_bag_backward(
            g._data, indices._data, None, bags._data, sizes._data, which._data, num_weights, mode,
            padding_idx, scale_by_freq))
    rows = T.embedding_dense_gather(g, bags, -1, False)
    if mode == 1:
        share = 1 / np.maximum(sizes._data, 1).astype(g._data.dtype)
        rows = rows * wrap(share[bags._data][:, None])
    if per_sample_weights is not None:
        rows = rows * T.unsqueeze(per_sample_weights, 1)
    back = embedding_sparse_backward if sparse else T.embedding_dense_backward
    return back(rows, indices, num_weights, padding_idx, scale_by_freq)


@composite
def embedding_sparse_backward(g, indices, num_weights, padding_idx, scale_by_freq):
    """The gradient of looked up rows as a sparse tensor; recorded."""
    listed = kernels.embedding_sparse_backward(g._data, indices._data, num_weights, padding_idx,
                                               scale_by_freq)
    rows = T.reshape(g, (-1, g._data.shape[-1]))
    if padding_idx >= 0:
        rows = T.index_select(rows, wrap(np.flatnonzero(indices._data != padding_idx)), 0)
    return T.coo(rows, listed.indices, listed.shape)


@composite
def embedding_bag_weights_backward(g, weight, indices, bags, padding_idx):
    """The gradient of the weights of a bag's rows, of Tensors."""
    dots = T.sum_dim(T.embedding_dense_gather(g, bags, -1, False)
                     * T.embedding_dense_gather(weight, indices, -1, False), 1, False)
    return dots * wrap((indices._data != padding_idx).astype(weight._data.dtype))


def _not_a_row(indices, rows):
    return IndexError("index out of range in self")


def _unread(weight, indices, rows):
    """The error of a look-up that scales the rows first, which PyTorch selects one by one."""
    beyond = indices[(indices >= rows) | (indices < -rows)]
    if not beyond.size:
        return _not_a_row(indices, rows)
    return IndexError(f"select(): index {beyond.min()} out of range for tensor of size "
                      f"{list(weight._data.shape)} at dimension 0")


def check_indices(name, indices, rows, error=_not_a_row):
    """RuntimeError unless integers, `error(array, rows)` unless each names one of `rows` rows."""
    on_meta, indices = indices._flags & ON_META, physical(indices)._data
    if indices.dtype not in INDEX_DTYPES:
        got = backend_name(_dtype.of(indices))
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following "
                           f"scalar types: Long, Int; but got {got} instead (while checking "
                           f"arguments for {name})")
    if not on_meta and not all_below(indices, rows):
        raise error(indices, rows)


@public(method=False)
def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """weight[indices]: (V, D) and any shape of indices -> (*indices.shape, D).

    Raises IndexError for an index that names no row.

    >>> import retrograd as torch
    >>> torch.embedding(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1, 0]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices("embedding", indices, weight._data.shape[0])
    if sparse:
        from .sparse import arm
        arm()
    return T.embedding_rows(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@public(method=False)
def embedding_renorm_(weight, indices, max_norm, norm_type):
    """Scale the rows that indices name to at most max_norm, in place.

    >>> import retrograd as torch
    >>> rows = torch.tensor([[3., 4.], [3., 4.]])
    >>> torch.embedding_renorm_(rows, torch.tensor([0]), 1.0, 2.0)
    tensor([[0.6000, 0.8000],
            [3.0000, 4.0000]])
    """
    check_indices("embedding_renorm_", indices, weight._data.shape[0], partial(_unread, weight))
    table, numbers = layers(weight)
    if not set(layers(indices)[1]) <= set(numbers):
        raise RuntimeError(WIDER.format("aten::embedding_renorm_"))
    places = physical(fully_batched(indices, [e for e in levels.open if e[0] in numbers]))
    for k in np.ndindex(table._data.shape[:len(numbers)]):
        kernels.embedding_renorm(table._data[k], places._data[k], max_norm, norm_type)
    note_write(weight, "embedding_renorm_")
    return weight


def _missed(indices, rows):
    return RuntimeError("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to "
                        f"be {_first_missing(indices, rows)[1]}")


def _quickly_missed(indices, rows):
    place, index = _first_missing(indices, rows)
    return RuntimeError(f"Index {place} of input takes value {index} which is not in the valid "
                        f"range [0, {rows})")


def _first_missing(indices, rows):
    """The place and the value of the first index that names no row."""
    flat = indices.reshape(-1)
    place = int(np.flatnonzero((flat < 0) | (flat >= rows))[0])
    return place, flat[place]


def _check_bags(weight, offsets, per_sample_weights):
    """RuntimeError for dimensions and dtypes that do not fit together."""
    for name, t, ndim in (("weight", weight, 2), ("offsets", offsets, 1)):
        if t._data.ndim != ndim:
            raise RuntimeError(f"{name} has to be a {ndim}D Tensor, but got Tensor of dimension "
                               f"{t._data.ndim}")
    check_indices("embedding_bag", offsets, np.inf)
    scale = per_sample_weights
    if scale is not None and scale._data.dtype != weight._data.dtype:
        raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as "
                           "tensor for argument #1 'per_sample_weights'; but type "
                           f"{backend_name(weight.dtype)} does not equal "
                           f"{backend_name(scale.dtype)} (while checking arguments for "
                           "embedding_bag)")


def _up_to(last, *tensors):
    """The vectors, None among them, without what comes after the last offset.

    PyTorch's faster way does not read that. It counts it in means, and its gradient there is
    memory that nobody has written.
    """
    if last.ndim and (last != last.flat[0]).any():
        raise RuntimeError("Your input appears to be incorrect: the last offset value should be "
                           "the size of the indices tensor, but it seems not to be the case.")
    end = int(last.flat[0])
    return [None if t is None else T.slice_dim(t, 0, 0, end, 1) for t in tensors]


@public(method=False)
def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Sum (mode 0), mean (1) or maximum (2) of the rows of each bag, and what backward needs.

    weight (rows, D); bag i is indices[offsets[i]:offsets[i + 1]]. The first of the four results,
    (bags, D), is what nn.functional.embedding_bag returns.

    >>> import retrograd as torch
    >>> rows = torch.tensor([[1.], [10.], [100.]])
    >>> torch.embedding_bag(rows, torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]
    tensor([[ 11.],
            [100.]])
    """
    rows = weight._data.shape[0]
    if weight._data.dtype.char not in "eEfd":
        got = f"torch.{weight.dtype.tensor_name}Tensor"
        raise RuntimeError("Expected tensor for argument #1 'weight' to have one of the following "
                           f"scalar types: Half, BFloat16, Float, Double; but got {got} instead "
                           "(while checking arguments for embedding_bag)")
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError("padding_idx must be within the number of embeddings, "
                           f"{-rows} through {rows - 1}, but got {padding_idx}")
    padding_idx = -1 if padding_idx is None else padding_idx % rows
    _check_bags(weight, offsets, per_sample_weights)
    quick = mode != 2 and padding_idx < 0 and weight._data.dtype.char != "d" and (
        weight.stride(1) == 1)                               # PyTorch's other way has other words
    check_indices("embedding_bag", indices, rows, _quickly_missed if quick else _missed)
    starts = physical(offsets)._data
    first, last = (starts[..., 0], starts[..., -1]) if starts.size else [np.int64(0)] * 2
    if first.any():
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has "
                           f"to start from position 0. However, got {first.max()}")
    if last.max() > indices._data.size:
        raise RuntimeError("offsets[-1] can not be greater than input's length "
                           f"{indices._data.size} but got offsets[-1] of {last.max()}")
    if (starts[..., 1:] < starts[..., :-1]).any():
        raise RuntimeError("offsets has to be in ascending order")
    if include_last_offset and quick and np.any(last != indices._data.size) and not (
            offsets._flags & ON_META):
        indices, per_sample_weights = _up_to(last, indices, per_sample_weights)
    if sparse:
        from .sparse import arm
        arm()
    return T.embedding_bag_of(weight, indices, offsets, per_sample_weights, scale_grad_by_freq,
                              mode, include_last_offset, padding_idx, sparse)
