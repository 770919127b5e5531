"""A Tensor where Python or NumPy wants a number, a truth value, a sequence or an array.

Functions with two underscores are methods like the others: Python looks for them in the class.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .._callers import computes
from .._memory import give_out
from .._meta import META_ITEM
from .._state import state
from .._tensor import BATCHED, ON_META, SPARSE, Tensor, wrap
from .._warnings import warn_once
from .mistyped import of_call
from .public import method

VMAP_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
    ".item() on a Tensor, please try to rewrite what you're doing with other operations. If error "
    "is occurring somewhere inside PyTorch internals, please file a bug report.")


# --------------------------------------------------------------------------- numbers

@method
def item(self) -> float:
    """The one element as a Python number.

    Raises RuntimeError if there is not exactly one, on "meta", and inside vmap.

    >>> import retrograd as torch
    >>> torch.tensor([2.5]).item()
    2.5
    """
    if self._flags & BATCHED:
        raise RuntimeError(VMAP_ITEM)
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to "
                           f"Scalar\n\nitem() gives one number, and the shape is "
                           f"{self._data.shape}.\nCure: sum() or mean() before it, one element, "
                           "x[0].item(), or tolist() for all of them.")
    if self._flags & ON_META:
        raise RuntimeError(META_ITEM)
    return _number(self._data)


def _number(array):
    """The element of an array that has one; NumPy reads bfloat16 (kind V) as an object."""
    value = array.reshape(()).item()
    return float(array.reshape(())) if array.dtype.kind == "V" else value


@method
def __bool__(self):
    if self._flags & BATCHED:
        raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some "
                           "data-dependent control flow. We don't support that yet, please "
                           "file an issue at https://github.com/pytorch/pytorch/issues .")
    if self._data.size == 1:
        if self._flags & ON_META:
            raise RuntimeError(META_ITEM)
        return bool(self._data.reshape(()))
    if self._data.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous\n\n"
                       "A comparison of tensors is True or False for each element.\nCure: .all() "
                       "or .any() of it, or torch.equal(a, b); &, | and ~ for and, or and not. "
                       "For a loss: nn.CrossEntropyLoss()(output, target), with two pairs of "
                       "parentheses.")


@method
def __float__(self):
    return _as_scalar(self, float)


@method
def __int__(self):
    return _as_scalar(self, int)


@method
def __complex__(self):
    return _as_scalar(self, complex)


def _as_scalar(t, kind):
    """float(t), int(t) or complex(t), as `kind` says: the number of a tensor of one element."""
    if t._flags & BATCHED:
        raise RuntimeError(VMAP_ITEM)
    if t._data.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars\n\n"
                         f"This one has the shape {t._data.shape}.\nCure: sum() or mean() before "
                         "it, or tolist().")
    if t._flags & ON_META:
        raise RuntimeError(META_ITEM)
    if t._flags & 1:
        if computes(sys._getframe(2)):  # if something is computed with it, its gradient ends here
            raise of_call(TypeError(f"argument must be {kind.__name__}, not {type(t).__name__}"))
        warn_once("Converting a tensor with requires_grad=True to a scalar may lead to "
                  "unexpected behavior.\nConsider using tensor.detach() first.")
    value = _number(t._data)
    if isinstance(value, complex) and kind is not complex:
        if value.imag:
            name = "double" if kind is float else "int64_t"
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        value = value.real
    return kind(value)


@method
def __index__(self):
    if self._data.size != 1 or self._data.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if self._flags & (BATCHED | ON_META):
        raise RuntimeError(VMAP_ITEM if self._flags & BATCHED else META_ITEM)
    return int(self._data.reshape(()))


@method
def __format__(self, spec):
    if self._flags & BATCHED and self._data.ndim == 0:
        raise RuntimeError(VMAP_ITEM)
    if self._data.ndim == 0 and type(self) is Tensor and not self._flags & ON_META:
        return _number(self._data).__format__(spec)
    return object.__format__(self, spec)


# --------------------------------------------------------------------------- sequences

@method
def tolist(self) -> Any:
    """The elements as (nested) lists of Python numbers; of a 0-d tensor its one number.

    >>> import retrograd as torch
    >>> torch.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    array = self._data
    return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()


@method
def __len__(self):
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._data.shape[0]


@method
def __iter__(self):
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@method
def __contains__(self, element):
    if isinstance(element, (Tensor, int, float, complex, bool)):
        return bool((self == element).any())
    raise RuntimeError("Tensor.__contains__ only supports Tensor or scalar, but you passed in "
                       f"a {type(element)}.")


# --------------------------------------------------------------------------- arrays

@method
def numpy(self, *, force: bool = False) -> np.ndarray:
    """An array on the same memory, shared both ways. `force` detaches first.

    Raises RuntimeError if the tensor requires grad, TypeError on "meta".

    >>> import retrograd as torch
    >>> torch.tensor([1., 2.]).numpy().sum().item()
    3.0
    """
    if self._flags & BATCHED:
        raise self._data._error()
    if self._flags & ON_META:
        raise TypeError("can't convert meta device type tensor to numpy. Use Tensor.cpu() to "
                        "copy the tensor to host memory first.")
    if self._flags & SPARSE:
        self._data.__array__()
    if self._flags & 1 and state.grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                           "tensor.detach().numpy() instead.\n\n"
                           "NumPy records nothing: no gradient comes back from it.\n"
                           "Cure: for a report or a plot, detach().numpy(); for a loss, "
                           "keep computing with functions of torch.")
    return give_out(self._data).view()       # the program may set its shape, dtype and flags


@method
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


@method
def __array_wrap__(self, array, context=None, return_scalar=False):
    made = np.asarray(array)         # tensor + array is NumPy's: arrays leave operators alone
    # for bools PyTorch gives uint8
    return wrap(made.view(np.uint8) if made.dtype.kind == "b" else made)


@method
def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    from ..utils.dlpack import export
    return export(self, stream, max_version=max_version, dl_device=dl_device, copy=copy)


@method
def __dlpack_device__(self):
    from ..utils.dlpack import DLDeviceType
    return DLDeviceType.kDLCPU, 0
