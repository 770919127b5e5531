"""Filling tensors with initial values, in place and without recording.

The random ones draw from the generator in PyTorch's order, so a seed gives its values.
"""
from __future__ import annotations

import math
import warnings

import retrograd as torch

__all__ = [
    "calculate_gain", "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_",
    "eye_", "dirac_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
    "orthogonal_", "sparse_", "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform",
    "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse",
]

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
           "conv_transpose3d")


def calculate_gain(nonlinearity, param=None):
    """The recommended factor of the standard deviation of weights before `nonlinearity`.

    1 for linear maps and sigmoid, 5/3 for tanh, sqrt(2) for relu,
    sqrt(2 / (1 + slope^2)) for leaky_relu, 3/4 for selu.

    >>> import retrograd as torch
    >>> torch.nn.init.calculate_gain("relu")
    1.4142135623730951
    """
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif not isinstance(param, bool) and isinstance(param, (int, float)):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill with values of the uniform distribution on [a, b), unrecorded; returns the tensor.

    >>> import retrograd as torch
    >>> torch.nn.init.uniform_(torch.empty(2, 3), 0.0, 1.0).shape
    torch.Size([2, 3])
    """
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill with values of the normal distribution N(mean, std^2), unrecorded; returns the tensor.

    >>> import retrograd as torch
    >>> torch.nn.init.normal_(torch.empty(2, 3), 0.0, 0.02).shape
    torch.Size([2, 3])
    """
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Values from the normal distribution N(mean, std^2) cut off outside [a, b], by rejection.

    >>> import retrograd as torch
    >>> torch.nn.init.trunc_normal_(torch.empty(100), a=-1.0, b=1.0).abs().max() <= 1
    tensor(True)
    """

    def cdf(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
                      "The distribution of values may be incorrect.", stacklevel=2)
    with torch.no_grad():
        if cdf((b - mean) / std) - cdf((a - mean) / std) > 0.3:
            _reject_normals(tensor, mean, std, a, b, generator)
        else:
            _reject_uniforms(tensor, mean, std, a, b, generator)
    return tensor


def _reject_normals(tensor, mean, std, a, b, generator):
    """Normal values; those outside [a, b] are drawn again."""
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    tensor.normal_(mean, std, generator=generator)
    outside = (tensor < low) | (tensor > high)
    while outside.any():
        again = torch.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(torch.where(outside, again, tensor))
        outside = (tensor < low) | (tensor > high)


def _reject_uniforms(tensor, mean, std, a, b, generator):
    """Uniform values on [a, b], kept with a probability in proportion to the density."""
    mode = max(a, min(mean, b))
    log_peak = -0.5 * ((mode - mean) / std) ** 2
    pending = torch.ones_like(tensor, dtype=torch.bool)
    while pending.any():
        candidates = torch.empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(torch.where(pending, candidates, tensor))
        log_density = candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        chance = torch.empty_like(tensor).uniform_(generator=generator).log_()
        pending &= chance > log_density


_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_


def constant_(tensor, val):
    """Write `val` into every element, unrecorded; returns the tensor.

    >>> import retrograd as torch
    >>> torch.nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Write 1 into every element, unrecorded; returns the tensor.

    >>> import retrograd as torch
    >>> torch.nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    with torch.no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor):
    """Write 0 into every element, unrecorded; returns the tensor.

    >>> import retrograd as torch
    >>> torch.nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    with torch.no_grad():
        return tensor.zero_()


def eye_(tensor):
    """The identity, in a 2-dimensional tensor; ValueError for others.

    >>> import retrograd as torch
    >>> torch.nn.init.eye_(torch.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor, groups=1):
    """The weight of a convolution that passes its channels through: 1 in the middle of the kernel.

    Of 3 to 5 dimensions; ValueError for others, and where `groups` does not divide the first.

    >>> import retrograd as torch
    >>> torch.nn.init.dirac_(torch.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    dimensions = tensor.ndimension()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    centre = tuple(n // 2 for n in sizes[2:])
    with torch.no_grad():
        tensor.zero_()
        for g in range(groups):
            for d in range(min(per_group, sizes[1])):
                tensor[(g * per_group + d, d, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """How many inputs feed an output, and how many outputs an input feeds."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than "
                         "2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform in [-b, b] with b = gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    Of a weight (O, I, *kernel) fan_in is I times the size of the kernel, fan_out O times it.
    Raises ValueError for fewer than 2 dimensions.

    >>> import retrograd as torch
    >>> torch.nn.init.xavier_uniform_(torch.empty(3, 3)).abs().max() <= 1
    tensor(True)
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with std = gain sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).

    fan_in and fan_out as in `xavier_uniform_`.

    >>> import retrograd as torch
    >>> torch.nn.init.xavier_normal_(torch.empty(3, 5)).shape
    torch.Size([3, 5])
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def _warn_empty():
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform in [-b, b] with b = gain sqrt(3 / fan) (He et al. 2015).

    Args:
        a: the negative slope of a leaky_relu; it sets the gain (see `calculate_gain`).
        mode: which fan, "fan_in" or "fan_out" (see `xavier_uniform_`).
        nonlinearity: the function that follows the layer, "relu" or "leaky_relu" mostly.

    Raises ValueError for fewer than 2 dimensions, or an unknown mode or nonlinearity.

    >>> import retrograd as torch
    >>> torch.nn.init.kaiming_uniform_(torch.empty(3, 6)).abs().max() <= 1
    tensor(True)
    """
    if 0 in tensor.shape:
        _warn_empty()
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with std = gain / sqrt(fan) (He et al. 2015). Arguments: see `kaiming_uniform_`.

    >>> import retrograd as torch
    >>> torch.nn.init.kaiming_normal_(torch.empty(3, 5)).shape
    torch.Size([3, 5])
    """
    if 0 in tensor.shape:
        _warn_empty()
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """gain times a (semi-)orthogonal matrix, by QR of a normal one (Saxe et al. 2013).

    Dimensions after the first are taken as one. Raises ValueError for fewer than 2.

    >>> import retrograd as torch
    >>> w = torch.nn.init.orthogonal_(torch.empty(3, 3))
    >>> torch.allclose(w @ w.T, torch.eye(3), atol=1e-6)
    True
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
    if rows < cols:
        flat.t_()
    q, r = torch.linalg.qr(flat)
    q *= torch.diag(r, 0).sign()     # makes the decomposition unique
    if rows < cols:
        q.t_()
    with torch.no_grad():
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal values N(0, std^2) with a fraction `sparsity` of zeros in each column (Martens 2010).

    Raises ValueError unless there are 2 dimensions.

    >>> import retrograd as torch
    >>> (torch.nn.init.sparse_(torch.empty(4, 2), sparsity=0.5) == 0).sum(0)
    tensor([2, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = int(math.ceil(sparsity * rows))
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            order = torch.randperm(rows)
            tensor[order[:zeros], col] = 0
    return tensor


def _deprecated(function):
    old, new = function.__name__[:-1], function.__name__

    def renamed(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
                      FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    renamed.__name__ = old
    renamed.__doc__ = f"The deprecated name of {new}, with a FutureWarning."
    return renamed


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
