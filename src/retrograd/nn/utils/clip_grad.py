"""Limiting gradients by their norm or their values."""
from __future__ import annotations

import functools
import types
import warnings

import numpy as np

import retrograd as torch
from retrograd import kernels
from retrograd._tensor import wrap
from retrograd.kernels import fast
from retrograd.ops.support import unobserved

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _no_grad(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with torch.no_grad():
            return function(*args, **kwargs)

    return wrapper


def _gradients(parameters):
    return [p.grad for p in parameters if p.grad is not None]


def _as_list(tensors):
    if isinstance(tensors, torch.Tensor):
        return [tensors]
    if isinstance(tensors, types.GeneratorType):
        return list(tensors)
    return tensors


@_no_grad
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all `tensors` as if they were one vector: the norm of their norms.

    Raises:
        RuntimeError: the norm is nan or infinite and `error_if_nonfinite` is set.

    >>> import retrograd as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
    tensor(5.)
    """
    tensors = list(_as_list(tensors))
    norm_type = float(norm_type)
    if len(tensors) == 0:
        return torch.tensor(0.0)
    total = _euclidean(tensors) if norm_type == 2 else None
    if total is None:
        norms = [torch.linalg.vector_norm(t, norm_type) for t in tensors]
        total = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    if error_if_nonfinite and torch.logical_or(total.isnan(), total.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`")
    return total


def _euclidean(tensors):
    """The norm of the norms of tensors of one dtype that nobody observes, on arrays: the operators
    take three times as long. None for others."""
    if not all(t.__class__ is torch.Tensor and unobserved(t._flags) for t in tensors):
        return None
    arrays = [t._data for t in tensors]
    dtype = arrays[0].dtype
    if dtype.char not in "fd" or any(a.dtype is not dtype for a in arrays):
        return None
    least = fast.limit("linalg_vector_norm")
    norms = [kernels.euclidean_norm(a) if a.size < least else
             kernels.linalg_vector_norm(a, 2, tuple(range(a.ndim)), False) for a in arrays]
    return wrap(np.asarray(kernels.euclidean_norm(np.array(norms, dtype))))


@_no_grad
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale the gradients by max_norm / (total_norm + 1e-6) where that is below 1.

    >>> import retrograd as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grads_with_norm_([p], 1.0, torch.tensor(5.0))
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    grads = _gradients(_as_list(parameters))
    if not grads:
        return
    factor = float(max_norm) / (total_norm + 1e-6)
    # multiplying by 1 costs less than asking whether the factor is below 1
    factor = torch.clamp(factor, max=1.0)
    for grad in grads:
        grad.mul_(factor)


@_no_grad
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients in place so that their common norm is at most `max_norm`.

    The norm is that of all gradients as one vector, of order `norm_type`. Where it is larger than
    `max_norm`, each gradient is multiplied by max_norm / (norm + 1e-6).

    Returns:
        the norm before scaling.

    Raises:
        RuntimeError: the norm is nan or inf, with `error_if_nonfinite`.

    >>> import retrograd as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([p], max_norm=1.0)
    tensor(5.)
    """
    if isinstance(parameters, torch.Tensor):
        parameters = [parameters]
    else:
        generator = isinstance(parameters, types.GeneratorType)
        parameters = list(parameters)
        if generator and not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.",
                          stacklevel=3)
    max_norm = float(max_norm)
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The deprecated name of clip_grad_norm_, with a FutureWarning."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
                  "`torch.nn.utils.clip_grad_norm_`.", FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@_no_grad
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit every element of the gradients to [-clip_value, clip_value], in place.

    Parameters without a gradient are passed over; RuntimeError if none has one.

    >>> import retrograd as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([5., -5.])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([ 1., -1.])
    """
    clip_value = float(clip_value)
    grads = _gradients(_as_list(parameters))
    if not grads:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)\n\n"
            "None of the parameters has a gradient.\nCure: clip after backward().")
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)
