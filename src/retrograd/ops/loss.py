"""Losses that are one node in PyTorch's graph; others are composed in nn/_functional/loss.py.

`reduction` is a number here: 0 none, 1 mean, 2 sum. For a mean each element's gradient is its
share, g / n (`shared`); without a reduction g has the shape of the losses, and so the formulas are
the same for all three.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from .. import _dtype
from .. import kernels as K
from .._state import features, state
from .._tensor import wrap
from ..autograd.node import history, next_seq
from ..kernels.checks import INT64, all_below
from ..kernels.loss import EXACT
from ..kernels.reduce import F32, F64
from . import nn_samples as S
from .arguments import must_be
from .batching import physical
from .declare import REGISTRY, composite, op
from .declare import F as T
from .dtype_errors import BOOLEAN
from .formulas import both, missing, over, scaled
from .in_place import check_cast
from .mapped import each_slice, is_batched
from .nn_checks import no_gradient
from .public import native, public
from .support import number_of, result_tensor, shape_error


def shared(g, x, reduction):
    """The gradient of each element's loss, of a mean its share."""
    return over(g, math.prod(x.shape)) if reduction == 1 else g


def of_difference(need, gradient):
    """The wanted gradients of x and y by that of x - y; no zero of them is negative."""
    return gradient if need[0] else None, 0 - gradient if need[1] else None


def collected(F, t, reduction):
    """A tangent of each element's loss, reduced as the losses are."""
    if t is None or reduction == 0:
        return t
    return F.mean_all(t) if reduction == 1 else F.sum_all(t)


def pairs(*values):
    return lambda: [(S.normal(2, 3), S.normal(2, 3, seed=1), r, *values) for r in (0, 1, 2)]


def difference_tangent(F, slope, self_t, target_t, reduction):
    return collected(F, both(self_t, scaled(target_t, -1)) * slope, reduction)


# --------------------------------------------------------------------------- of a difference

@composite
def mse_slope(x, y, g):
    """The gradient of (x - y)^2 for x, of Tensors, by that of the loss."""
    return (x - y) * (2 * g)


op("mse_loss(self, target | reduction=1)", "MseLossBackward0", public=False, samples=pairs(),
   self   = lambda F, g, self, target, reduction:
                F.mse_slope(self, target, shared(g, self, reduction)),
   target = lambda F, g, self, target, reduction:
                F.mse_slope(target, self, shared(g, self, reduction)),
   jvp    = lambda F, self, target, self_t, target_t, reduction:
                difference_tangent(F, 2 * (self - target), self_t, target_t, reduction))


@composite
def smooth_slope(d, beta):
    """The derivative of smooth_l1_loss, of Tensors."""
    # the comparison is False for nan, so the slope there is nan / beta
    return T.where(T.abs(d) >= beta, T.sgn(d), d / beta) if beta else T.sgn(d)


@composite
def huber_slope(d, delta):
    """The derivative of huber_loss, of Tensors, whose own is 0 where the line begins."""
    return T.where(T.abs(d) >= delta, T.sgn(d) * delta, d)


op("smooth_l1_loss(self, target | reduction=1, beta=1.0)", "SmoothL1LossBackward0", public=False,
   samples=pairs(0.7),
   joint  = lambda F, g, need, self, target, reduction, beta: of_difference(need,
                shared(g, self, reduction) * F.smooth_slope(self - target, beta)),
   jvp    = lambda F, self, target, self_t, target_t, reduction, beta:
                difference_tangent(F, F.smooth_slope(self - target, beta), self_t, target_t,
                                   reduction))

op("huber_loss(self, target | reduction=1, delta=1.0)", "HuberLossBackward0", public=False,
   samples=pairs(0.7),
   joint  = lambda F, g, need, self, target, reduction, delta: of_difference(need,
                shared(g, self, reduction) * F.huber_slope(self - target, delta)),
   jvp    = lambda F, self, target, self_t, target_t, reduction, delta:
                difference_tangent(F, F.huber_slope(self - target, delta), self_t, target_t,
                                   reduction))

op("soft_margin_loss(self, target | reduction=1)", "SoftMarginLossBackward0", public=False,
   samples=pairs(),
   self = lambda F, g, self, target, reduction:
              shared(g, self, reduction) * -target * F.sigmoid(-target * self),
   jvp  = lambda F, self, target, self_t, target_t, reduction:
              collected(F, self_t * -target * F.sigmoid(-target * self), reduction))

# --------------------------------------------------------------------------- of probabilities


def weighted(losses, weight):
    return losses if weight is None else losses * weight


def on_losses(weight, losses, comes_first=False, dtype=None):
    """The weight in the dtype of `losses`: PyTorch multiplies these in place. Raises for shapes.

    `dtype` is that in which the losses are computed, if it is another.
    """
    if weight is None:
        return None
    if weight.shape != losses.shape:
        try:
            shape = np.broadcast_shapes(weight.shape, losses.shape)
        except ValueError:
            pair = (weight, losses) if comes_first else (losses, weight)
            raise shape_error(*pair) from None
        if shape != losses.shape:
            raise RuntimeError(f"output with shape {list(losses.shape)} doesn't match the "
                               f"broadcast shape {list(shape)}")
    return weight.to(dtype or losses.dtype)


TINY = 1e-12

op("binary_cross_entropy(self, target, weight? | reduction=1)", "BinaryCrossEntropyBackward0",
   public=False,
   samples=lambda: [(1 / (1 + np.exp(-S.normal(2, 3))), 1 / (1 + np.exp(-S.normal(2, 3, seed=1))),
                     None, r) for r in (0, 1, 2)],
   self   = lambda F, g, self, target, weight, reduction:
                weighted(shared(g, self, reduction), weight) * F.entropy_slope(self, target),
   target = lambda F, g, self, weight, reduction:
                weighted(shared(g, self, reduction), weight) * (F.log1p(-self) - F.log(self)),
   jvp    = lambda F, self, target, weight, self_t, target_t, weight_t, reduction:
                collected(F, weighted(both(
                    scaled(self_t, F.entropy_slope(self, target)),
                    scaled(target_t, F.log1p(-self) - F.log(self))), weight), reduction))


@native
def binary_cross_entropy(input, target, weight=None, reduction=1):
    """-(target log input + (1 - target) log(1 - input)), each logarithm at least -100."""
    no_gradient("binary_cross_entropy", weight=weight)
    if target._data.dtype is not input._data.dtype and target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.tensor_name} but expected "
                           f"{input.dtype.tensor_name}")
    return T.binary_cross_entropy(input, target, on_losses(weight, input), reduction)


@native
def soft_margin_loss(input, target, reduction=1):
    """log(1 + exp(-target * input))."""
    no_gradient("soft_margin_loss", target=target)
    have, wanted = input._data.shape, target._data.shape
    if have != wanted:
        K.check_broadcast(have, wanted)
        if np.broadcast_shapes(have, wanted) != have:
            raise RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape "
                               f"{list(np.broadcast_shapes(have, wanted))}")
    if input._data.dtype.kind == "b":
        raise RuntimeError(BOOLEAN["neg"])
    if input._data.dtype.kind in "iu":
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           f"{input.dtype.tensor_name}")
    return T.soft_margin_loss(input, target.to(input.dtype), reduction)


# The derivative of binary cross entropy. PyTorch's second derivative has other denominators.
op("entropy_slope(self, target)", "BinaryCrossEntropyBackwardBackward0", public=False,
   broadcasts=True,
   samples=lambda: [(1 / (1 + np.exp(-S.normal(2, 3))), 1 / (1 + np.exp(-S.normal(2, 3, seed=1))))],
   self   = lambda F, g, self, target: g * entropy_curvature(F, self, target),
   target = lambda F, g, self: -g / no_less(F, (1 - self) * self),
   jvp    = lambda F, self, target, self_t, target_t: both(
                scaled(self_t, entropy_curvature(F, self, target)),
                None if target_t is None else -target_t / no_less(F, (1 - self) * self)))


def entropy_curvature(F, x, target):
    """(x^2 - 2 x t + t) / ((x + e)^2 (1 - x + e)^2), where e is 1e-12."""
    return (x * x - 2 * x * target + target) / ((x + TINY) * (1 - x + TINY)) ** 2


def no_less(F, room):
    """The denominator, at least 1e-12."""
    return F.where(room < TINY, TINY, room)


op("binary_cross_entropy_with_logits_of(self, target, weight?, pos_weight? | reduction)",
   "BinaryCrossEntropyWithLogitsBackward0", public=False,
   samples=lambda: [(S.normal(2, 3), S.normal(2, 3, seed=1), None, np.abs(S.normal(3)), r)
                    for r in (0, 1, 2)],
   self   = lambda F, g, self, target, weight, pos_weight, reduction:
                weighted(shared(as_exact_as(F, self, g), self, reduction), weight)
                * logit_slope(F, self, target, pos_weight),
   target = lambda F, g, self, weight, pos_weight, reduction:
                as_exact_as(F, g, weighted(shared(g, self, reduction), weight)
                            * label_slope(F, self, pos_weight)),
   jvp    = lambda F, self, target, weight, pos_weight, self_t, target_t, weight_t, pos_weight_t,
                   reduction:
                as_exact_as(F, target, collected(F, weighted(both(
                    scaled(self_t, logit_slope(F, self, target, pos_weight)),
                    scaled(target_t, label_slope(F, self, pos_weight))), weight), reduction)))


def as_exact_as(F, like, value):
    """`value` in the dtype of `like`: losses have that of the labels, which logits may exceed."""
    have, wanted = (getattr(a, "_data", a).dtype for a in (value, like))
    return value if have == wanted else F.cast(value, wanted)


def logit_slope(F, x, target, pos_weight):
    if pos_weight is None:
        return F.sigmoid(x) - target
    t = pos_weight * target
    return (t + 1 - target) * F.sigmoid(x) - t


def label_slope(F, x, pos_weight):
    if pos_weight is None:
        return -x
    return F.log_sigmoid(-x) - pos_weight * F.log_sigmoid(x)


@public(method=False)
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """-(y log p + (1 - y) log(1 - p)) with p = sigmoid(input) and y = target, without overflow.

    `weight` multiplies each term, `pos_weight` the first half of it. reduction: 0 none, 1 mean, 2
    sum. nn.functional has names for these. Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2))
    tensor([0.6931, 0.6931])
    """
    no_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if target._data.dtype.kind == "b" and input._data.dtype.kind not in "biu":
        raise RuntimeError(BOOLEAN["sub"])
    check_cast(input._data.dtype, target._data.dtype)
    K.check_broadcast(target._data.shape, input._data.shape)
    if target.dtype is not input.dtype and input.dtype.is_floating_point and (
            _dtype.promote_types(input.dtype, target.dtype) is not input.dtype):
        input = input.to(target.dtype)
    return T.binary_cross_entropy_with_logits_of(
        input, target, on_losses(weight, target, dtype=input.dtype),
        on_losses(pos_weight, target, True, input.dtype), reduction)


# --------------------------------------------------------------------------- of classes

for _name, _grad_fn in (("nll_loss", "NllLossBackward0"), ("nll_loss2d", "NllLoss2DBackward0")):
    op(f"{_name}_forward(self, target, weight? | reduction, ignore_index)", _grad_fn, public=False,
       contiguous=True, outputs=("output", "total_weight"), nondiff=("total_weight",),
       samples=lambda: [(S.normal(4, 3), np.array([0, 2, -1, 1]), np.abs(S.normal(3)), r, -1)
                        for r in (0, 1, 2)],
       self = lambda F, g, self, target, weight, reduction, ignore_index, total_weight:
                  F.nll_loss_backward(g, target, weight, total_weight, self, reduction,
                                      ignore_index),
       jvp  = lambda F, self, target, weight, self_t, target_t, weight_t, reduction, ignore_index:
                  (F.nll_loss_forward(self_t, target, weight, reduction, ignore_index)[0], None))


def cross_entropy_of_classes(input, target, reduction, ignore_index):
    """nll_loss_forward(log_softmax_dim(input, 1), target)[0] and its graph: (N, C), (N) of int64
    -> () or (N). None where the two operators must be called, for unusual tensors or tools."""
    x, flags = input._data, input._flags | target._flags
    if flags > 1 or features.recording or not (x.dtype is F32 or x.dtype is F64):
        return None
    scores, loss, total = K.cross_entropy_of_classes(x, target._data, reduction, ignore_index)
    res = wrap(loss)
    if not flags or features.paused and not state.grad:
        return res
    softmax_node, loss_node = node_classes()
    node, last, cell = softmax_node(), loss_node(), [0, None]
    node.edges = (input._grad_fn or history(input),)
    if input._output_nr:
        node._numbers = (input._output_nr,)
    node._seq = next_seq()
    node._saved, node._saved_dim = (scores, cell, 0), 1
    last.edges, last._seq = (node, None, None), next_seq()
    last._saved = (result_tensor(node, 0, scores, cell), 0, target, target._cell[0], None, 0,
                   total, [0, None], 0)
    last._saved_reduction, last._saved_ignore_index = reduction, ignore_index
    res._flags, res._grad_fn = 1, last
    return res


def gradient_of_scores(loss, softmax, g, edges):
    """What NllLossBackward0 and then LogSoftmaxBackward0 make of `g`, in one pass where each row
    of (N, C) has a class: without an array that is 0 but for N numbers. None elsewhere."""
    saved, made, reduction = loss._saved, softmax._saved, loss._saved_reduction
    if saved and made and reduction and g.__class__ is np.ndarray:
        x, x_version, target, target_version, weight, _, total, cell, version = saved
        y, y_cell, y_version = made
        count = total.item()
        if (count > 0 and weight is None and y.ndim == 2 and softmax._saved_dim == 1
                and (y.dtype is F32 or y.dtype is F64)
                and x._cell[0] == x_version and target._cell[0] == target_version
                and cell[0] == version and y_cell[0] == y_version):
            value = -g.item() if reduction == 2 else -g.item() / count
            ignored = None if count == len(y) < EXACT else loss._saved_ignore_index
            return K.cross_entropy_slopes(y, target._data, value, ignored),
    return None


REGISTRY["nll_loss_forward"].with_input = "LogSoftmaxBackward0", gradient_of_scores


@cache
def node_classes():
    """LogSoftmaxBackward0 and NllLossBackward0, which are made when first asked for."""
    return REGISTRY["log_softmax_dim"].node, REGISTRY["nll_loss_forward"].node


op("nll_loss_backward(grad, target, weight?, total_weight, self | reduction, ignore_index)",
   "NllLossBackwardBackward0", public=False,
   samples=lambda: [(S.normal(4), np.array([0, 2, -1, 1]), np.abs(S.normal(3)), np.array(2.0),
                     S.normal(4, 3), 0, -1)],
   grad = lambda F, g, target, weight, total_weight, reduction, ignore_index:
              F.nll_loss_gather(g, target, weight, total_weight, reduction, ignore_index),
   self = lambda F, g: F.zeros_like(g),
   jvp  = lambda F, grad, target, weight, total_weight, self, grad_t, target_t, weight_t,
                 total_weight_t, self_t, *values:
              None if grad_t is None else
              F.nll_loss_backward(grad_t, target, weight, total_weight, self, *values))

op("nll_loss_gather(self, target, weight?, total_weight | reduction, ignore_index)",
   "NllLossBackward0", public=False,
   samples=lambda: [(S.normal(4, 3), np.array([0, 2, -1, 1]), None, np.array(3.0), 1, -1)],
   self = lambda F, g, self, target, weight, total_weight, reduction, ignore_index:
              F.nll_loss_backward(g, target, weight, total_weight, self, reduction, ignore_index),
   jvp  = lambda F, self, target, weight, total_weight, self_t, target_t, weight_t,
                 total_weight_t, *values:
              F.nll_loss_gather(self_t, target, weight, total_weight, *values))


@native
def nll_loss(input, target, weight=None, reduction=1, ignore_index=-100):
    """-input[target], weighted by class: (N, C) or (C,)."""
    no_gradient("nll_loss_forward", weight=weight)
    return T.nll_loss_forward(*_classes(input, target, weight), reduction, ignore_index)[0]


@native
def nll_loss2d(input, target, weight=None, reduction=1, ignore_index=-100):
    """-input[target], weighted by class: (N, C, H, W)."""
    no_gradient("nll_loss2d_forward", weight=weight)
    if target._data.ndim != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets "
                           f"of dimension: {target._data.ndim}")
    have, want = input._data.shape, target._data.shape
    if have[0] != want[0] or have[2:] != want[1:]:
        raise RuntimeError(f"size mismatch (got input: {list(have)} , target: {list(want)}")
    return T.nll_loss2d_forward(*_classes(input, target, weight), reduction, ignore_index)[0]


def _classes(input, target, weight):
    """The arguments of nll_loss, checked; the target of an input without a batch is a number."""
    shape = input._data.shape
    classes = shape[-1 if len(shape) == 1 else 1]
    if len(shape) <= 2:
        if target._data.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        batch = shape[:1] if len(shape) == 2 else ()
        if batch and target._data.shape != batch:
            raise RuntimeError(f"size mismatch (got input: {list(shape)}, target: "
                               f"{list(target._data.shape)})")
    if weight is not None and weight._data.shape != (classes,):
        if len(shape) > 2:
            raise RuntimeError("weight tensor should be defined either for all or no classes")
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or "
                           f"no classes but got weight tensor of shape: "
                           f"{list(weight._data.shape)}")
    if target._data.dtype not in (INT64, np.uint8):
        raise RuntimeError("expected target dtype to be Long or Byte, but got "
                           f"{_dtype.of(target._data).tensor_name}")
    if weight is not None and weight._data.dtype != input._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.tensor_name} but found "
                           f"{weight.dtype.tensor_name}")
    if len(shape) == 1 and target._data.ndim == 1 and target._data.size == 1:
        target = T.view(target, ())
    return input, target, weight


# --------------------------------------------------------------------------- margins

op("multi_margin_loss_of(self, target, weight? | p, margin, reduction)",
   "MultiMarginLossBackward0", public=False,
   samples=lambda: [(S.normal(3, 4), np.array([0, 3, 1]), None, p, 1.0, 1) for p in (1, 2)],
   self = lambda F, g, self, target, weight, p, margin, reduction:
              F.multi_margin_loss_backward(g, self, target, weight, p, margin, reduction))

op("multi_margin_loss_backward(grad, self, target, weight? | p, margin, reduction)",
   "NotImplemented", public=False,
   samples=lambda: [(np.array(1.5), S.normal(3, 4), np.array([0, 3, 1]), None, 1, 1.0, 1)],
   **dict.fromkeys(("grad", "self"), missing("multi_margin_loss_backward")))


@native
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction=1):
    """The mean over classes of max(0, margin - x[target] + x[j])^p."""
    no_gradient("multi_margin_loss", weight=weight)
    margin = number_of(margin, "margin")
    if p not in (1, 2):
        raise RuntimeError("only p == 1 and p == 2 supported")
    shape = input._data.shape
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, "
                           f"but got: {list(shape)}")
    rows, have = shape[0] if len(shape) == 2 else 1, list(target._data.shape)
    if len(have) > 1 or target._data.size != rows:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the "
                           f"number of input samples (batch size). Expected target size [{rows}], "
                           f"but got {have}. Input has shape {list(shape)}.")
    classes = shape[-1] if shape else 1
    if weight is not None and weight._data.shape != (classes,):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got "
                           f"{list(weight._data.shape)}")
    _check_long(target)
    if weight is not None and weight._data.dtype != input._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.tensor_name} but found "
                           f"{weight.dtype.tensor_name}")
    return T.multi_margin_loss_of(input, target, weight, p, margin, reduction)


def _check_long(target):
    if target._data.dtype != np.int64:
        raise RuntimeError("expected scalar type Long but found "
                           f"{_dtype.of(target._data).tensor_name}")


op("multilabel_margin_loss_forward(self, target | reduction)", "MultilabelMarginLossBackward0",
   public=False, outputs=("output", "is_target"), nondiff=("is_target",),
   samples=lambda: [(S.normal(2, 4), np.array([[3, 0, -1, 1], [1, -1, 0, 0]]), r)
                    for r in (0, 1, 2)],
   self = lambda F, g, self, target, reduction:
              F.multilabel_margin_loss_backward(g, self, target, reduction))

op("multilabel_margin_loss_backward(grad, self, target | reduction)",
   "NotImplemented", public=False,
   samples=lambda: [(np.array(1.5), S.normal(1, 4), np.array([[3, 0, -1, 1]]), 1)],
   **dict.fromkeys(("grad", "self"), missing("multilabel_margin_loss_backward")))


@native
def multilabel_margin_loss(input, target, reduction=1):
    """The mean over classes of max(0, 1 - (x[target] - x[j])), targets up to the first -1."""
    shape = list(input._data.shape)
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, "
                           f"but got: {shape}")
    if input._data.shape != target._data.shape:
        raise RuntimeError(f"inconsistent target size: {list(target._data.shape)} for input of "
                           f"size: {list(input._data.shape)}")
    _check_long(target)
    labels = physical(target)._data
    if not all_below(labels + 1, 1 + (shape[-1] if shape else 1)):           # -1 ends a row
        raise RuntimeError("argument #2 'target' is out of range")
    return T.multilabel_margin_loss_forward(input, target, reduction)[0]


# --------------------------------------------------------------------------- sequences

# The gradient is that of scores before their log_softmax, as PyTorch has it.
op("ctc_loss_forward(log_probs, targets | input_lengths, target_lengths, blank, zero_infinity)",
   "CtcLossBackward0", public=False, outputs=("result0", "result1"), nondiff=("result1",),
   samples=lambda: [(S.normal(5, 2, 4), np.array([[1, 2], [3, 3]]), (5, 4), (2, 2), 0, zero)
                    for zero in (False, True)],
   smooth=lambda F, log_probs, targets, *how:
              F.ctc_loss_forward(F.log_softmax_dim(log_probs, 2), targets, *how),
   log_probs = lambda F, g, log_probs, targets, input_lengths, target_lengths, result0, result1,
                      blank, zero_infinity:
                   F.ctc_loss_backward(g, log_probs, targets, result0, result1, input_lengths,
                                       target_lengths, blank, zero_infinity))

op("ctc_loss_backward(grad, log_probs, targets, losses, alpha | input_lengths, target_lengths, "
   "blank, zero_infinity)", "CtcLossBackwardBackward0", public=False,
   samples=lambda: [(np.ones(1), -np.abs(S.normal(3, 1, 2)), np.array([[1]]), np.ones(1),
                     -np.abs(S.normal(1, 3, 3)), (3,), (1,), 0, False)],
   **dict.fromkeys(("grad", "log_probs"), missing("_ctc_loss_backward")))


def _lengths(lengths, name):
    if hasattr(lengths, "_data") and lengths._data.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    values = lengths._data.tolist() if hasattr(lengths, "_data") else list(lengths)
    if isinstance(values, list) and any(isinstance(v, (str, float)) for v in values):
        raise must_be("tuple of ints", "ctc_loss", name, None, lengths)
    return tuple(int(v) for v in (values if isinstance(values, list) else [values]))


@public(method=False)
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0,
             zero_infinity=False):
    """-log of the probability of the targets under all alignments (Graves et al. 2006).

    log_probs is (T, N, C) or (T, C); targets (N, S), or all of them in one row. The mean divides
    each loss by its target's length. reduction: 0 none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> log_probs = torch.full((2, 1, 2), 0.5).log()     # two steps; blank or the letter 1
    >>> targets = torch.tensor([[1]])
    >>> torch.ctc_loss(log_probs, targets, [2], [1]).exp()  # 1 / (3/4): only "blank, blank" fails
    tensor([1.3333])
    """
    if is_batched(input_lengths, target_lengths):
        return each_slice(ctc_loss, log_probs, targets, input_lengths, target_lengths, blank,
                          reduction, zero_infinity)
    inputs, lengths = (
        _lengths(input_lengths, "input_lengths"), _lengths(target_lengths, "target_lengths"))
    batched = log_probs._data.ndim == 3
    if not batched:
        log_probs = T.unsqueeze(log_probs, 1)
        targets = T.unsqueeze(targets, 0) if targets._data.ndim == 1 else targets
    check_ctc(log_probs._data, targets._data, inputs, lengths, blank)
    losses = T.ctc_loss_forward(log_probs, targets, inputs, lengths, blank, zero_infinity)[0]
    if zero_infinity:
        losses = T.where(losses == np.inf, 0.0, losses)
    if reduction == 0:
        return losses if batched else T.squeeze_dim(losses, 0)
    if reduction == 2:
        return T.sum_all(losses)
    sizes = np.maximum(np.asarray(lengths), 1).astype(losses._data.dtype)
    return T.mean_all(losses / wrap(sizes))


def check_ctc(log_probs, targets, inputs, lengths, blank):
    """Raise what PyTorch raises for lengths that do not fit."""
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    if not log_probs.size:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.ndim != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional "
                           f"tensor for argument #1 'log_probs' {where}")
    if targets.ndim not in (1, 2):
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor "
                           f"for argument #2 'targets' {where}")
    steps, n, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, values in (("input_lengths", inputs), ("target_lengths", lengths)):
        if len(values) != n:
            raise RuntimeError(f"{name} must be of size batch_size")
    for name, values in (("target_lengths", lengths), ("input_lengths", inputs)):
        if any(v < 0 for v in values):
            wrong = next(v for v in values if v < 0)
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {wrong} "
                               f"{where}")
    if any(t > steps for t in inputs):
        wrong = next(t for t in inputs if t > steps)
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value "
                           f"{wrong} {where}")
    if targets.ndim == 1 and targets.size != sum(lengths):
        raise RuntimeError(f"Expected tensor to have size {sum(lengths)} at dimension 0, but got "
                           f"size {targets.size} for argument #2 'targets' {where}")
    if targets.ndim == 2 and targets.shape[1] < max(lengths, default=0):
        raise RuntimeError(f"Expected tensor to have size at least {max(lengths)} at dimension 1, "
                           f"but got size {targets.shape[1]} for argument #2 'targets' {where}")
