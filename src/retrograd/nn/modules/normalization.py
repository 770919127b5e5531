"""Layer, group, RMS and local response normalization."""
from __future__ import annotations

import numbers

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn import init
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter

__all__ = ["LocalResponseNorm", "CrossMapLRN2d", "LayerNorm", "GroupNorm", "RMSNorm"]

_shape_t = int | list[int] | torch.Size         # what programs annotate normalized_shape with
__getattr__ = borrows(__name__)


class LocalResponseNorm(Module):
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta.

    (N, C, ...) of the same shape. Raises ValueError for fewer than three dimensions.

    >>> import retrograd as torch
    >>> torch.nn.LocalResponseNorm(2)(torch.ones(1, 4, 2)).shape
    torch.Size([1, 4, 2])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """x (k + alpha / size * sum of x^2 over neighbouring channels)^-beta, of images.

    (N, C, H, W) -> (N, C, H, W). The sum is PyTorch's running one: from the channel number `size`
    // 2 + 1 on, its first term stays in it. Raises ValueError for other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.CrossMapLRN2d(2)(torch.ones(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels = input.size(1)
        reach = int((self.size - 1) / 2 + 1)
        rows = [[float(d == 0 and c > reach or max(c - reach + 1, 0) <= d < c + reach
                       or c <= reach and d < c) for d in range(channels)]
                for c in range(channels)]
        window = torch.tensor(rows, dtype=input.dtype)
        squares = (input * input).flatten(2)                    # (N, C, H W)
        scale = (window @ squares).view(input.shape) * (self.alpha / self.size) + self.k
        return input * scale.pow(-self.beta)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


def _sizes(normalized_shape):
    if isinstance(normalized_shape, numbers.Integral):
        return (normalized_shape,)
    return tuple(normalized_shape)


class LayerNorm(Module):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016).

    Args:
        normalized_shape: the sizes of these dimensions, which weight and bias have too.
        elementwise_affine: whether there are weight (ones) and bias (zeros) at all.

    Raises RuntimeError for an input that ends in other sizes.

    >>> import retrograd as torch
    >>> torch.nn.LayerNorm(2)(torch.tensor([[0.0, 2.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            values = torch.empty(self.normalized_shape, device=device, dtype=dtype)
            self.register_parameter(name, Parameter(values) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Weight 1, bias 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}")


class GroupNorm(Module):
    """(x - mean) / sqrt(var + eps) * weight + bias (Wu and He 2018).

    Mean and var are those of a group of channels of one sample (N, C, ...); weight and bias (C).
    Raises ValueError where num_groups does not divide num_channels.

    >>> import retrograd as torch
    >>> torch.nn.GroupNorm(2, 4, affine=False)(torch.tensor([[1., 3., 2., 4.]]))
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None,
                 *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups "
                             f"({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            values = torch.empty(num_channels, device=device, dtype=dtype)
            self.register_parameter(name, Parameter(values) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Weight 1, bias 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class RMSNorm(Module):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions (Zhang and Sennrich 2019).

    (*, normalized_shape) -> the same; weight, of normalized_shape, starts as ones. `eps` of None is
    the dtype's. Raises RuntimeError for an input that ends in other sizes.

    >>> import retrograd as torch
    >>> torch.nn.RMSNorm(2, elementwise_affine=False)(torch.tensor([3., 4.]))
    tensor([0.8485, 1.1314])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None,
                 dtype=None):
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        values = torch.empty(self.normalized_shape, device=device, dtype=dtype)
        self.register_parameter("weight", Parameter(values) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Weight 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")
