"""torch.sparse: its names, each refused when called. All tensors are dense."""

from __future__ import annotations

from typing import Any, NoReturn

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
