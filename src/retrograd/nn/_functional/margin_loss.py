"""Losses of labels 1 and -1, with a margin, and of triplets; the others are in loss.py."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn import _reduction
from retrograd.nn._functional._operators import ops
from retrograd.nn._functional.distance import pairwise_distance
from retrograd.nn._functional.loss import check_flag, check_float, reduced
from retrograd.ops.support import need_tensors, number_of


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None,
                         reduction="mean"):
    """x where y = 1, max(0, margin - x) where y = -1: (*), (*) -> (), or (*) with reduction='none'.

    x and y broadcast; RuntimeError where they cannot.

    >>> import retrograd as torch
    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.25]), torch.tensor([-1]))
    tensor(0.7500)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    need_tensors("hinge_embedding_loss", input, target=target)
    check_float("hinge_embedding_loss", "margin", 3, margin)
    zeros = torch.zeros_like(input)
    away = (torch.full_like(input, margin) - input).clamp_min_(0)
    return reduced(torch.where(target != 1, away, zeros)
                   + torch.where(target != -1, input, zeros), reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                        reduction="mean"):
    """max(0, -y (x1 - x2) + margin): y is 1 where x1 is to be the larger, -1 where x2 is.

    Three tensors of one number of dimensions, which broadcast, -> (), or with reduction='none'
    their shape. Raises RuntimeError for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.margin_ranking_loss(torch.zeros(1), torch.ones(1), torch.ones(1))
    tensor(1.)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but "
                           f"got sizes: input1: {input1.size()}, input2: {input2.size()}, "
                           f"target: {target.size()} ")
    check_float("margin_ranking_loss", "margin", 4, margin)
    margin = float(number_of(margin, "margin"))
    return reduced((-target * (input1 - input2) + margin).clamp_min_(0), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-y x)), y being 1 or -1: (*), (*) -> (), or (*) with reduction='none'.

    Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    return ops.soft_margin_loss(input, target, reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """sum over targets y and other classes i of max(0, 1 - (x[y] - x[i])) / C, reduced.

    (N, C) and int64 (N, C), classes up to the first -1 -> (), or (N,) with reduction='none'. The
    batch is optional. Raises RuntimeError for other sizes or dtypes.

    >>> import retrograd as torch
    >>> torch.nn.functional.multilabel_margin_loss(torch.tensor([0.1, 0.2]), torch.tensor([1, -1]))
    tensor(0.4500)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    return ops.multilabel_margin_loss(input, target, reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None,
                                reduction="mean"):
    """The mean over classes of -(y log sigmoid(x) + (1 - y) log sigmoid(-x)), reduced.

    (N, C), (N, C) -> (), or (N,) with reduction='none'. `weight` (C) multiplies the classes. Raises
    RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """
    reduction = _reduction.resolve(reduction, size_average, reduce)
    logsigmoid = ops.log_sigmoid
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    class_dim = input.dim() - 1
    loss = loss.sum(dim=class_dim) / input.size(class_dim)    # (N, C) -> (N,)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return reduced(loss, _reduction.get_enum(reduction))


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                      reduction="mean"):
    """sum over classes i != y of weight[y] max(0, margin - x[y] + x[i])^p / C.

    (N, C), (N,) of int64 -> (), or (N,) with reduction='none'; p is 1 or 2. Raises ValueError for
    another p, RuntimeError for a class out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[0., 0.]]), torch.tensor([1]))
    tensor(0.5000)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return ops.multi_margin_loss(input, target, p, margin, weight, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                          reduction="mean"):
    """1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1.

    (N, D), (N, D), (N,) -> (), or (N,) with reduction='none'. The batch is optional. Raises
    RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> x = torch.ones(1, 2)
    >>> torch.nn.functional.cosine_embedding_loss(x, -x, torch.tensor([1]))
    tensor(2.)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    check_float("cosine_embedding_loss", "margin", 4, margin)
    _check_cosine_shapes(input1, input2, target)
    dim = target.dim()
    eps = 1e-12
    product = (input1 * input2).sum(dim)
    square1, square2 = (input1 * input1).sum(dim) + eps, (input2 * input2).sum(dim) + eps
    cosine = product / (square1 * square2).sqrt()
    zeros = torch.zeros_like(cosine)
    near = torch.where(target == 1, 1 - cosine, zeros)
    away = torch.where(target == -1, (cosine - margin).clamp_min_(0), zeros)
    return reduced(near + away, reduction)


def _check_cosine_shapes(input1, input2, target):
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    sizes = [list(t.shape) for t in (target, input1, input2)]
    if target.dim() == 1:
        if input1.dim() != 2 or input2.dim() != 2:
            raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs with "
                               "sizes {1} and {2}.".format(*sizes))
    elif input1.dim() != 1 or input2.dim() != 1:
        raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with "
                           "sizes {1} and {2}.".format(*sizes))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
                        size_average=None, reduce=None, reduction="mean"):
    """max(0, d(a, p) - d(a, n) + margin) with d the p-norm distance (Balntas et al. 2016).

    Three tensors (N, D) -> (), or (N,) with reduction='none'. With `swap` d(p, n) stands for
    d(a, n) where it is smaller. Raises ValueError unless margin > 0, RuntimeError for sizes that do
    not fit.

    >>> import retrograd as torch
    >>> x = torch.zeros(1, 2)
    >>> torch.nn.functional.triplet_margin_loss(x, x + 3, x + 4)
    tensor(0.)
    """
    reduction = _reduction.get_enum(_reduction.resolve(reduction, size_average, reduce))
    _check_triplet(margin, anchor, positive, negative)
    check_float("triplet_margin_loss", "p", 5, p)
    check_float("triplet_margin_loss", "eps", 6, eps)
    check_flag("triplet_margin_loss", "swap", 7, swap)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.min(far, pairwise_distance(positive, negative, p, eps))
    return reduced(torch.clamp_min(margin + near - far, 0), reduction)


def _check_triplet(margin, anchor, positive, negative):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and "
            f"negative {negative.ndim}D inputs")


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None,
                                      margin=1.0, swap=False, reduction="mean"):
    """max(0, d(a, p) - d(a, n) + margin), reduced, for any `distance_function` d.

    By default d is pairwise_distance. With `swap` d(p, n) stands for d(a, n) where it is smaller.
    Raises ValueError unless margin > 0. Three tensors (N, D) -> (), or what the distance gives with
    reduction='none'.

    >>> import retrograd as torch
    >>> a, b = torch.zeros(1, 2), torch.ones(1, 2)
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, a, b)
    tensor(0.)
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    _check_triplet(margin, anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return reduced(torch.clamp_min(margin + near - far, 0), _reduction.get_enum(reduction))
