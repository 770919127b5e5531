"""Looking up rows: embedding, embedding_bag, one_hot."""
from __future__ import annotations

import retrograd as torch
from retrograd._tensor import wrap
from retrograd._warnings import warn
from retrograd.kernels import gather_scatter
from retrograd.nn._functional._operators import ops
from retrograd.ops.batching import physical


def _renorm_(weight, input, max_norm, norm_type):
    with torch.no_grad():
        ops.embedding_renorm_(weight, input, max_norm, norm_type)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` (V, D) named by the integers `input` (*): result (*, D).

    Args:
        padding_idx: a row that receives no gradient.
        max_norm: rows used are first scaled down, in place, to this `norm_type` norm.
        scale_grad_by_freq: divide a row's gradient by how often it occurs.
        sparse: make the gradient of `weight` a sparse tensor.

    Raises IndexError for a number that names no row, RuntimeError for numbers that are no integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.embedding(torch.tensor([1]), torch.eye(2))
    tensor([[0., 1.]])
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        input = input.contiguous()
        _renorm_(weight, input, max_norm, norm_type)
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2,
                  scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None,
                  include_last_offset=False, padding_idx=None):
    """The sum, mean or max of the rows of each bag.

    `input` (B, N) holds bags of one length, or `input` (N,) all of them with `offsets` (B,)
    saying where each begins.  `per_sample_weights` scales rows before a sum.

    An empty bag gives zeros. `mode` is 'sum', 'mean' or 'max'; with `include_last_offset` offsets
    has one more element, the number of indices; `padding_idx` names a row that does not count. The
    other arguments are those of embedding. Raises RuntimeError for a number that names no row,
    ValueError for another mode and for bags without offsets.

    >>> import retrograd as torch
    >>> weight = torch.tensor([[1., 2.], [3., 4.]])
    >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1]]), weight, mode="sum")
    tensor([[4., 6.]])
    """
    if weight.dtype is torch.long and input.is_floating_point():
        warn("Argument order of nn.functional.embedding_bag was changed. "
             "Usage `embedding_bag(weight, input, ...)` is deprecated, "
             "and should now be `embedding_bag(input, weight, ...)`.")
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError("embedding_bag: If per_sample_weights "
                         f"({per_sample_weights.shape}) is not None, then it must have the "
                         f"same shape as the input ({input.shape})")
    if weight.dim() != 2:
        raise ValueError("weight has to be a 2D Tensor, but got Tensor of dimension "
                         f"{weight.dim()}")
    offsets = _bag_offsets(input, offsets, include_last_offset)
    if input.dim() == 2:
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    number = _bag_mode(mode, scale_grad_by_freq, sparse)
    if max_norm is not None:
        _renorm_(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. "
                                  "per_sample_weights is only supported for mode='sum' "
                                  f"(got mode='{mode}'). Please open a feature request on GitHub.")
    return ops.embedding_bag(weight, input, offsets, scale_grad_by_freq, number, sparse,
                             per_sample_weights, include_last_offset, padding_idx)[0]


def _bag_offsets(input, offsets, include_last_offset):
    """Where each bag begins; the rows of a 2-D input are bags of one length."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is "
                             "a mini-batch of fixed length sequences. However, found offsets of "
                             f"type {type(offsets)}")
        end = input.numel() + bool(include_last_offset)
        return torch.arange(0, end, input.size(1), dtype=input.dtype)
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension "
                         f"{input.dim()}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return offsets


def _bag_mode(mode, scale_grad_by_freq, sparse):
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max":
        if scale_grad_by_freq:
            raise ValueError("max mode does not support scaling the gradient by the frequency")
        if sparse:
            raise ValueError("max mode does not support sparse weights")
    return ("sum", "mean", "max").index(mode)


def one_hot(input, num_classes=-1):
    """Vectors of zeros with a 1 at the class: integers (*) -> (*, num_classes) of int64.

    By default num_classes is the largest class + 1. Raises RuntimeError for negative classes and
    for those that are not below num_classes.

    >>> import retrograd as torch
    >>> torch.nn.functional.one_hot(torch.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    if input.is_meta and num_classes > 0:
        return input.new_empty((*input.shape, num_classes))
    classes = physical(input)               # of vmap, where a tensor has no values of its own
    hot = wrap(gather_scatter.one_hot(classes._data, num_classes))
    if classes is input:
        return hot
    return input.new_zeros((*input.shape, hot._data.shape[-1])).scatter_(
        -1, input.unsqueeze(-1), 1)
