"""Activation functions, each elementwise unless it says otherwise."""
from __future__ import annotations

import warnings

import retrograd as torch
from retrograd._warnings import warn
from retrograd.kernels.checks import not_implemented
from retrograd.nn._functional._operators import ops
from retrograd.ops.arguments import NUMBERS
from retrograd.ops.factory import check_number, factor, fitting
from retrograd.ops.out import fill_checked


def threshold(input, threshold, value, inplace=False):
    """x where x > threshold, else value, of the shape of x.

    The derivative is 1 where x is kept, else 0. `inplace` writes into x.

    >>> import retrograd as torch
    >>> torch.nn.functional.threshold(torch.tensor([0.5, 2.0]), 1.0, -1.0)
    tensor([-1.,  2.])
    """
    if isinstance(input, torch.Tensor) and all(isinstance(x, NUMBERS) for x in (threshold, value)):
        threshold, value = factor(threshold, input, "threshold"), fitting(value, input, "threshold")
    return (ops.threshold_ if inplace else ops.threshold)(input, threshold, value)


def relu(input, inplace=False):
    """max(0, x), of the shape of x; the gradient at 0 is 0. `inplace` writes into x.

    Raises RuntimeError for bools.

    >>> import retrograd as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return ops.relu_(input) if inplace else ops.relu(input)


def glu(input, dim=-1):
    """a * sigmoid(b), with a and b the halves of the input along `dim`: (*, 2 n, *) -> (*, n, *).

    Raises RuntimeError for an odd size.

    >>> import retrograd as torch
    >>> torch.nn.functional.glu(torch.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return ops.glu(input, dim)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x limited to [min_val, max_val], of the shape of x.

    The derivative is 1 inside, and 0 at the bounds and beyond. `inplace` writes into x. Raises
    ValueError where min_val is above max_val.

    >>> import retrograd as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-2., 0.5]))
    tensor([-1.0000,  0.5000])
    """
    kind = input._data.dtype.kind if isinstance(input, torch.Tensor) else None
    if kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if kind is not None:
        if kind == "u" and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
        min_val = fitting(min_val, input, "hardtanh")
        max_val = fitting(max_val, input, "hardtanh")
    return (ops.hardtanh_ if inplace else ops.hardtanh)(input, min_val, max_val)


def relu6(input, inplace=False):
    """min(max(0, x), 6), of the shape of x (Krizhevsky 2010).

    The derivative is 1 between 0 and 6, else 0. `inplace` writes into x.

    >>> import retrograd as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1., 8.]))
    tensor([0., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def _held(value, input):
    """A constant of an activation function, rounded as arithmetic with the input rounds it."""
    if value.__class__ in (float, int) and 0 <= value <= 127:              # in any dtype
        return value
    if isinstance(value, NUMBERS) and isinstance(input, torch.Tensor) and input.is_floating_point():
        return factor(value, input, "value")
    return value                                   # the operator refuses anything else


def elu(input, alpha=1.0, inplace=False):
    """x where x > 0, else alpha * (exp(x) - 1), of the shape of x (Clevert et al. 2016).

    The derivative is 1 above 0, alpha * exp(x) below. `inplace` writes into x. Raises
    NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.elu(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """
    return (ops.elu_1_ if inplace else ops.elu)(input, _held(alpha, input))


def selu(input, inplace=False):
    """scale * (max(0, x) + min(0, alpha (exp(x) - 1))), of the shape of x (Klambauer et al. 2017).

    alpha = 1.6733 and scale = 1.0507 keep the mean 0 and the variance 1 of what goes through layers
    with normal weights. `inplace` writes into x. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.selu(torch.tensor([-1., 1.]))
    tensor([-1.1113,  1.0507])
    """
    return (ops.selu_ if inplace else ops.selu)(input)


def celu(input, alpha=1.0, inplace=False):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), of the shape of x (Barron 2017).

    The derivative is 1 above 0, exp(x / alpha) below. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.celu(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """
    return (ops.celu_ if inplace else ops.celu)(input, _held(alpha, input))


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where x > 0, else negative_slope * x, of the shape of x (Maas et al. 2013).

    The derivative is 1 above 0, negative_slope elsewhere. `inplace` writes into x. Raises
    NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-1., 1.]))
    tensor([-0.0100,  1.0000])
    """
    negative_slope = _held(negative_slope, input)
    return (ops.leaky_relu_1_ if inplace else ops.leaky_relu)(input, negative_slope)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu with a slope between lower and upper (Xu et al. 2015).

    The result has the shape of x. In training the slope is drawn uniformly for each element, else
    it is their mean. Raises RuntimeError if lower is the greater one.

    >>> import retrograd as torch
    >>> torch.nn.functional.rrelu(torch.tensor([-1.0, 2.0]), lower=0.5, upper=0.5)
    tensor([-0.5000,  2.0000])
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not (input.is_floating_point() or input.is_complex()):
        raise not_implemented("rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu",
                              input._data.dtype)
    with torch.no_grad():
        # one draw for each element that is not positive, in order
        noise = torch.ones_like(input)
        bent = input <= 0
        if training:
            slopes = torch.empty(int(bent.sum()), dtype=torch.float64).uniform_(lower, upper)
            noise[bent] = slopes.to(input.dtype)
        else:
            noise.masked_fill_(bent, (lower + upper) / 2)
    multiply = ops.rrelu_with_noise_1_ if inplace else ops.rrelu_with_noise_0
    return multiply(input, noise, lower, upper, training)


def _into(name, out, result):
    """The result, written into `out` if one is given."""
    return result if out is None else fill_checked(name, out, result)


def logsigmoid(input, *, out=None):
    """log(1 / (1 + exp(-x))), the logarithm of sigmoid, computed without overflow.

    The result has the shape of x. The derivative is 1 - sigmoid(x). Raises NotImplementedError for
    integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.logsigmoid(torch.tensor([0., 2.]))
    tensor([-0.6931, -0.1269])
    """
    return _into("log_sigmoid", out, ops.log_sigmoid(input))


def gelu(input, *, approximate="none", out=None):
    """x * Phi(x), with Phi the normal distribution function (Hendrycks and Gimpel 2016).

    The result has the shape of x. approximate="tanh" is 0.5 x (1 + tanh(sqrt(2 / pi)
    (x + 0.044715 x^3))). Raises RuntimeError for another word, NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.gelu(torch.tensor([-1., 1.]))
    tensor([-0.1587,  0.8413])
    """
    res = ops.gelu(input, approximate=approximate)
    return res if out is None else fill_checked("gelu", out, res, input)


def hardshrink(input, lambd=0.5, *, out=None):
    """x where abs(x) > lambd, else 0, of the shape of x.

    The derivative is 1 where x is kept, else 0. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.hardshrink(torch.tensor([-1.0, 0.2, 1.0]))
    tensor([-1.,  0.,  1.])
    """
    if isinstance(lambd, NUMBERS) and input.is_floating_point():
        lambd = fitting(lambd, input, "hardshrink")
    return ops.hardshrink(input, lambd, out=out)


def tanhshrink(input):
    """x - tanh(x), of the shape of x. The derivative is tanh(x)^2.

    >>> import retrograd as torch
    >>> torch.nn.functional.tanhshrink(torch.tensor([0., 1.]))
    tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


def softsign(input):
    """x / (1 + abs(x)), of the shape of x. The derivative is 1 / (1 + abs(x))^2.

    >>> import retrograd as torch
    >>> torch.nn.functional.softsign(torch.tensor([-1., 3.]))
    tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


def softplus(input, beta=1, threshold=20, *, out=None):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    A smooth relu, of the shape of x. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.softplus(torch.tensor([0., 1.]))
    tensor([0.6931, 1.3133])
    """
    beta, threshold = _held(beta, input), _held(threshold, input)
    return _into("softplus", out, ops.softplus(input, beta, threshold))


def softshrink(input, lambd=0.5, *, out=None):
    """x - lambd above lambd, x + lambd below -lambd, 0 between, of the shape of x.

    The derivative is 1 outside of [-lambd, lambd], else 0. Raises RuntimeError for a negative
    lambd.

    >>> import retrograd as torch
    >>> torch.nn.functional.softshrink(torch.tensor([0.2, 1.]))
    tensor([0.0000, 0.5000])
    """
    if not input.is_floating_point():
        raise NotImplementedError('"softshrink_check" not implemented for '
                                  f"'{input.dtype.tensor_name}'")
    if lambd.__class__ is not float or not 0 <= lambd < 6e4:        # all dtypes have these
        lambd = _checked_lambd(input.dtype, lambd)
    return _into("softshrink", out, ops.softshrink(input, lambd))


def _checked_lambd(dtype, lambd):
    if isinstance(lambd, complex):
        check_number(lambd, torch.float64)
        lambd = lambd.real
    most = torch.finfo(dtype).max
    try:
        in_range = 0 <= lambd <= most
    except TypeError:                          # no number: the operator says so
        in_range = True
    if not in_range:
        raise RuntimeError(f"lambda must be in range [0, {most:g}] for "
                           f"input dtype {dtype.tensor_name}, but found {lambd:g}")
    return lambd


def tanh(input):
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)), of the shape of x. The derivative is 1 - y^2.

    >>> import retrograd as torch
    >>> torch.nn.functional.tanh(torch.zeros(1))
    tensor([0.])
    """
    return input.tanh()


def sigmoid(input):
    """1 / (1 + exp(-x)), of the shape of x. The derivative is y (1 - y).

    >>> import retrograd as torch
    >>> torch.nn.functional.sigmoid(torch.zeros(1))
    tensor([0.5000])
    """
    return input.sigmoid()


def hardsigmoid(input, inplace=False):
    """min(max(0, x + 3), 6) / 6, of the shape of x: a sigmoid of straight lines.

    The derivative is 1/6 between -3 and 3, else 0. `inplace` writes into x. Raises
    NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4., 0.]))
    tensor([0.0000, 0.5000])
    """
    return (ops.hardsigmoid_ if inplace else ops.hardsigmoid)(input)


def silu(input, inplace=False):
    """x * sigmoid(x), of the shape of x (Hendrycks and Gimpel 2016); also called swish.

    Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.silu(torch.tensor([-1., 1.]))
    tensor([-0.2689,  0.7311])
    """
    return (ops.silu_ if inplace else ops.silu)(input)


def mish(input, inplace=False):
    """x * tanh(log(1 + exp(x))), of the shape of x (Misra 2019). `inplace` writes into x.

    Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.mish(torch.tensor([-1., 1.]))
    tensor([-0.3034,  0.8651])
    """
    return (ops.mish_ if inplace else ops.mish)(input)


def hardswish(input, inplace=False):
    """x * min(max(0, x + 3), 6) / 6, of the shape of x (Howard et al. 2019).

    The derivative is (2 x + 3) / 6 between -3 and 3, 1 above, 0 below. `inplace` writes into x.
    Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.functional.hardswish(torch.tensor([-4., 1.]))
    tensor([-0.0000, 0.6667])
    """
    return (ops.hardswish_ if inplace else ops.hardswish)(input)


def _get_softmax_dim(name, ndim, stacklevel):
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. "
                  "Change the call to include dim=X as an argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x_i) / sum_j exp(x_j) along `dim`: positive numbers whose sum is 1.

    The result has the shape of x. `dtype` is that of the computation and the result. Raises
    IndexError for a dim out of range, NotImplementedError for integers without a floating `dtype`.

    >>> import retrograd as torch
    >>> torch.nn.functional.softmax(torch.zeros(4), dim=0)
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """exp(-x_i) / sum_j exp(-x_j) along `dim`, that is softmax(-x).

    The result has the shape of x. The smallest number gets the largest share. `dtype` is that of
    the computation and the result. Raises IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.softmin(torch.tensor([1., 2.]), dim=0)
    tensor([0.7311, 0.2689])
    """
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """log(softmax(x)) = x - log(sum(exp(x))) along `dim`, so that nothing overflows.

    The result has the shape of x. `dtype` is that of the computation and the result. Raises
    IndexError for a dim out of range, NotImplementedError for integers without a floating `dtype`.

    >>> import retrograd as torch
    >>> torch.nn.functional.log_softmax(torch.tensor([0., 0.]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """softmax((logits + g) / tau) along `dim`, with Gumbel noise g (Jang et al. 2016).

    The result has the shape of logits. This random sample comes closer to one-hot as tau goes to 0.
    `hard` makes it one-hot, with the gradient of the soft sample. Raises RuntimeError for integers,
    IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.functional.gumbel_softmax(torch.zeros(3), hard=True).sum()
    tensor(1.)
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    gumbels = -(
        torch.empty_like(logits, memory_format=torch.contiguous_format).exponential_().log()
    )
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one = torch.zeros_like(
        logits, memory_format=torch.contiguous_format
    ).scatter_(dim, index, 1.0)
    return one - soft.detach() + soft
