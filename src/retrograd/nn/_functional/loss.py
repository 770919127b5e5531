"""Losses of a prediction x (input) and a target y, reduced to a mean, a sum, or not at all.

`reduction` is 'mean', 'sum', or 'none' for the loss of each element; size_average and reduce are
its two older forms, and deprecated. Losses of labels 1 and -1, with a margin, and of triplets are
in margin_loss.py.
"""
from __future__ import annotations

import math
from operator import index

import retrograd as torch
from retrograd._warnings import warn
from retrograd.kernels.checks import INT64
from retrograd.nn import _reduction
from retrograd.nn._functional._operators import ops
from retrograd.ops.arguments import must_be
from retrograd.ops.in_place import check_cast
from retrograd.ops.loss import cross_entropy_of_classes
from retrograd.ops.mistyped import is_number
from retrograd.ops.support import need_tensors, number_of


def reduced(loss, reduction):
    """Apply the reduction named by its number."""
    if reduction == 1:
        return loss.mean()
    return loss.sum() if reduction == 2 else loss


def _warn_sizes(input, target):
    if target.size() != input.size():
        warn(f"Using a target size ({target.size()}) that is different to the input size "
             f"({input.size()}). This will likely lead to incorrect results due to "
             "broadcasting. Please ensure they have the same size.")


def check_float(name, argument, position, value):
    if isinstance(value, complex) or not is_number(value):
        raise must_be("float", name, argument, position, value, handed_on=True)


def check_flag(name, argument, position, value):
    if value.__class__ is not bool:
        raise must_be("bool", name, argument, position, value, handed_on=True)


def _fitting(weight, shape):
    """`weight`, if it has the shape of the loss's input."""
    if weight.size() != shape:
        raise ValueError("Weights and input must have the same size.")
    return weight


def _weighted(elementwise, weight, shape, reduction):
    """The reduction of a loss with a weight for each element: the mean divides by their sum."""
    weighted = elementwise * _fitting(weight, shape)
    number = _reduction.get_enum(reduction)
    if number == 1:
        return torch.sum(weighted) / torch.sum(weight)
    return torch.sum(weighted) if number == 2 else weighted


def _alike(input, target):
    """Both in their common shape and dtype."""
    if target.shape != input.shape:
        input, target = torch.broadcast_tensors(input, target)
    if target.dtype != input.dtype:
        dtype = torch.result_type(input, target)
        input, target = input.to(dtype), target.to(dtype)
    return input, target


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(x - y)^2, reduced: (*), (*) -> (), or (*) with reduction='none'.

    Shapes that differ are broadcast, with a warning. `weight` has the shape of input, or ValueError
    is raised; the mean divides by its sum.

    >>> import retrograd as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 3.0]), torch.zeros(2))
    tensor(5.)
    """
    _warn_sizes(input, target)
    reduction, shape = _reduction.resolve(reduction, size_average, reduce), input.shape
    input, target = _alike(input, target)
    if weight is not None:
        return _weighted(torch.pow(input - target, 2), weight, shape, reduction)
    return ops.mse_loss(input, target, _reduction.get_enum(reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """abs(x - y), reduced: (*), (*) -> (), or (*) with reduction='none'.

    Shapes that differ are broadcast, with a warning. The mean with a `weight` divides by its sum.
    Raises RuntimeError where they do not broadcast, ValueError for another reduction.

    >>> import retrograd as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
    tensor(1.)
    """
    _warn_sizes(input, target)
    reduction, shape = _reduction.resolve(reduction, size_average, reduce), input.shape
    if target.shape != shape:
        input, target = torch.broadcast_tensors(input, target)
    difference = torch.abs(input - target)
    if weight is not None:
        return _weighted(difference, weight, shape, reduction)
    return reduced(difference, _reduction.get_enum(reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """0.5 d^2 / beta where d = abs(x - y) < beta, else d - 0.5 beta; reduced.

    (*), (*) -> (), or (*) with reduction='none'. Shapes that differ are broadcast, with a warning.
    Raises RuntimeError for a negative beta.

    >>> import retrograd as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([1., 2.]), torch.tensor([1.5, 4.]))
    tensor(0.8125)
    """
    _warn_sizes(input, target)
    reduction = _reduction.resolve(reduction, size_average, reduce)
    input, target = _alike(input, target)
    check_float("smooth_l1_loss", "beta", 4, beta)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0.0:
        return reduced(torch.abs(input - target), _reduction.get_enum(reduction))
    return ops.smooth_l1_loss(input, target, _reduction.get_enum(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """0.5 d^2 where d = abs(x - y) < delta, else delta (d - 0.5 delta); reduced.

    (*), (*) -> (), or (*) with reduction='none'. Unlike that of mse_loss, the mean with a `weight`
    divides by the number of elements. The result has the dtype of `input`. Raises RuntimeError
    unless delta > 0, and for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([1., 2.]), torch.tensor([1.5, 4.]))
    tensor(0.8125)
    """
    _warn_sizes(input, target)
    check_float("huber_loss", "delta", 4, delta)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    dtype, shape = input.dtype, input.shape
    input, target = _alike(input, target)
    if input.dtype is not dtype:                 # the only loss that keeps its input's
        check_cast(input.dtype.np, dtype.np)
    if weight is not None:
        loss = ops.huber_loss(input, target, 0, delta).to(dtype)
        return reduced(loss * _fitting(weight, shape), _reduction.get_enum(reduction))
    return ops.huber_loss(input, target, _reduction.get_enum(reduction), delta).to(dtype)


def _nll_loss_nd(input, target, weight, reduction, ignore_index):
    """nll_loss with any number of dimensions after the classes."""
    shape, places = input._data.shape, target._data.shape
    n = len(shape)
    if n == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if n == 1 and len(places) == 1 and places[0] != 1:
        raise ValueError("For 1D input, 1D target must have size 1, but got target size: "
                         f"{places[0]}")
    batch = places[0] if places else 0
    if n != 1 and shape[0] != batch:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target "
                         f"batch_size ({batch}).")
    if n in (1, 2):
        return ops.nll_loss(input, target, weight, reduction, ignore_index)
    if n == 4:
        return ops.nll_loss2d(input, target, weight, reduction, ignore_index)
    batch, classes, *space = shape
    if places[1:] != shape[2:]:
        raise RuntimeError(f"Expected target size {[batch, *space]}, got {list(places)}")
    rest = (1, math.prod(space)) if input._data.size > 0 else (0, 0)
    flat = input.contiguous().view(batch, classes, *rest)     # (N, C, d...) -> (N, C, 1, D)
    target = target.contiguous().view(batch, *rest)           # (N, d...) -> (N, 1, D)
    loss = ops.nll_loss2d(flat, target, weight, reduction, ignore_index)
    return loss.view([batch, *space]) if reduction == 0 else loss


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
             reduction="mean"):
    """-weight[y] * x[y] for log-probabilities x (N, C, d...) and classes y (N, d...).

    Args:
        weight: a factor for each class, (C,).
        ignore_index: a class that counts for nothing.

    The mean divides by the sum of the weights of the targets that are not `ignore_index`. Raises
    IndexError for a class out of range, ValueError for batches that differ.

    >>> import retrograd as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """
    reduction = _reduction.resolve(reduction, size_average, reduce)
    if ignore_index.__class__ is not int:
        ignore_index = _whole("nll_loss_nd", ignore_index)
    return _nll_loss_nd(input, target, weight, _reduction.get_enum(reduction), ignore_index)


def _whole(name, ignore_index):
    try:
        return index(ignore_index)
    except TypeError:
        raise must_be("int", name, "ignore_index", 5, ignore_index, handed_on=True) from None


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    """-log softmax(x)[y], that is nll_loss(log_softmax(x), y).

    Args:
        input: scores (N, C, d...) or (C,), any numbers: no softmax before.
        target: classes (N, d...) of int64, or probabilities of input's shape.
        weight: a factor for each class, (C,).
        ignore_index: a class that counts for nothing.
        label_smoothing: the share of each target that is spread evenly over all classes.

    Raises IndexError for a class out of range, ValueError for batches that differ, RuntimeError
    for dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(2, 4), torch.tensor([1, 3]))
    tensor(1.3863)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    if ignore_index.__class__ is not int:
        ignore_index = _whole("cross_entropy_loss", ignore_index)
    if label_smoothing == 0.0 and _is_a_class_each(input, target):
        if weight is not None:
            return ops.nll_loss(ops.log_softmax_dim(input, 1), target, weight, reduction,
                                ignore_index)
        loss = cross_entropy_of_classes(input, target, reduction, ignore_index)
        if loss is None:
            scores = ops.log_softmax_dim(input, 1)                          # (N, C)
            loss = ops.nll_loss_forward(scores, target, None, reduction, ignore_index)[0]
        return loss
    check_float("cross_entropy_loss", "label_smoothing", 6, label_smoothing)
    shape = input.shape
    class_dim = 0 if len(shape) == 1 else 1
    if shape == target.shape:
        if not target.is_floating_point():
            raise RuntimeError("Expected floating point type for target with class probabilities, "
                               f"got {_scalar_type_name(target.dtype)}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _cross_entropy_probabilities(input, target, weight, reduction, class_dim,
                                            label_smoothing)
    scores = input.log_softmax(class_dim)
    if label_smoothing > 0.0:
        return _cross_entropy_smoothed(scores, target, weight, reduction, ignore_index, class_dim,
                                       label_smoothing)
    return _nll_loss_nd(scores, target, weight, reduction, ignore_index)


def _is_a_class_each(input, target):
    """Whether these are scores (N, C) and classes (N) of int64: what needs no further question."""
    shape, classes = input._data.shape, target._data
    return len(shape) == 2 and classes.shape == shape[:1] and classes.dtype is INT64


def _scalar_type_name(dtype):
    names = {"torch.int64": "Long", "torch.int32": "Int", "torch.int16": "Short",
             "torch.int8": "Char", "torch.uint8": "Byte", "torch.bool": "Bool",
             "torch.complex64": "ComplexFloat", "torch.complex128": "ComplexDouble"}
    return names.get(str(dtype), str(dtype))


def _check_smoothing(label_smoothing):
    label_smoothing = number_of(label_smoothing, "label_smoothing")
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError("label_smoothing must be between 0.0 and 1.0. Got: "
                           f"{label_smoothing:g}")


def _class_weight(weight, input, class_dim):
    """`weight` shaped to broadcast along the classes, after a check of its size."""
    classes = input.size(class_dim)
    if weight.dim() != 1 or weight.numel() != classes:
        raise RuntimeError(f"cross_entropy: weight tensor should be defined either for all "
                           f"{classes} classes or no classes but got weight tensor of shape: "
                           f"{list(weight.shape)}")
    if input.dim() == 1:
        return weight
    return weight.view(1, -1, *[1] * (input.dim() - 2))


def _cross_entropy_probabilities(input, target, weight, reduction, class_dim, label_smoothing):
    _check_smoothing(label_smoothing)
    classes = input.size(class_dim)
    scale = None if weight is None else _class_weight(weight, input, class_dim)
    scores = input.log_softmax(class_dim)
    if label_smoothing > 0.0:
        target = target * (1 - label_smoothing) + label_smoothing / (classes or math.nan)
    product = scores * target if scale is None else scores * target * scale
    if reduction == 0:
        return -product.sum(class_dim)
    total = -product.sum()
    if reduction == 2:
        return total
    if input.numel() == 0:
        return total.fill_(math.nan)
    return ops.div_number(total, float(input.numel() // classes))


def _cross_entropy_smoothed(scores, target, weight, reduction, ignore_index, class_dim,
                            label_smoothing):
    _check_smoothing(label_smoothing)
    nll = _nll_loss_nd(scores, target, weight, reduction, ignore_index)
    if weight is None:
        smooth = -scores.sum(class_dim)
    else:
        smooth = -(scores * _class_weight(weight, scores, class_dim)).sum(class_dim)
    ignored = target == ignore_index
    smooth.masked_fill_(ignored, 0.0)
    if reduction == 2:
        smooth = smooth.sum()
    elif reduction == 1 and weight is not None:
        kept = target.masked_select(~ignored).flatten()
        smooth = smooth.sum() / weight.gather(0, kept).sum()
    elif reduction == 1:
        smooth = smooth.sum() / (~ignored).sum()
    classes = scores.size(class_dim)
    return ops.mul_number(nll, 1 - label_smoothing) + ops.mul_number(
        smooth, label_smoothing / classes)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None,
                         reduction="mean"):
    """-(y log x + (1 - y) log(1 - x)) for probabilities x; logs are kept above -100.

    (*), (*) -> (), or (*) with reduction='none'. `weight` is a factor for each element and
    broadcasts. Raises ValueError where sizes differ, RuntimeError for an x outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.]))
    tensor(0.6931)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input "
                         f"size ({input.size()}) is deprecated. Please ensure they have the same "
                         "size.")
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
    try:
        return ops.binary_cross_entropy(input, target, weight, reduction)
    except RuntimeError as error:
        from retrograd.ops.hints import add_to_loss
        add_to_loss(error, binary_cross_entropy, (input, target), {})
        raise


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    """binary_cross_entropy(sigmoid(x), y), computed without overflow.

    (*), (*) -> (), or (*) with reduction='none'. `weight` is a factor for each element,
    `pos_weight` one for the part of y = 1; both broadcast. Raises ValueError where sizes differ.

    >>> import retrograd as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size "
                         f"({input.size()})")
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """y (log y - x), reduced, for log-probabilities x and probabilities y: (*), (*) -> ().

    With `log_target` y is given as its logarithm. 'batchmean' divides the sum by N, which is the
    divergence of a batch, 'mean' by the number of elements; with reduction='none' the result is
    (*). Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.kl_div(torch.tensor([0.5]).log(), torch.tensor([1.]), reduction="sum")
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        number = _reduction.legacy_get_enum(size_average, reduce)
    else:
        if reduction == "mean":
            warn("reduction: 'mean' divides the total loss by both the batch size and "
                 "the support size.'batchmean' divides only by the batch size, and "
                 "aligns with the KL div math definition.'mean' will be changed to "
                 "behave the same as 'batchmean' in the next major release.")
        number = 2 if reduction == "batchmean" else _reduction.get_enum(reduction)
    check_flag("kl_div", "log_target", None, log_target)
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        loss = torch.exp(target) * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    loss = reduced(loss, number)
    if reduction == "batchmean" and input.dim() != 0:
        loss = loss / input.size()[0]
    return loss


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8,
                     reduce=None, reduction="mean"):
    """exp(x) - y x, reduced; without `log_input` x - y log(x + eps).

    (*), (*) -> (), or (*) with reduction='none'. `full` adds y log(y) - y + 0.5 log(2 pi y),
    Stirling's approximation of log(y!), where y > 1. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0.]), torch.tensor([2.]))
    tensor(1.)
    """
    reduction = _reduction.resolve(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    need_tensors("poisson_nll_loss", input, target=target)
    check_flag("poisson_nll_loss", "log_input", 3, log_input)
    check_flag("poisson_nll_loss", "full", 4, full)
    check_float("poisson_nll_loss", "eps", 5, eps)
    if log_input:
        loss = torch.exp(input) - target * input
    else:
        loss = input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, _reduction.get_enum(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """0.5 (log var + (x - y)^2 / var), reduced, with var kept above eps (Nix and Weigend 1994).

    `full` adds 0.5 log(2 pi). input, target (*) and var (*), or (*, 1) for all of the last
    dimension -> (), or (*) with reduction='none'. Raises ValueError for a var below 0 or of another
    size.

    >>> import retrograd as torch
    >>> torch.nn.functional.gaussian_nll_loss(torch.zeros(2), torch.ones(2), torch.ones(2))
    tensor(0.5000)
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    elif torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)      # (...) -> (..., 1)
        elif not (input.ndim == var.ndim
                  and sum(a != b for a, b in zip(input.size(), var.size(), strict=True)) == 1
                  and any(b == 1 for a, b in zip(input.size(), var.size(), strict=True)
                          if a != b)):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return reduced(loss, _reduction.get_enum(reduction))


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
             zero_infinity=False):
    """Connectionist temporal classification (Graves et al. 2006).

    -log of the sum, over all paths that become the target when repeats are merged and blanks
    dropped, of the product of the path's probabilities; without such a path inf, or 0 with
    zero_infinity.

    log_probs (T, N, C) or (T, C), targets (N, S) or concatenated; the mean divides each loss by
    its target's length first. Raises RuntimeError for lengths that do not fit.

    >>> import retrograd as torch
    >>> log_probs = torch.zeros(5, 1, 3).log_softmax(2)
    >>> torch.nn.functional.ctc_loss(log_probs, torch.tensor([[1, 2]]), (5,), (2,))
    tensor(0.9689)
    """
    return ops.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                        _reduction.get_enum(reduction), zero_infinity)
