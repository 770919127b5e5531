"""Loss layers; each applies the function of the same name in nn.functional.

`reduction` is 'mean', 'sum' or 'none'; `size_average` and `reduce` are its old form.
"""
from __future__ import annotations

import math

from retrograd.nn import _reduction as _Reduction
from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules.distance import PairwiseDistance
from retrograd.nn.modules.linear import Linear
from retrograd.nn.modules.module import Module

__all__ = [
    "L1Loss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "GaussianNLLLoss", "KLDivLoss", "MSELoss",
    "BCELoss", "BCEWithLogitsLoss", "HingeEmbeddingLoss", "MultiLabelMarginLoss", "SmoothL1Loss",
    "HuberLoss", "SoftMarginLoss", "CrossEntropyLoss", "LinearCrossEntropyLoss",
    "MultiLabelSoftMarginLoss",
    "CosineEmbeddingLoss", "MarginRankingLoss", "MultiMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss", "CTCLoss",
]

__getattr__ = borrows(__name__)


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = _Reduction.resolve(reduction, size_average, reduce)


class _WeightedLoss(_Loss):
    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """abs(x - y).

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
    tensor(1.)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """-weight[y] * x[y] of log-probabilities (N, C, d...) and classes (N, d...).

    Arguments: see nn.functional.nll_loss. Raises IndexError for a class out of range, ValueError
    for batches of different sizes.

    >>> import retrograd as torch
    >>> torch.nn.NLLLoss()(torch.tensor([[-1., -2.]]), torch.tensor([1]))
    tensor(2.)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None,
                 reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index,
                          reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss on images."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None,
                 reduction="mean"):
        import warnings

        warnings.warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
                      "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss "
                      "for more details.", FutureWarning, stacklevel=2)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class PoissonNLLLoss(_Loss):
    """exp(x) - y x, or x - y log(x + eps) where log_input is False.

    (*), (*) -> (), or (*) with reduction='none'. `full` adds Stirling's approximation of log(y!).
    Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.PoissonNLLLoss()(torch.tensor([0.]), torch.tensor([2.]))
    tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                 reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input, target):
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full,
                                  eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """0.5 (log var + (x - y)^2 / var), var kept above eps.

    x, y (N, *), var (N, *) or one number for each row, (N, 1) -> (), or (N, *)
    with reduction='none'. Raises ValueError for a negative var.

    `full` adds the constant 0.5 log(2 pi).

    >>> import retrograd as torch
    >>> torch.nn.GaussianNLLLoss()(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
    tensor(2.)
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input, target, var):
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps,
                                   reduction=self.reduction)


class KLDivLoss(_Loss):
    """y (log y - x) of log-probabilities x; reduction 'batchmean' divides by the batch size.

    (*), (*) -> (), or (*) with reduction='none'.

    With `log_target` y is given as its logarithm. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.KLDivLoss(reduction="sum")(torch.tensor([0.5]).log(), torch.tensor([1.]))
    tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """(x - y)^2, reduced: see nn.functional.mse_loss.

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.MSELoss()(torch.tensor([2.0]), torch.tensor([0.0]))
    tensor(4.)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """-(y log x + (1 - y) log(1 - x)) of probabilities x: see nn.functional.binary_cross_entropy.

    (*), (*) -> (), or (*) with reduction='none'. Raises ValueError where sizes differ,
    RuntimeError for an x outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.BCELoss()(torch.tensor([0.5]), torch.tensor([1.]))
    tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """-(pos_weight y log s(x) + (1 - y) log(1 - s(x))), s the sigmoid, without overflow.

    (*), (*) -> (), or (*) with reduction='none'. Raises ValueError where sizes differ.

    x are scores, any numbers: no sigmoid before. Arguments: see
    nn.functional.binary_cross_entropy_with_logits.

    >>> import retrograd as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean",
                 pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, self.weight,
                                                  pos_weight=self.pos_weight,
                                                  reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """x where y = 1, max(0, margin - x) where y = -1.

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([0.25]), torch.tensor([-1]))
    tensor(0.7500)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """max(0, 1 - (x[y] - x[i])) over targets y and other classes i, divided by C.

    (N, C) and as many classes (N, C), of which those before the first -1 count -> (), or (N,) with
    reduction='none'. Raises RuntimeError for other sizes or dtypes.

    >>> import retrograd as torch
    >>> torch.nn.MultiLabelMarginLoss()(torch.zeros(1, 2), torch.tensor([[1, -1]]))
    tensor(0.5000)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """0.5 d^2 / beta where d = abs(x - y) < beta, else d - 0.5 beta.

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError for a beta below 0, and for
    shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.SmoothL1Loss()(torch.tensor([1., 2.]), torch.tensor([1.5, 4.]))
    tensor(0.8125)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """0.5 d^2 where d = abs(x - y) < delta, else delta (d - 0.5 delta).

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError unless delta > 0, and for
    shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.HuberLoss()(torch.tensor([1., 2.]), torch.tensor([1.5, 4.]))
    tensor(0.8125)
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-y x)).

    (*), (*) -> (), or (*) with reduction='none'. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.SoftMarginLoss()(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """NLLLoss of log_softmax(x): scores (N, C, d...) and classes (N, d...) or probabilities.

    The scores are any numbers: no softmax before. Arguments: see nn.functional.cross_entropy.
    Raises IndexError for a class out of range, ValueError for batches of different sizes.

    >>> import retrograd as torch
    >>> torch.nn.CrossEntropyLoss()(torch.zeros(1, 2), torch.tensor([0]))
    tensor(0.6931)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None,
                 reduction="mean", label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)


class LinearCrossEntropyLoss(_WeightedLoss):
    """CrossEntropyLoss of a Linear of its own: features (N, in) and classes (N, d...).

    `out_features` are further dimensions d... that each class has scores for. Raises RuntimeError
    for sizes that do not fit, IndexError for a class out of range.

    >>> import retrograd as torch
    >>> torch.nn.LinearCrossEntropyLoss(3, 2)(torch.zeros(1, 3), torch.tensor([1])).shape
    torch.Size([])
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(self, in_features, num_classes, *, out_features=(), bias=False, device=None,
                 dtype=None, reduction="mean", weight=None, ignore_index=None,
                 label_smoothing=0.0, options=None):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got "
                               f"{tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1.0:
            raise RuntimeError("expected label_smoothing to be in range [0, 1], got "
                               f"{label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input, target):
        rows = (self.num_classes, *self.out_features)
        weight, bias = self.linear.weight, self.linear.bias
        return F.linear_cross_entropy(
            input, weight.reshape(*rows, self.linear.in_features), target,
            linear_bias=None if bias is None else bias.reshape(rows), weight=self.weight,
            reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self):
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
                f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
                f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
                f"label_smoothing={self.label_smoothing}, options={self.options}")


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of -(y log sigmoid(x) + (1 - y) log sigmoid(-x)).

    (N, C), (N, C) -> (), or (N,) with reduction='none'. `weight` (C) multiplies the classes. Raises
    RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight,
                                             reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1.

    x1, x2 (N, D), y (N,) -> (), or (N,) with reduction='none'. Raises RuntimeError for sizes that
    do not fit.

    >>> import retrograd as torch
    >>> x = torch.ones(1, 2)
    >>> torch.nn.CosineEmbeddingLoss()(x, -x, torch.tensor([1]))
    tensor(2.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin,
                                       reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -y (x1 - x2) + margin).

    x1, x2, y (N,) -> (), or (N,) with reduction='none'. Raises RuntimeError for shapes that do not
    broadcast.

    >>> import retrograd as torch
    >>> torch.nn.MarginRankingLoss()(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1]))
    tensor(2.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin,
                                     reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """max(0, margin - x[y] + x[i])^p over classes i != y, divided by C.

    Scores (N, C), classes y (N,) -> (), or (N,) with reduction='none'.

    p is 1 or 2 (else ValueError); `weight` has a factor for each class, (C,).

    >>> import retrograd as torch
    >>> torch.nn.MultiMarginLoss()(torch.tensor([[0., 0.]]), torch.tensor([1]))
    tensor(0.5000)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                 reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError("weight must be None or 1-dimensional, got "
                             f"{weight.dim()}-dimensional tensor")
        self.p = p
        self.margin = margin

    def forward(self, input, target):
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin,
                                   weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm distance.

    Three tensors (N, D) -> (), or (N,) with reduction='none'.

    With `swap` d(positive, negative) stands for d(anchor, negative) where it is smaller. eps is
    added to differences, so that a distance of 0 has a gradient. Raises ValueError unless margin >
    0, RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> x = torch.zeros(1, 2)
    >>> torch.nn.TripletMarginLoss()(x, x + 3, x + 4)
    tensor(0.)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None,
                 reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p,
                                     eps=self.eps, swap=self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with any distance function.

    Three tensors (N, D) -> (), or what the distance gives with reduction='none'. Raises
    RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> x = torch.zeros(1, 2)
    >>> torch.nn.TripletMarginWithDistanceLoss()(x, x + 3, x + 4)
    tensor(0.)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError("TripletMarginWithDistanceLoss: expected margin to be greater than 0, "
                             f"got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None \
            else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction)


class CTCLoss(_Loss):
    """Connectionist temporal classification (Graves et al. 2006).

    -log of the sum, over all paths that become the target when repeats are merged and blanks
    dropped, of the product of the path's probabilities; without such a path inf, or 0 with
    zero_infinity.

    log_probs (T, N, C), targets (N, S) or concatenated, two lengths (N,) each -> (), or (N,) with
    reduction='none'. The mean divides each loss by its target's length first. Raises RuntimeError
    for lengths that do not fit.

    >>> import retrograd as torch
    >>> log_probs = torch.zeros(5, 1, 3).log_softmax(2)
    >>> torch.nn.CTCLoss()(log_probs, torch.tensor([[1, 2]]), (5,), (2,))
    tensor(0.9689)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank,
                          self.reduction, self.zero_infinity)
