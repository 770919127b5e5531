"""torch.sparse: its names, each refused when called. All tensors are dense."""

from __future__ import annotations

from typing import Any, NoReturn

import retrograd as torch

__all__ = ["addmm", "log_softmax", "mm", "softmax", "solve", "spdiags", "sum"]


def _refused(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}: retrograd has no sparse tensors")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = "Raises NotImplementedError: there are no sparse tensors."
    return function


addmm, log_softmax, mm, softmax, solve, spdiags, sum = (
    _refused(f"torch.sparse.{name}") for name in __all__
)
sparse_coo_tensor = _refused("torch.sparse_coo_tensor")
sparse_csr_tensor = _refused("torch.sparse_csr_tensor")
sparse_csc_tensor = _refused("torch.sparse_csc_tensor")
sparse_bsr_tensor = _refused("torch.sparse_bsr_tensor")
sparse_bsc_tensor = _refused("torch.sparse_bsc_tensor")
sparse_compressed_tensor = _refused("torch.sparse_compressed_tensor")


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """How many of the sorted row numbers `input` lie before each of `size` rows, and in all."""
    rows = torch.arange(size + 1, dtype=input.dtype)
    return torch.searchsorted(input, rows, out_int32=out_int32)


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False,
                                     transpose=False):
    """(2, n): a row and a column for each entry; columns first with `transpose`."""
    rows = torch.arange(crow_indices.shape[-1] - 1).repeat_interleave(crow_indices.diff())
    pair = (col_indices, rows) if transpose else (rows, col_indices)
    return torch.stack(pair).to(torch.int32 if out_int32 else crow_indices.dtype)


class _NoTensorType(type):
    """The class of the tensor types below: nothing is an instance, none can be made."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return False

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"torch.sparse.{cls.__name__}: retrograd has no sparse tensors")


class FloatTensor(metaclass=_NoTensorType):
    """Raises NotImplementedError."""


class DoubleTensor(metaclass=_NoTensorType):
    """Raises NotImplementedError."""


class HalfTensor(metaclass=_NoTensorType):
    """Raises NotImplementedError."""


class LongTensor(metaclass=_NoTensorType):
    """Raises NotImplementedError."""


class IntTensor(metaclass=_NoTensorType):
    """Raises NotImplementedError."""
