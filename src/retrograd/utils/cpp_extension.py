"""torch.utils.cpp_extension: C++ for PyTorch's core cannot be built against retrograd."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "load", "load_inline"]

CUDA_HOME = ROCM_HOME = None


def _refused(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"torch.utils.cpp_extension.{name}: retrograd has no C++ core "
                                  "to build extensions against")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises NotImplementedError."
    return function


load, load_inline = _refused("load"), _refused("load_inline")
CppExtension, CUDAExtension = _refused("CppExtension"), _refused("CUDAExtension")
BuildExtension = _refused("BuildExtension")
