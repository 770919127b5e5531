"""Checks that raise if a condition fails: torch._check, _check_index ..., _assert_async."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ._attributes import device as torch_device
from ._tensor import Tensor
from .ops.arguments import must_be
from .ops.factory import c_layout

DEFAULT = ("Expected cond to be True, but got False. (Could this error message be improved? If so, "
           "please report an enhancement request to PyTorch.)")


def _fail(error: type[Exception], message: Callable[[], object] | None) -> None:
    if message is None:
        raise error(DEFAULT)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error(str(message()))


def _check_with(error_type: type[Exception], cond: bool,
                message: Callable[[], object] | None) -> None:
    """Raise `error_type` with the text of message() unless `cond` is True."""
    if isinstance(cond, Tensor):
        raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use "
                        "torch._check_tensor_all() to assert that all elements are true.")
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        _fail(error_type, message)


def _check(cond: bool, message: Callable[[], object] | None = None) -> None:
    """Raise RuntimeError with the text of message() unless `cond` is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Callable[[], object] | None = None) -> None:
    """The same with IndexError."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Callable[[], object] | None = None) -> None:
    """The same with ValueError."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Callable[[], object] | None = None) -> None:
    """The same with TypeError."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Callable[[], object] | None = None) -> None:
    """The same with NotImplementedError."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Callable[[], object] | None = None, *,
                   max: int | None = None) -> None:
    """Raise RuntimeError unless 0 <= i <= max."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with "
                  "guard_size_oblivious.     Use _check(i >= 0) instead.", FutureWarning,
                  stacklevel=2)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all(cond: Tensor, message: Callable[[], object] | None = None) -> None:
    """Raise RuntimeError unless every element of the bool tensor is True."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond._data.dtype.kind != "b":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check(bool(np.all(cond._data)), message)


def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raise RuntimeError unless the tensor's one element is not zero."""
    if not bool(input):
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _assert_tensor_metadata(a: Tensor, size: Any = None, stride: Any = None, dtype: Any = None, *,
                            device: Any = None, layout: Any = None) -> None:
    """Raise RuntimeError unless the tensor has these properties; None is not checked."""
    if not isinstance(a, Tensor):
        raise must_be("Tensor", "_assert_tensor_metadata", "a", 1, a)
    wanted = (
        ("sizes", None if size is None else list(size), list(a.shape)),
        ("strides", None if stride is None else list(stride), list(a.stride())),
        ("dtype", dtype and dtype.tensor_name, dtype and a.dtype.option_name),
        ("device", device and str(torch_device(device)), str(a.device)),
        ("layout", layout and c_layout(layout), c_layout(a.layout)))
    for what, expected, found in wanted:
        fits = dtype is a.dtype if what == "dtype" else expected == found
        if not (expected is None or fits):
            raise RuntimeError(f"Tensor {what} mismatch! Expected: {expected}, Got: {found}")
