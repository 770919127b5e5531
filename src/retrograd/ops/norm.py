"""Normalisations: layer_norm, group_norm, batch_norm, weight_norm.

The first three are one idea, n = (x - mean(x)) * rstd with rstd = 1 / sqrt(var(x) + eps), then
weight * n + bias; they differ in the dimensions that mean and variance are taken over. As these
move with x, the gradient of x is rstd * (h - mean(h) - n * mean(h n)), h = weight * g. The backward
functions here are for Tensors, composed of that; those of `kernels/`, for arrays, are fused.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import _dtype
from .._state import state
from .._tensor import WRAPPER, wrap
from .._warnings import warn_once
from ..autograd.grad_mode import no_grad
from ..kernels.checks import no_dim
from ..kernels.half import refuse
from . import nn_samples as S
from .declare import F as T
from .declare import composite, op
from .formulas import both, in_single, scaled
from .mistyped import of_call
from .nn_checks import check_kinds, cpp_name, no_gradient
from .public import public
from .support import number_of

# --------------------------------------------------------------------------- layer norm

op("native_layer_norm_of(input, weight?, bias? | normalized_shape, eps)",
   "NativeLayerNormBackward0", public=False, outputs=("result0", "result1", "result2"),
   nondiff=("result1", "result2"),
   samples=lambda: [(S.normal(2, 3, 4), S.normal(4, seed=1), S.normal(4, seed=2), (4,), 1e-5),
                    (S.normal(2, 3, 4), None, None, (3, 4), 1e-5)],
   joint=lambda F, g, need, input, weight, bias, normalized_shape, result1, result2:
             F.native_layer_norm_backward(g, input, normalized_shape, result1, result2, weight,
                                          bias, need),
   jvp=lambda F, input, weight, bias, input_t, weight_t, bias_t, shape, eps:
           layer_norm_tangent(F, input, weight, input_t, weight_t, bias_t, shape, eps))


def standardized_tangent(F, x, t, axes, eps):
    """(normal, its tangent) for normal = (x - mean) * rstd along axes, rstd = 1 / sqrt(var + eps).

    Mean and rstd move with x too: rstd * (t - mean(t) - normal * mean(t * normal)). The map is
    symmetric, so that gradients go the same way: along_rows().
    """
    normal, rstd = standardized(F, x, axes, eps)
    if t is None:
        return normal, None
    t = t - F.mean_dim(t, axes, True)
    return normal, rstd * (t - normal * F.mean_dim(t * normal, axes, True))


def layer_norm_tangent(F, x, weight, x_t, weight_t, bias_t, shape, eps):
    """How normal * weight + bias moves; the statistics have no tangent."""
    axes = tuple(range(len(x.shape) - len(shape), len(x.shape)))
    normal, t = standardized_tangent(F, x, x_t, axes, eps)
    if weight is not None:
        t = both(scaled(t, weight), scaled(weight_t, normal))
    t = both(t, bias_t)
    return both(t, normal * 0), None, None


@composite
@in_single
def native_layer_norm_backward(g, x, normalized_shape, mean, rstd, weight, bias, mask):
    """The gradients of layer_norm, of Tensors."""
    lead = x._data.ndim - len(normalized_shape)
    axes, outer = tuple(range(lead, x._data.ndim)), tuple(range(lead))
    gx = T.standardize_backward(g if weight is None else g * weight, x, mean, rstd, axes)
    gw = gb = None
    if mask[1] and weight is not None:
        normal, _ = T.restandardized(x, mean, rstd, axes)
        gw = T.sum_to(g * normal, tuple(weight._data.shape)) if outer else g * normal
    if mask[2] and bias is not None:
        gb = T.sum_to(g, tuple(bias._data.shape)) if outer else g
    return (gx if mask[0] else None), gw, gb


def standardized(F, x, axes, eps):
    """((x - mean) * rstd, rstd), rstd = 1 / sqrt(var + eps), along axes."""
    centered = x - F.mean_dim(x, axes, True)
    rstd = F.rsqrt(F.mean_dim(centered * centered, axes, True) + eps)
    return centered * rstd, rstd


# The statistics come with self, to save time; its own gradient is that of a function of self alone.
for _name, _grad_fn in (("standardize_backward", "NativeLayerNormBackwardBackward0"),
                        ("standardize_channels_backward", "NativeBatchNormBackwardBackward0")):
    op(f"{_name}(grad_output, self, mean, rstd | dim)", _grad_fn, public=False,
       kernel="standardize_backward", samples=S.standardized,
       smooth=lambda F, grad_output, self, mean, rstd, dim: along_rows(
           F, grad_output, *standardized(F, self, dim, S.EPS), dim),
       grad_output = lambda F, g, self, mean, rstd, dim:
                         F.standardize_backward(g, self, mean, rstd, dim),
       self        = lambda F, g, grad_output, self, mean, rstd, dim: curvature(
                         F, g, grad_output, *F.restandardized(self, mean, rstd, dim), dim),
       jvp = lambda F, grad_output, self, mean, rstd, grad_output_t, self_t, mean_t, rstd_t, dim:
                 both(None if grad_output_t is None else
                      F.standardize_backward(grad_output_t, self, mean, rstd, dim),
                      None if self_t is None else curvature(
                          F, self_t, grad_output, *F.restandardized(self, mean, rstd, dim), dim)))


def along_rows(F, g, normal, rstd, axes):
    """The gradient of x, given that of normal = (x - mean) * rstd: see standardized_tangent()."""
    return rstd * (g - F.mean_dim(g, axes, True) - normal * F.mean_dim(g * normal, axes, True))


def curvature(F, t, g, normal, rstd, axes):
    """How along_rows() of g changes with x, times t. The map of t is symmetric.

    With m the mean and p(v) = v - m(v) - normal m(v normal), of which along_rows() is rstd p(g):
    -rstd^2 (normal m(p(g) t) + m(t normal) p(g) + m(g normal) p(t)).
    """
    def mean(v):
        return F.mean_dim(v, axes, True)
    of_g, of_t = mean(g * normal), mean(t * normal)
    g, change = g - mean(g) - normal * of_g, t - mean(t) - normal * of_t
    return -rstd * rstd * (normal * mean(g * t) + of_t * g + of_g * change)


@composite
def restandardized(x, mean, rstd, axes):
    """((x - mean) * rstd, rstd), of Tensors functions of x; eps is recovered from rstd's values."""
    centered = x - T.mean_dim(x, axes, True)
    var = T.mean_dim(centered * centered, axes, True)
    slope = T.rsqrt(var + recovered_eps(rstd, var))
    return centered * slope, slope


def recovered_eps(rstd, var):
    """1 / rstd^2 - var, as constants."""
    if var._flags & WRAPPER:                                    # it has no numbers to look at
        with no_grad():
            return 1 / T.square(T.reshape(rstd, var._data.shape)) - var
    return wrap(1 / np.square(rstd._data.reshape(var._data.shape)) - var._data)


def epsilon(eps):
    """eps as a number; TypeError for what is none."""
    if eps is None or isinstance(eps, complex):
        raise of_call(TypeError(f"argument 'eps' must be float, not {type(eps).__name__}"))
    return number_of(eps, "eps")


@public(method=False)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """(layer_norm(input), mean, 1 / sqrt(var + eps)) over the last dimensions, normalized_shape.

    The statistics have the shape of input with ones in these dimensions. Raises RuntimeError for
    sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.native_layer_norm(torch.tensor([1., 3.]), [2], None, None, 0.0)
    (tensor([-1.,  1.]), tensor([2.]), tensor([1.]))
    """
    shape = tuple(normalized_shape)
    check_layer_norm(input, shape, weight, bias)
    check_kinds(input, weight, bias)
    return T.native_layer_norm_of(input, weight, bias, shape,
                                  eps if eps.__class__ is float else epsilon(eps))


@public(method=False)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016).

    The result has the shape of input; weight and bias have the shape normalized_shape. Raises
    RuntimeError when normalized_shape is not the end of the input's shape.

    >>> import retrograd as torch
    >>> torch.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


def check_layer_norm(input, shape, weight, bias, before="[*, "):
    check_normalized(input._data.shape, shape, None if weight is None else weight._data.shape,
                     None if bias is None else bias._data.shape, before)


@lru_cache(256)
def check_normalized(have, shape, weight, bias, before):
    """RuntimeError for shapes that do not fit."""
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., "
                           "containing at least one element, but got normalized_shape = []")
    for name, found in (("weight", weight), ("bias", bias)):
        if found is not None and found != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got "
                               f"{name} of shape {list(found)} and normalized_shape = "
                               f"{list(shape)}")
    if have[len(have) - len(shape):] != shape or len(have) < len(shape):
        expected = before + ", ".join(map(str, shape))
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"{expected}], but got input of size{list(have)}")


# --------------------------------------------------------------------------- group norm

op("native_group_norm_of(input, weight?, bias? | N, C, HxW, group, eps)",
   "NativeGroupNormBackward0", public=False, outputs=("result0", "result1", "result2"),
   samples=lambda: [(S.normal(2, 4, 3), S.normal(4), S.normal(4, seed=1), 2, 4, 3, 2, 1e-5)],
   joint=lambda F, gs, need, input, weight, N, C, HxW, group, result1, result2:
             group_norm_gradients(F, gs, need, input, weight, N, C, HxW, group, result1, result2),
   jvp=lambda F, input, weight, input_t, weight_t, bias_t, result2, N, C, HxW, group, eps:
           group_norm_tangent(F, input, weight, input_t, weight_t, bias_t, result2, N, C, HxW,
                              group, eps))


def group_norm_gradients(F, gs, need, input, weight, n, c, size, group, mean, rstd):
    """The gradients through the result, and through the statistics where those are used."""
    gx = gw = gb = None
    if gs[0] is not None:
        gx, gw, gb = F.native_group_norm_backward(gs[0], input, mean, rstd, weight, n, c, size,
                                                  group, need)
    if need[0] and (gs[1] is not None or gs[2] is not None):
        columns = [None if t is None else F.reshape(t, (n * group, 1)) for t in
                   (gs[1], gs[2], mean, rstd)]
        rows = F.reshape(input, (n * group, c // group * size))
        extra = statistics_gradient(rows, *columns, (1,))
        gx = both(gx, F.reshape(extra, tuple(input.shape)))
    return gx, gw, gb


def statistics_gradient(x, g_mean, g_rstd, mean, rstd, axes):
    """The gradient of x from those of the mean and of 1 / sqrt(var + eps); all broadcast with x."""
    size = math.prod(x.shape[a] for a in axes)
    total = None
    if g_mean is not None:
        total = g_mean / size + x * 0
    if g_rstd is not None:
        total = both(total, -g_rstd * rstd * rstd * rstd * (x - mean) / size)
    return total


def group_norm_tangent(F, x, weight, x_t, weight_t, bias_t, rstd, n, c, size, group, eps):
    """The tangents of the result (N, C, ...), of mean and of rstd, both (N, group)."""
    rows, planes = (n * group, c // group * size), (n, c, size)
    moved = None if x_t is None else F.reshape(x_t, rows)
    normal, t = standardized_tangent(F, F.reshape(x, rows), moved, 1, eps)
    mean_t = rstd_t = None
    if moved is not None:
        mean_t = F.reshape(F.mean_dim(moved, 1, False), (n, group))
        rstd_t = -rstd * rstd * F.reshape(F.mean_dim(moved * normal, 1, False), (n, group))
    normal = F.reshape(normal, planes)
    t = None if t is None else F.reshape(t, planes)
    if weight is not None:
        t = both(scaled(t, F.reshape(weight, (c, 1))),
                 None if weight_t is None else F.reshape(weight_t, (c, 1)) * normal)
    if bias_t is not None:
        t = both(t, F.reshape(bias_t, (c, 1)) + normal * 0)
    return F.reshape(t, tuple(x.shape)), mean_t, rstd_t


@composite
@in_single
def native_group_norm_backward(g, x, mean, rstd, weight, n, c, size, group, mask):
    """The gradients of group_norm, of Tensors."""
    rows, planes = (n * group, c // group * size), (n, c, size)
    g = T.reshape(g, planes)
    normal, slope = T.restandardized(T.reshape(x, rows), mean, rstd, (1,))
    weighted = g if weight is None else g * T.reshape(weight, (c, 1))
    gx = along_rows(T, T.reshape(weighted, rows), normal, slope, (1,))
    gw = gb = None
    if mask[1] and weight is not None:
        gw = T.sum_dim(g * T.reshape(normal, planes), (0, 2), False)
    if mask[2]:
        gb = T.sum_dim(g, (0, 2), False)
    return (T.reshape(gx, tuple(x._data.shape)) if mask[0] else None), gw, gb


def check_groups(input, channels, groups):
    """PyTorch's error for channels that cannot be divided into so many groups."""
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, "
                           f"but got input of shape {list(input._data.shape)} and "
                           f"num_groups={groups}")


def check_vectors(input, channels, weight, bias):
    """PyTorch's error for a weight or bias without a number for each channel."""
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t._data.shape != (channels,):
            # where the bias is wrong, PyTorch shows the shape of the weight
            shown = [0] if weight is None else list(weight._data.shape)
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of "
                               f"channels in input, but got {name} of shape "
                               f"{shown} and input of shape "
                               f"{list(input._data.shape)}")


@public(method=False)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """(group_norm(input), mean, 1 / standard deviation); the statistics are (N, group).

    input is (N, C, *) with HxW elements in each channel, weight and bias (C,) or None. Raises
    RuntimeError unless `group` divides C.

    >>> import retrograd as torch
    >>> torch.native_group_norm(torch.tensor([[[1.], [3.]]]), None, None, 1, 2, 1, 1, 0.0)
    (tensor([[[-1.],
             [ 1.]]]), tensor([[2.]]), tensor([[1.]]))
    """
    check_groups(input, C, group)
    check_vectors(input, C, weight, bias)
    if input._data.size != N * C * HxW:
        raise RuntimeError("Expected X.numel() == N * C * HxW to be true, but got false.  (Could "
                           "this error message be improved?  If so, please report an enhancement "
                           "request to PyTorch.)")
    return T.native_group_norm_of(input, weight, bias, N, C, HxW, group, eps)


@public(method=False)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """(x - mean) / sqrt(var + eps) * weight + bias in groups of channels (Wu and He 2018).

    (N, C, *) -> (N, C, *): the C channels are divided into num_groups groups; mean and var are
    those of each group of each image, weight and bias (C,). Raises RuntimeError unless num_groups
    divides C.

    >>> import retrograd as torch
    >>> torch.group_norm(torch.tensor([[1., 3., 5., 9.]]), 2, eps=0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    if input._data.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received "
                           f"{input._data.ndim}")
    n, c = input._data.shape[:2]
    size = math.prod(input._data.shape[2:])
    check_groups(input, c, num_groups)
    check_vectors(input, c, weight, bias)
    check_kinds(input, weight, bias)
    return T.native_group_norm_of(input, weight, bias, n, c, size, num_groups,
                                  eps if eps.__class__ is float else epsilon(eps))[0]


# --------------------------------------------------------------------------- batch norm

op("native_batch_norm_of(input, weight?, bias?, running_mean?, running_var? | training, momentum, "
   "eps)", "NativeBatchNormBackward0", public=False, outputs=("result0", "result1", "result2"),
   nondiff=("result1", "result2"),
   samples=lambda: [(S.normal(4, 3, 2), S.normal(3), S.normal(3, seed=1), None, None, True, 0.1,
                     1e-5)],
   joint=lambda F, g, need, input, weight, running_mean, running_var, training, eps, result1,
                result2:
             (*F.native_batch_norm_backward(g, input, weight, running_mean, running_var, result1,
                                            result2, training, eps, need), None, None),
   jvp=lambda F, input, weight, bias, running_mean, running_var, input_t, weight_t, bias_t,
              running_mean_t, running_var_t, training, momentum, eps:
           batch_norm_tangent(F, input, weight, running_mean, running_var, input_t, weight_t,
                              bias_t, running_mean_t, running_var_t, training, eps))


def channel_axes(x):
    """All but the channels' of (N, C, ...)."""
    return (0, *range(2, len(x.shape)))


def per_channel(F, t, x):
    """(C) -> (C, 1, ...), which broadcasts with x."""
    return F.reshape(t, (-1, *(1,) * (len(x.shape) - 2)))


def batch_norm_tangent(F, x, weight, running_mean, running_var, x_t, weight_t, bias_t, mean_t,
                       var_t, training, eps):
    """How normal * weight + bias moves; running statistics are constants."""
    if x_t is not None and (mean_t is not None or var_t is not None):
        raise RuntimeError("batch_norm is not differentiable wrt running_mean and running_var, "
                           "they cannot have forward grad defined")
    if training:
        normal, t = standardized_tangent(F, x, x_t, channel_axes(x), eps)
    else:
        rstd = per_channel(F, F.rsqrt(running_var + eps), x)
        normal, t = (x - per_channel(F, running_mean, x)) * rstd, scaled(x_t, rstd)
    if weight is not None:
        t = both(scaled(t, per_channel(F, weight, x)),
                 None if weight_t is None else per_channel(F, weight_t, x) * normal)
    if bias_t is not None:
        t = both(t, per_channel(F, bias_t, x) + normal * 0)
    return t, None, None


@composite
@in_single
def native_batch_norm_backward(g, x, weight, running_mean, running_var, mean, rstd, training, eps,
                               mask):
    """The gradients of batch_norm, of Tensors."""
    axes = channel_axes(x._data)
    weighted = g if weight is None else g * per_channel(T, weight, x)
    if training:
        gx = T.standardize_channels_backward(
            weighted, x, per_channel(T, mean, x), per_channel(T, rstd, x), axes)
        normal = standardized(T, x, axes, eps)[0] if mask[1] and weight is not None else None
    else:
        slope = per_channel(T, T.rsqrt(running_var + eps), x)
        normal = (x - per_channel(T, running_mean, x)) * slope
        gx = weighted * slope
    gw = gb = None
    if mask[1] and weight is not None:
        gw = T.sum_dim(g * normal, axes, False)
    if mask[2]:
        gb = T.sum_dim(g, axes, False)
    return (gx if mask[0] else None), gw, gb


@public(method=False)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """(batch_norm(input), mean, 1 / standard deviation); the statistics are empty in evaluation.

    input (N, C, *), all others (C,) or None. Training brings the running statistics up to date, in
    place. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> x = torch.tensor([[1.], [3.]])
    >>> torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)
    (tensor([[-1.],
            [ 1.]]), tensor([2.]), tensor([1.]))
    """
    no_gradient("native_batch_norm", running_mean=running_mean, running_var=running_var)
    if check_statistics(input, running_mean, running_var, weight, bias, training):
        weight, bias = in_vectors(weight, bias)
    return T.native_batch_norm_of(input, weight, bias, running_mean, running_var, training,
                                  momentum, eps)


@public(method=False)
def _native_batch_norm_legit(input, weight, bias, *rest):
    """native_batch_norm with running statistics, or without any: (training, momentum, eps)."""
    running = (None, None) if len(rest) == 3 else ()
    return native_batch_norm(input, weight, bias, *running, *rest)


def check_statistics(input, running_mean, running_var, weight, bias, training):
    """Raise unless each of these is None or a vector with an element for each channel of the input.

    Weight and bias may have other shapes of that many elements. Returns whether one of them has.
    """
    channels = input._data.shape[1] if input._data.ndim > 1 else 0
    return check_channels(channels, bool(training), *[None if t is None else t._data.shape for t in
                                                      (running_mean, running_var, weight, bias)])


@lru_cache(256)
def check_channels(channels, training, *shapes):
    """check_statistics() by the number of channels and the shapes; what it found is remembered."""
    names = "running_mean", "running_var", "weight", "bias"
    for name, shape in zip(names, shapes, strict=True):
        size = None if shape is None else math.prod(shape)
        if size is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {size}")
    if (shapes[0] is None) != (shapes[1] is None):
        raise ValueError("running_mean and running_var must either both be None or neither be "
                         "None")
    for shape in shapes[:2]:
        if shape is not None and len(shape) != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {len(shape)}")
    return any(shape is not None and len(shape) != 1 for shape in shapes[2:])


def in_vectors(*parameters):
    """Parameters as vectors; None for None."""
    return [None if t is None else T.view(t, (t._data.size,)) for t in parameters]


@public(method=False)
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps,
               cudnn_enabled=True):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel (Ioffe and Szegedy 2015).

    (N, C, *) -> (N, C, *); all others are (C,) or None. Training takes the batch's mean and
    variance, and moves running_mean and running_var towards them by `momentum`; evaluation takes
    the running ones. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 0.0, False)
    tensor([[-1.],
            [ 1.]])
    """
    reshape = check_statistics(input, running_mean, running_var, weight, bias, training)
    if not input._data.size:
        y = T.clone(input)
        y = y if weight is None else y * weight[0]
        return y if bias is None else y + bias[0]
    if input._data.ndim < 2:
        raise no_dim(1, input._data.ndim)
    if input._data.dtype.kind not in "biuc":        # those the kernel refuses
        check_kinds(input, weight, bias, running_mean, running_var)
    if state.grad:
        no_gradient("native_batch_norm", running_mean=running_mean, running_var=running_var)
    if reshape:
        weight, bias = in_vectors(weight, bias)
    return T.native_batch_norm_of(input, weight, bias, running_mean, running_var, training,
                                  0.0 if momentum is None else momentum, eps)[0]


# --------------------------------------------------------------------------- rms norm

@public(method=False)
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """input / sqrt(mean(input^2) + eps) * weight over the last dimensions (Zhang, Sennrich 2019).

    The result has the shape of input. eps of None is that of the dtype it is computed in: float32
    for half precision. Raises RuntimeError when normalized_shape is not the end of that,
    NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.rms_norm(torch.tensor([3., 3.]), (2,))
    tensor([1., 1.])
    """
    shape = tuple(normalized_shape)
    if input._data.ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got "
                         f"{input._data.ndim}")
    check_layer_norm(input, shape, weight, None, "[*")
    axes = tuple(range(input._data.ndim - len(shape), input._data.ndim))
    if input._data.dtype.kind in "biu":
        refuse("rms_norm", input._data.dtype)
    x = input
    if input._data.dtype.itemsize == 2:
        x = input.to(_dtype.float32)
    eps = _dtype.limits(x.dtype).eps if eps is None else epsilon(eps)
    y = x * T.rsqrt(T.mean_dim(T.pow_scalar(x, 2), axes, True) + eps)
    if weight is not None:
        if weight._data.dtype is not input._data.dtype and input._data.dtype.kind != "c":
            warn_once("Mismatch dtype between input and weight: input dtype = "
                      f"{cpp_name(input)}, weight dtype = {cpp_name(weight)}, "
                      "Cannot dispatch to fused implementation.", key="rms_norm")
        y = y * weight
    y = y if y.dtype is input.dtype else y.to(input.dtype)
    return y if y._data.flags.c_contiguous else T.clone_contiguous(y)


# --------------------------------------------------------------------------- weight norm

def weight_norms(F, v, dims):
    return F.sqrt(F.sum_dim(v * v, dims, True))


def turned_by(F, v, length, dims, t):
    """What a change t of v does to length v / |v|; its own transpose."""
    norms = weight_norms(F, v, dims)
    along = F.sum_dim(t * v, dims, True) / (norms * norms)
    return (t - v * along) * (length / norms)


op("weight_norm_of(v, length | dims)", "WeightNormInterfaceBackward0", public=False,
   samples=lambda: [(S.normal(3, 2, 2), S.normal(3, 1, 1), (1, 2)),
                    (S.normal(3, 2), S.normal(1, 2), (0,))],
   v      = lambda F, g, v, length, dims: turned_by(F, v, length, dims, g),
   length = lambda F, g, v, dims: F.sum_dim(g * v, dims, True) / weight_norms(F, v, dims),
   jvp    = lambda F, v, length, v_t, length_t, dims: both(
                None if v_t is None else turned_by(F, v, length, dims, v_t),
                None if length_t is None else v * (length_t / weight_norms(F, v, dims))))
