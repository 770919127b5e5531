"""Normalization: batch, instance, group, layer, RMS, local response."""
from __future__ import annotations

import math

import retrograd as torch
from retrograd.nn._functional._operators import ops
from retrograd.ops.arguments import must_be


def _verify_batch_size(size):
    count = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size "
                         f"{size}")


def _verify_spatial_size(size):
    if math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size "
                         f"{size}")


def _check_channels(batch, channels, **given):
    for name, tensor in given.items():
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise must_be("Tensor", "instance_norm", name, None, tensor)
        if tensor is not None and tensor.numel() != channels:
            # PyTorch repeats it for each sample before it looks at its size
            raise RuntimeError(f"{name} should contain {batch * channels} elements not "
                               f"{batch * tensor.numel()}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
               momentum=0.1, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias, per channel (dimension 1).

    (N, C, *) -> (N, C, *), the other tensors (C,). In training the statistics are the batch's, and
    the running ones are moved towards them by `momentum`; else the running ones are used
    (Ioffe and Szegedy 2015). Raises ValueError for a single value per channel in training,
    RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.batch_norm(torch.tensor([[1.], [3.]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training:
        shape = input._data.shape
        if shape[0] * math.prod(shape[2:]) == 1:
            _verify_batch_size(input.size())
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return ops.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats=True, momentum=0.1, eps=1e-5):
    """batch_norm of each sample by itself (Ulyanov et al. 2016): (N, C, *) of the same shape.

    Mean and variance are those of one channel of one sample or, without `use_input_stats`, the
    running ones. Raises ValueError for channels of one element.

    >>> import retrograd as torch
    >>> torch.nn.functional.instance_norm(torch.tensor([[[1., 3.]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    shape = input._data.shape if isinstance(input, torch.Tensor) else input.size()
    if use_input_stats:
        if math.prod(shape[2:]) == 1:
            _verify_spatial_size(input.size())
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when "
                           "use_input_stats is false")
    batch, channels = shape[:2]
    _check_channels(batch, channels, running_mean=running_mean, running_var=running_var,
                    weight=weight, bias=bias)
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be "
                         "None")

    def per_sample(t):
        return None if t is None else t.repeat(batch)

    mean, var = per_sample(running_mean), per_sample(running_var)
    flat = input.contiguous().view(1, batch * channels, *shape[2:])
    out = ops.batch_norm(flat, per_sample(weight), per_sample(bias), mean, var, use_input_stats,
                         momentum, eps)
    if running_mean is not None:
        with torch.no_grad():
            running_mean.copy_(mean.view(batch, channels).mean(0))
            running_var.copy_(var.view(batch, channels).mean(0))
    return out.view(shape)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias, by groups of channels (Wu and He 2018).

    (N, C, *) of the same shape: mean and variance are those of a sample's C / num_groups channels,
    weight and bias are (C,). Raises RuntimeError if num_groups does not divide C.

    >>> import retrograd as torch
    >>> torch.nn.functional.group_norm(torch.tensor([[1., 3., 2., 4.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = tuple(input.shape)
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received "
                           f"{len(shape)}")
    _verify_batch_size([shape[0] * shape[1] // num_groups, num_groups, *shape[2:]])
    return ops.group_norm(input, num_groups, weight, bias, eps)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016).

    These have the shape `normalized_shape`, which is that of weight and bias, too; mean and the
    biased variance are taken over them. Raises RuntimeError for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return ops.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions (Zhang and Sennrich 2019).

    (*, normalized_shape), with a weight of normalized_shape or None, of the same shape. `eps` of
    None is the dtype's. Raises RuntimeError for an input that ends in other sizes.

    >>> import retrograd as torch
    >>> torch.nn.functional.rms_norm(torch.tensor([3., 4.]), (2,))
    tensor([0.8485, 1.1314])
    """
    return ops.rms_norm(input, normalized_shape, weight, eps)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta.

    (N, C, ...) of the same shape. Raises ValueError for fewer than three dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.local_response_norm(torch.ones(1, 4, 2), 2).shape
    torch.Size([1, 4, 2])
    """
    from retrograd.nn._functional.pad import pad

    dim = input.dim()
    if dim < 3:
        raise ValueError("Expected 3D or higher dimensionality                          input "
                         f"(got {dim} dimensions)")
    if input.numel() == 0:
        return input
    div = input.mul(input)
    before, after = size // 2, (size - 1) // 2
    if dim == 3:
        div = pad(div.unsqueeze(1), (0, 0, before, after))          # (N, C, L) -> (N, 1, C', L)
        div = ops.avg_pool2d(div, (size, 1), 1).squeeze(1)
    else:
        sizes = input.size()
        div = div.view(sizes[0], 1, sizes[1], sizes[2], -1)         # -> (N, 1, C, H, W)
        div = pad(div, (0, 0, 0, 0, before, after))
        div = ops.avg_pool3d(div, (size, 1, 1), 1).squeeze(1)
        div = div.view(sizes)
    return input / div.mul(alpha).add(k).pow(beta)
