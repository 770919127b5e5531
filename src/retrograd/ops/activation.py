"""Activation functions and softmax.

Each result of softmax depends on its whole row: with y = exp(x) / sum(exp(x)), dy_i / dx_j is
y_i (1 - y_i) for i = j and -y_i y_j otherwise. Summed against g that is y (g - sum(g y)), which
needs y alone. Like softmax_backward, gradients that take several passes are operators themselves:
see activation_backward.py.
"""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._dtype import as_dtype
from . import samples as S
from .activation_backward import gated
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .formulas import both, in_single, rounded_once, scaled
from .mistyped import of_call
from .out import fill_checked
from .public import native, needed, public

SIXTH = 0.1666666716337204  # the slope of hardsigmoid, which PyTorch rounds to float32
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def below(F, x):
    """x where it is negative, 0 elsewhere."""
    return F.where(x > 0, 0, x)


# --------------------------------------------------------------------------- softmax

along_dims = S.with_consts(lambda: S.singles()[:1], 1)

op("softmax_dim(self | dim)", "SoftmaxBackward0", public=False, samples=along_dims, contiguous=True,
    self = lambda F, g, result, dim: F.softmax_backward(g, result, dim),
    jvp  = lambda F, self, self_t, dim:
               F.softmax_backward(self_t, F.softmax_dim(self, dim), dim))

op("safe_softmax_dim(self | dim)", "SafeSoftmaxBackward0", public=False, samples=along_dims,
    contiguous=True,
    self = lambda F, g, result, dim: F.softmax_backward(g, result, dim),
    jvp  = lambda F, self, self_t, dim:
               F.softmax_backward(self_t, F.safe_softmax_dim(self, dim), dim))

op("log_softmax_dim(self | dim)", "LogSoftmaxBackward0", public=False, samples=along_dims,
    contiguous=True,
    self = lambda F, g, result, dim: F.log_softmax_backward(g, result, dim),
    jvp  = lambda F, self, self_t, dim:
               self_t - F.sum_dim(self_t * F.softmax_dim(self, dim), dim, True))


def _in_dtype(input, dtype):
    return input if input.dtype is dtype else input.to(as_dtype(dtype))


@public
def softmax(input, dim=None, dtype=None, *, out=None, axis=None):
    """exp(input) / sum(exp(input)) along `dim`, of the shape of input; nothing overflows.

    `dtype` is that of the computation and the result. Raises IndexError for a dimension out of
    range, NotImplementedError for integers without a floating `dtype`.

    >>> import retrograd as torch
    >>> torch.softmax(torch.zeros(4), dim=0)
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    if dim is None:
        dim = needed("softmax", "dim", axis)
    if dtype is not None:
        input = _in_dtype(input, dtype)
    res = T.softmax_dim(input, wrap_dim(dim, input._data.ndim))
    return res if out is None else fill_checked("softmax", out, res, input)


@public
def log_softmax(input, dim=None, dtype=None, *, out=None, axis=None):
    """log(softmax(input)) along `dim`: input - log(sum(exp(input))), computed without overflow.

    The result has the shape of input. `dtype` is that of the computation and the result. Raises
    IndexError for a dimension out of range, NotImplementedError for integers without a floating
    `dtype`.

    >>> import retrograd as torch
    >>> torch.log_softmax(torch.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    if dim is None:
        dim = needed("log_softmax", "dim", axis)
    if dtype is not None:
        input = _in_dtype(input, dtype)
    res = T.log_softmax_dim(input, wrap_dim(dim, input._data.ndim))
    return res if out is None else fill_checked("log_softmax", out, res, input)


# --------------------------------------------------------------------------- smooth functions

op("gelu_by(self | approximate='none')", "GeluBackward0", public=False,
    samples=lambda: [(a, way) for a, in S.singles() for way in ("none", "tanh")],
    self = lambda F, g, self, approximate: F.gelu_backward(g, self, approximate),
    jvp  = "elementwise")


@native
def gelu(input, *, approximate="none"):
    """x * Phi(x), Phi the normal distribution; or its tanh approximation."""
    if approximate not in ("none", "tanh"):
        raise of_call(None) or RuntimeError("approximate argument must be either none or tanh.")
    return T.gelu_by(input, approximate)


op("silu(self)", "SiluBackward0", public=False, inplace=True, samples=S.singles,
    of_complex=False,
    self = lambda F, g, self: F.silu_backward(g, self),
    jvp  = "elementwise")


@composite
@in_single
def silu_backward(g, x):
    """g times the derivative of silu, of Tensors."""
    s = T.sigmoid(x)
    return g * T.conj(s * (1 + x * (1 - s)))


op("mish(self)", "MishBackward0", public=False, inplace=True, samples=S.singles,
    self = rounded_once(lambda F, g, self: g * mish_slope(F, self)),
    jvp  = "elementwise")


def mish_slope(F, x):
    t = F.tanh(F.softplus(x, 1, 20))
    return t + x * F.sigmoid(x) * (1 - t * t)


op("softplus(self | beta=1.0, threshold=20.0)", "SoftplusBackward0", public=False,
    samples=S.with_consts(S.singles, 2, 20),
    self = lambda F, g, self, beta, threshold: F.softplus_backward(g, self, beta, threshold),
    jvp  = "elementwise")

op("log_sigmoid(self)", "LogSigmoidBackward0", public=False, samples=S.singles, contiguous=True,
    self = lambda F, g, self: F.log_sigmoid_backward(g, self),
    jvp  = "elementwise")

# --------------------------------------------------------------------------- kinks

op("elu(self | alpha=1.0, scale=1.0, input_scale=1.0)", "EluBackward0", public=False,
    samples=S.with_consts(S.singles, 1.5, 2.0, 0.5),
    self = lambda F, g, self, alpha, scale, input_scale:
               F.elu_backward(g, self, alpha, scale, input_scale, False),
    jvp  = "elementwise")

op("celu(self | alpha=1.0)", "CeluBackward0", public="function",
    samples=S.with_consts(S.singles, 1.5),
    self = lambda F, g, self, alpha: F.elu_backward(g, self, alpha, 1.0, 1 / alpha, False),
    jvp  = "elementwise")

op("leaky_relu(self | negative_slope=0.01)", "LeakyReluBackward0", public=False,
    samples=S.with_consts(S.singles, 0.1),
    self = lambda F, g, self, negative_slope: F.leaky_relu_backward(g, self, negative_slope),
    jvp  = "elementwise")

op("prelu_kernel(self, weight)", "PreluKernelBackward0", public=False, broadcasts=True,
    samples=lambda: S.pairs()[:3],
    self   = lambda F, g, self, weight: F.prelu_backward(g, self, weight),
    weight = lambda F, g, self: g * below(F, self),
    jvp    = lambda F, self, weight, self_t, weight_t:
                 both(None if self_t is None else F.where(self > 0, self_t, self_t * weight),
                      None if weight_t is None else F.where(self > 0, 0, weight_t * self)))

op("hardtanh(self | min_val=-1.0, max_val=1.0)", "HardtanhBackward0", public=False, inplace=True,
    samples=S.singles,
    self = lambda F, g, self, min_val, max_val:
               F.hardtanh_backward(g, self, min_val, max_val),
    jvp  = "elementwise")

op("hardsigmoid(self)", "HardsigmoidBackward0", public=False, inplace=True, samples=S.singles,
    self = rounded_once(lambda F, g, self: F.where((self > -3) & (self < 3), g * SIXTH, 0)),
    jvp  = "elementwise")

op("hardswish(self)", "HardswishBackward0", public=False, inplace=True, samples=S.singles,
    self = lambda F, g, self: F.hardswish_backward(g, self),
    jvp  = "elementwise")

op("hardshrink(self | lambd=0.5)", "HardshrinkBackward0", samples=S.singles,
    self = lambda F, g, self, lambd: F.hardshrink_backward(g, self, lambd),
    jvp  = "elementwise")

op("softshrink(self | lambd=0.5)", "SoftshrinkBackward0", public=False, samples=S.singles,
    self = lambda F, g, self, lambd: F.softshrink_backward(g, self, lambd),
    jvp  = "elementwise")

op("threshold(self | threshold, value)", "ThresholdBackward0", public="function",
    samples=S.with_consts(S.singles, 0.1, -1.0),
    self = lambda F, g, self, threshold: F.threshold_backward(g, self, threshold),
    jvp  = "elementwise")

# In place, PyTorch's nodes have names that end in 1. They save the result, which has the sign of
# the old value.

def sure_of_signs(slope, name, ending=""):
    """`slope`; RuntimeError if it is negative: then the result lacks the signs of the input."""
    if slope < 0:
        raise RuntimeError(f"In-place {name} backward calculation is triggered with a negative "
                           "slope which is not supported. This is caused by calling in-place "
                           "forward function with a negative slope, please call out-of-place "
                           f"version instead.{ending}")
    return slope


def leaky_slope(slope):
    return sure_of_signs(slope, "leakyReLu", " File an issue at https://github.com/pytorch/pytorch "
                         "if you do require supporting in-place leakRelu backward calculation "
                         "with negative slope")


def rrelu_slopes(noise, lower, upper, training):
    if not training:
        leaky_slope((lower + upper) / 2)
    return noise


op("elu_1(self | alpha=1.0, scale=1.0, input_scale=1.0)", "EluBackward1", public=False,
    inplace=True, kernel="elu", samples=S.with_consts(S.singles, 1.5, 2.0, 0.5),
    self = lambda F, g, result, alpha, scale, input_scale:
               F.elu_backward(g, result, sure_of_signs(alpha, "elu"), scale, input_scale, True),
    jvp  = "elementwise")

op("celu_1(self | alpha=1.0)", "CeluBackward1", public=False, inplace=True, kernel="celu",
    samples=S.with_consts(S.singles, 1.5),
    self = lambda F, g, result, alpha:
               F.elu_backward(g, result, sure_of_signs(alpha, "elu"), 1.0, 1 / alpha, True),
    jvp  = "elementwise")

op("leaky_relu_1(self | negative_slope=0.01)", "LeakyReluBackward1", public=False, inplace=True,
    kernel="leaky_relu", samples=S.with_consts(S.singles, 0.1),
    self = lambda F, g, result, negative_slope:
               F.leaky_relu_backward(g, result, leaky_slope(negative_slope)),
    jvp  = "elementwise")

op("threshold_1(self | threshold, value)", "ThresholdBackward1", public=False,
    inplace=True, kernel="threshold", samples=S.with_consts(S.singles, 0.1, -1.0),
    self = lambda F, g, self, threshold: F.threshold_backward(g, self, threshold),
    jvp  = "elementwise")

op("rrelu_with_noise_0(self, noise | lower, upper, training)", "RreluWithNoiseBackward0",
    public=False, samples=S.with_consts(lambda: S.pairs()[:1], 0.1, 0.3, True),
    kernel=lambda x, noise, *_: np.multiply(x, noise, order="C"),
    self = lambda F, g, noise: g * noise,
    jvp  = lambda F, self, noise, self_t, noise_t: scaled(self_t, noise))

op("rrelu_with_noise_1(self, noise | lower, upper, training)", "RreluWithNoiseBackward1",
    public=False, inplace=True, samples=S.with_consts(lambda: S.pairs()[:1], 0.1, 0.3, True),
    kernel=lambda x, noise, *_: x * noise,
    self = lambda F, g, noise, lower, upper, training:
               g * rrelu_slopes(noise, lower, upper, training),
    jvp  = lambda F, self, noise, self_t, noise_t: scaled(self_t, noise))


@public(method=False)
def celu_(input, alpha=1.0):
    """`celu` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `celu` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.celu_(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """
    return T.celu_1_(input, alpha)


@public(method=False)
def threshold_(input, threshold, value):
    """`threshold` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `threshold` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.threshold_(torch.tensor([0.1, 2.]), 0.5, 0.)
    tensor([0., 2.])
    """
    return T.threshold_1_(input, threshold, value)


@public(method=False)
def selu(input):
    """scale * elu(input, alpha), element by element (Klambauer et al. 2017).

    alpha = 1.6733 and scale = 1.0507 keep the mean 0 and the variance 1 of what goes through layers
    with normal weights.

    >>> import retrograd as torch
    >>> torch.selu(torch.tensor([0., 1.]))
    tensor([0.0000, 1.0507])
    """
    return T.elu(input, SELU_ALPHA, SELU_SCALE, 1.0)


@public(method=False)
def selu_(input):
    """`selu` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `selu` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.selu_(torch.tensor([-1., 2.]))
    tensor([-1.1113,  2.1014])
    """
    return T.elu_1_(input, SELU_ALPHA, SELU_SCALE, 1.0)


@public
def prelu(input, weight):
    """input where it is above 0, weight * input elsewhere (He et al. 2015).

    (N, C, *) and a weight of one element, or one for each channel: (C,). Raises RuntimeError for
    any other number of weights.

    >>> import retrograd as torch
    >>> torch.prelu(torch.tensor([-2., 3.]), torch.tensor([0.1]))
    tensor([-0.2000,  3.0000])
    """
    if weight._data.dtype != input._data.dtype:
        raise RuntimeError("prelu: Type promoting not supported. Got "
                           f"{_dtype.of(input._data).tensor_name} and "
                           f"{_dtype.of(weight._data).tensor_name}")
    if weight._data.size != 1:
        channels = input._data.shape[1] if input._data.ndim > 1 else 1
        if input._data.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if channels != weight._data.size:
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found "
                               f"parameter numbers = {weight._data.size} and channel size = "
                               f"{channels}.")
    if weight._data.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight._data.ndim}")
    shape = [1] * input._data.ndim
    if input._data.ndim > 1:
        shape[1] = weight._data.size
    if weight._data.ndim and tuple(shape) != weight._data.shape:
        weight = T.view(weight, tuple(shape) if input._data.ndim else ())
    return T.prelu_kernel(input, weight)


# --------------------------------------------------------------------------- gates

op("glu_dim(self | dim)", "GluBackward0", public=False,
    samples=lambda: [(a, 0) for a, in S.singles()[:1]],
    self = lambda F, g, self, dim: F.glu_backward(g, self, dim),
    jvp  = lambda F, self, self_t, dim: gated(F, self_t, self, dim))


@native
def glu(input, dim=-1):
    """a * sigmoid(b), where input is (a, b) joined along `dim`."""
    if input._data.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    wrapped = wrap_dim(dim, input._data.ndim)
    size = input._data.shape[wrapped]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {wrapped} is size "
                           f"{size}")
    return T.glu_dim(input, wrapped)
