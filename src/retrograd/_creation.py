"""Tensors from numbers, sequences, arrays and sizes."""

from __future__ import annotations

import warnings

import numpy as np

from . import _dtype
from ._dtype import as_dtype
from ._tensor import Tensor, require_cpu, wrap
from .ops.dims import sizes
from .ops.public import public


def finish(array, requires_grad):
    """Wrap a new array, requiring grad if asked."""
    t = wrap(array)
    if requires_grad:
        if array.dtype.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require "
                               "gradients")
        t._track = 1
    return t


def np_dtype(dtype):
    return _dtype.default.np if dtype is None else as_dtype(dtype).np


def _infer(data, dtype=None):
    """The array for a number or nested sequence, in `dtype` or the dtype PyTorch infers."""
    array = np.asarray(data)
    if dtype is not None:
        return array.astype(as_dtype(dtype).np, copy=False)
    if array.dtype.kind == "f" and not isinstance(data, (np.ndarray, np.generic)):
        return array.astype(_dtype.default.np)
    if array.dtype.kind == "c" and not isinstance(data, (np.ndarray, np.generic)):
        return array.astype(_dtype.default.dtype.to_complex().np)
    return array


@public(method=False)
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf with a copy of `data`: a number, nested sequence, array or tensor.

    >>> import retrograd as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    require_cpu(device)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach()"
            ".clone() or sourceTensor.detach().clone().requires_grad_(True), rather than "
            "torch.tensor(sourceTensor).", UserWarning, stacklevel=2)
        array = data._data.copy()
    elif isinstance(data, np.ndarray):
        array = data.copy()
    else:
        array = _infer(_plain(data), dtype)
    if dtype is not None:
        array = array.astype(as_dtype(dtype).np, copy=False)
    _dtype.of(array)
    return finish(array if array.flags.c_contiguous else array.copy(), requires_grad)


def _plain(data):
    """Tensors inside a sequence as numbers."""
    if isinstance(data, (list, tuple)):
        return [_plain(d) for d in data]
    return data.tolist() if isinstance(data, Tensor) else data


@public(method=False)
def from_numpy(ndarray):
    """A Tensor that shares the array's memory."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _dtype.of(ndarray)
    return wrap(ndarray)


@public(method=False)
def zeros(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False):
    """Zeros of the given sizes."""
    require_cpu(device)
    return finish(np.zeros(sizes(size), np_dtype(dtype)), requires_grad)


@public(method=False)
def ones(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False):
    """Ones of the given sizes."""
    require_cpu(device)
    return finish(np.ones(sizes(size), np_dtype(dtype)), requires_grad)


@public(method=False)
def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None,
             requires_grad=False):
    """`steps` evenly spaced numbers from start to end."""
    return finish(np.linspace(start, end, steps).astype(np_dtype(dtype)), requires_grad)


def legacy_tensor(args, device):
    """torch.Tensor(2, 3) and torch.Tensor([1., 2.]): the older constructors."""
    require_cpu(device)
    if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray, Tensor)):
        if isinstance(args[0], tuple) and type(args[0]).__name__ == "Size":
            return wrap(np.empty(args[0], _dtype.default.np))
        return wrap(np.array(_plain(args[0]), _dtype.default.np))
    return wrap(np.empty(sizes(args) if args else (0,), _dtype.default.np))
