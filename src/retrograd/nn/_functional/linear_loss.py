"""A linear map and the cross entropy of its result, in one call."""
from __future__ import annotations

import math

import retrograd as torch
from retrograd._warnings import warn
from retrograd.nn._functional.loss import cross_entropy
from retrograd.ops.addmm import linear


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None,
                         reduction="mean", ignore_index=None, label_smoothing=0.0, options=None):
    """cross_entropy(linear(input, linear_weight, linear_bias), target).

    Args:
        input: (N, in) or (in,).
        linear_weight: (C, in), or (C, d..., in) for scores (N, C, d...).
        options: a LinearCrossEntropyOptions; with one, half precision is computed in float32.

    Raises RuntimeError for last sizes that differ, IndexError for a class out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.linear_cross_entropy(
    ...     torch.zeros(1, 3), torch.ones(2, 3), torch.tensor([1]))
    tensor(0.6931)
    """
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError("expected linear_weight with dimensionality at least 2, got "
                           f"{linear_weight.dim()}")
    batch, features = tuple(input.shape[:-1]), input.shape[-1]
    classes, *more = linear_weight.shape[:-1]
    _check(input, linear_weight, linear_bias, batch, features, (classes, *more))
    shape = (*batch, classes, *more)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    dtype = input.dtype
    if options is not None and _in_parts(reduction, label_smoothing, target, more, linear_bias):
        options.check(math.prod(batch), features, classes, dtype)
        if dtype in (torch.float16, torch.bfloat16):
            input, linear_weight = input.float(), linear_weight.float()
            linear_bias = linear_bias if linear_bias is None else linear_bias.float()
    if more:
        rows = math.prod((classes, *more))
        linear_weight = linear_weight.reshape(rows, features)
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    scores = linear(input, linear_weight, linear_bias).reshape(shape)
    if scores.dtype is not dtype and weight is not None:
        weight = weight.to(scores.dtype)
    return cross_entropy(scores, target, weight=weight, reduction=reduction,
                         ignore_index=-100 if ignore_index is None else ignore_index,
                         label_smoothing=label_smoothing).to(dtype)


def _in_parts(reduction, label_smoothing, target, more, linear_bias):
    """Whether PyTorch uses the options; it warns where it does not."""
    if label_smoothing == 0 and target.dtype is torch.int64 and not more:
        return True
    shape = None if linear_bias is None else tuple(linear_bias.shape)
    warn("linear_cross_entropy: ``options`` ignored; chunked path needs reduction in "
         "{'mean','sum','none'}, label_smoothing == 0, target.dtype == int64, out_features == (). "
         f"Got reduction={reduction!r}, label_smoothing={label_smoothing}, "
         f"target.dtype={target.dtype}, out_features={tuple(more)}, tracing=False, "
         f"linear_bias.shape={shape}.")
    return False


def _check(input, linear_weight, linear_bias, batch, features, outputs):
    if features != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), "
                           f"got {features} and {linear_weight.shape[-1]}, respectively")
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and not batch:
        raise RuntimeError("K-dimensional loss defined by linear_weight shape "
                           f"{tuple(linear_weight.shape)} requires batched input, (N, {features}), "
                           f"got unbatched input with shape {tuple(input.shape)}")
