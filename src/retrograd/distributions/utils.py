"""What several distributions need: broadcasting, probs and logits, triangles, lazy parameters."""

from __future__ import annotations

import functools
import math
from typing import Any

import retrograd as torch

from ..ops.batching import physical
from ..overrides import is_tensor_like

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]

euler_constant = 0.5772156649015329     # minus the derivative of the gamma function at 1


def all_true(valid):
    """Whether every element holds; under vmap those of all instances together, as bool() of one
    instance would raise an error."""
    return bool(physical(valid).all())


def broadcast_all(*values):
    """The values as tensors of one shape; numbers get the dtype of the first tensor.

    ValueError for what is neither a number nor a tensor.

    >>> import retrograd as torch
    >>> from retrograd.distributions.utils import broadcast_all
    >>> broadcast_all(torch.zeros(2), 1.0)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all([isinstance(v, (torch.Tensor, int, float)) or is_tensor_like(v) for v in values]):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or "
                         "objects implementing __torch_function__.")
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    dtype = torch.get_default_dtype() if first is None else first.dtype
    return torch.broadcast_tensors(*[torch.tensor(v, dtype=dtype) if isinstance(v, (int, float))
                                     else v for v in values])


def _standard_normal(shape, dtype, device):
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim):
    """The sum over the last `dim` dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value


def logits_to_probs(logits, is_binary=False):
    """`sigmoid(logits)` for two outcomes, `softmax(logits)` for more."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs):
    """probs between eps and 1 - eps, so that their logarithms are finite."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """`log(p / (1 - p))` for two outcomes, `log(p)` for more; p is kept off 0 and 1."""
    p = clamp_probs(probs)
    return p.log() - (-p).log1p() if is_binary else p.log()


class lazy_property:
    """A property computed when first read, and afterwards an attribute of the instance.

    It is computed with gradients recorded, even if first read under no_grad.
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, obj_type=None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class Undeclared:
    """An attribute that a subclass must define; NotImplementedError until then."""

    def __init__(self, doc):
        self.__doc__ = doc

    def __get__(self, instance, owner=None) -> Any:
        if instance is None:
            return self
        raise NotImplementedError


class ProbsOrLogits:
    """One parameter under two names: the one that was given is kept, the other follows from it.

    A distribution of two outcomes inherits from it and calls `_take` in its `__init__`.
    """

    def _take(self, probs, logits, *others):
        """Store probs or logits, broadcast with `others`, which are returned in its dtype."""
        one_of_two(probs, logits)
        name = "logits" if probs is None else "probs"
        *others, param = broadcast_all(*others, logits if probs is None else probs)
        setattr(self, name, param)
        self._param = param
        return [other.type_as(param) for other in others]

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        return self._param.size()

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)


class OfRelaxedBase:
    """The parameters of a relaxed distribution are those of what it transforms."""

    @property
    def temperature(self):
        return self.base_dist.temperature

    @property
    def logits(self):
        return self.base_dist.logits

    @property
    def probs(self):
        return self.base_dist.probs


def one_of_two(probs, logits):
    """ValueError unless exactly one is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def _triangle(n, diag):
    """The mask of an n x n matrix's entries on and below a diagonal."""
    return torch.ones(n, n, dtype=torch.bool).tril(diag)


def tril_matrix_to_vec(mat, diag=0):
    """The entries of each matrix on and below diagonal `diag`, row by row.

    ValueError if there is no such diagonal.

    >>> import retrograd as torch
    >>> from retrograd.distributions.utils import tril_matrix_to_vec
    >>> tril_matrix_to_vec(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 3, 4])
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _triangle(n, diag)]


def vec_to_tril_matrix(vec, diag=0):
    """Square matrices with the vectors on and below diagonal `diag`, zero above.

    ValueError if no matrix has that many entries there.

    >>> import retrograd as torch
    >>> from retrograd.distributions.utils import vec_to_tril_matrix
    >>> vec_to_tril_matrix(torch.tensor([1., 3., 4.]))
    tensor([[1., 0.],
            [3., 4.]])
    """
    b = 1 + 2 * diag        # n rows hold (n (n + b) - |diag| (diag + 1)) / 2 entries up to there
    n = (-b + math.sqrt(b ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1))) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be "
                         "expressed as the lower triangular part of a square D x D matrix.")
    n = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., _triangle(n, diag)] = vec
    return mat
