"""Activation layers; each applies the function of the same name in nn.functional."""
from __future__ import annotations

import warnings

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn import init
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules._attention import MultiheadAttention
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter

__all__ = [
    "Threshold", "ReLU", "RReLU", "Hardtanh", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU",
    "Mish", "Hardswish", "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU",
    "LogSigmoid", "Softplus", "Softshrink", "MultiheadAttention", "PReLU", "Softsign",
    "Tanhshrink", "Softmin", "Softmax", "Softmax2d", "LogSoftmax",
]

__getattr__ = borrows(__name__)


class _Inplace(Module):
    """An activation that may overwrite its input; it shows its settings, and that if it does."""

    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        settings = [f"{name}={getattr(self, name)}" for name in self.__constants__
                    if name != "inplace"]
        return ", ".join(settings + (["inplace=True"] if self.inplace else []))


class Threshold(_Inplace):
    """x where x > threshold, else value: (*) -> (*).

    The derivative is 1 where x is kept, else 0.

    >>> import retrograd as torch
    >>> torch.nn.Threshold(0.5, -1.0)(torch.tensor([0., 1.]))
    tensor([-1.,  1.])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(_Inplace):
    """max(0, x): (*) -> (*). The gradient at 0 is 0.

    `inplace` writes into the input.

    >>> import retrograd as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 1.0]))
    tensor([0., 1.])
    """

    def forward(self, input):
        return F.relu(input, self.inplace)


class RReLU(_Inplace):
    """x where x > 0, else a x, with a random slope a (Xu et al. 2015): (*) -> (*).

    In training a is drawn from [lower, upper] for each element; in evaluation it is their mean.

    >>> import retrograd as torch
    >>> torch.nn.RReLU().eval()(torch.tensor([-1., 1.]))
    tensor([-0.2292,  1.0000])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_Inplace):
    """x limited to [min_val, max_val]: (*) -> (*).

    The derivative is 1 inside, and 0 at the bounds and beyond.

    >>> import retrograd as torch
    >>> torch.nn.Hardtanh()(torch.tensor([-2., 0.5]))
    tensor([-1.0000,  0.5000])
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__(inplace)
        if min_value is not None:
            warnings.warn("keyword argument `min_value` is deprecated and renamed to `min_val`",
                          FutureWarning, stacklevel=2)
            min_val = min_value
        if max_value is not None:
            warnings.warn("keyword argument `max_value` is deprecated and renamed to `max_val`",
                          FutureWarning, stacklevel=2)
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """min(max(0, x), 6): (*) -> (*).

    The derivative is 1 between 0 and 6, else 0.

    >>> import retrograd as torch
    >>> torch.nn.ReLU6()(torch.tensor([-1., 8.]))
    tensor([0., 6.])
    """

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x)): (*) -> (*). The derivative is y (1 - y).

    >>> import retrograd as torch
    >>> torch.nn.Sigmoid()(torch.tensor([0., 2.]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input):
        return torch.sigmoid(input)


class Hardsigmoid(_Inplace):
    """min(max(0, x + 3), 6) / 6: (*) -> (*).

    The derivative is 1/6 between -3 and 3, else 0. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.Hardsigmoid()(torch.tensor([-4., 0.]))
    tensor([0.0000, 0.5000])
    """

    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Tanh(Module):
    """The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x)): (*) -> (*).

    The derivative is 1 - y^2.

    >>> import retrograd as torch
    >>> torch.nn.Tanh()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input):
        return torch.tanh(input)


class SiLU(_Inplace):
    """x * sigmoid(x), also called swish (Hendrycks and Gimpel 2016): (*) -> (*).

    The derivative is s (1 + x (1 - s)) with s = sigmoid(x).

    >>> import retrograd as torch
    >>> torch.nn.SiLU()(torch.tensor([-1., 1.]))
    tensor([-0.2689,  0.7311])
    """

    def forward(self, input):
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """x * tanh(log(1 + exp(x))) (Misra 2019): (*) -> (*).

    Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.Mish()(torch.tensor([-1., 1.]))
    tensor([-0.3034,  0.8651])
    """

    def forward(self, input):
        return F.mish(input, self.inplace)


class Hardswish(_Inplace):
    """x * min(max(0, x + 3), 6) / 6 (Howard et al. 2019): (*) -> (*).

    The derivative is (2 x + 3) / 6 between -3 and 3, 1 above, 0 below. Raises NotImplementedError
    for integers.

    >>> import retrograd as torch
    >>> torch.nn.Hardswish()(torch.tensor([-4., 1.]))
    tensor([-0.0000, 0.6667])
    """

    def forward(self, input):
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class ELU(_Inplace):
    """x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2016): (*) -> (*).

    The derivative is 1 above 0, alpha * exp(x) below. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.ELU()(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Inplace):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (Barron 2017): (*) -> (*).

    The derivative is 1 above 0, exp(x / alpha) below. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.CELU()(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class SELU(_Inplace):
    """scale * (max(0, x) + min(0, alpha (exp(x) - 1))) (Klambauer et al. 2017): (*) -> (*).

    alpha = 1.6733 and scale = 1.0507 keep the mean 0 and the variance 1 of what goes through layers
    with normal weights. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.SELU()(torch.tensor([-1., 1.]))
    tensor([-1.1113,  1.0507])
    """

    def forward(self, input):
        return F.selu(input, self.inplace)


class GLU(Module):
    """a * sigmoid(b), the halves of the input along dim.

    (*, 2 N) -> (*, N), for the last dim. Raises RuntimeError where its size is odd.

    >>> import retrograd as torch
    >>> torch.nn.GLU()(torch.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """

    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """x * Phi(x), Phi the normal distribution function (Hendrycks and Gimpel 2016): (*) -> (*).

    approximate='tanh' takes 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) instead.

    >>> import retrograd as torch
    >>> torch.nn.GELU()(torch.tensor([-1., 1.]))
    tensor([-0.1587,  0.8413])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x where abs(x) > lambd, else 0: (*) -> (*).

    The derivative is 1 where x is kept, else 0. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.Hardshrink()(torch.tensor([0.2, 1.]))
    tensor([0., 1.])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class LeakyReLU(_Inplace):
    """x where x > 0, else negative_slope * x (Maas et al. 2013): (*) -> (*).

    The derivative is 1 above 0, negative_slope elsewhere. Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.LeakyReLU()(torch.tensor([-1., 1.]))
    tensor([-0.0100,  1.0000])
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x))), computed without overflow: (*) -> (*).

    The derivative is 1 - sigmoid(x). Raises NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.nn.LogSigmoid()(torch.tensor([0., 2.]))
    tensor([-0.6931, -0.1269])
    """

    def forward(self, input):
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta: (*) -> (*). The derivative is sigmoid(beta * x).

    Where beta * x is above `threshold`, it is x itself.

    >>> import retrograd as torch
    >>> torch.nn.Softplus()(torch.tensor([0., 1.]))
    tensor([0.6931, 1.3133])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """x - lambd where x > lambd, x + lambd where x < -lambd, else 0: (*) -> (*).

    Raises RuntimeError for a negative lambd when it is called.

    >>> import retrograd as torch
    >>> torch.nn.Softshrink()(torch.tensor([0.2, 1.]))
    tensor([0.0000, 0.5000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class PReLU(Module):
    """x where x > 0, else weight * x, with a weight that is learned (He et al. 2015).

    (N, C, *) -> (N, C, *), with a weight (1,) or, for num_parameters = C, (C,), which starts as
    `init`. Raises RuntimeError for another number of channels.

    >>> import retrograd as torch
    >>> torch.nn.PReLU()(torch.tensor([-1., 1.]))
    tensor([-0.2500,  1.0000], grad_fn=<PreluKernelBackward0>)
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weight to its initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + abs(x)): (*) -> (*). The derivative is 1 / (1 + abs(x))^2.

    >>> import retrograd as torch
    >>> torch.nn.Softsign()(torch.tensor([-1., 3.]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x): (*) -> (*). The derivative is tanh(x)^2.

    >>> import retrograd as torch
    >>> torch.nn.Tanhshrink()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.2384])
    """

    def forward(self, input):
        return F.tanhshrink(input)


class _AlongDim(Module):
    """A normalizing function along one dimension."""

    __constants__ = ["dim"]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(_AlongDim):
    """exp(-x_i) / sum_j exp(-x_j) along dim: softmax(-x).

    (*) -> (*); the numbers along dim sum to 1. Raises IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """exp(x_i) / sum_j exp(x_j) along dim.

    (*) -> (*); the numbers along dim sum to 1. Raises IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.Softmax(dim=0)(torch.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """log(softmax(x)) along dim.

    (*) -> (*); the exponentials along dim sum to 1. Raises IndexError for a dim out of range.

    >>> import retrograd as torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([0., 0.]))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input):
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """exp(x_c) / sum_k exp(x_k) over the channels, at each place of an image.

    (N, C, H, W) or (C, H, W), of the same shape. Raises ValueError for other dimensions.

    >>> import retrograd as torch
    >>> torch.nn.Softmax2d()(torch.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D "
                             "instead")
        return F.softmax(input, -3, _stacklevel=5)
