"""Neural networks: layers (Modules), their functions, initial values, helpers.

Importing retrograd does not import this package; touching `retrograd.nn` does.
"""
from __future__ import annotations

import importlib
from typing import Any

from retrograd.nn import functional, init, modules, parameter
from retrograd.nn.modules import *  # noqa: F403
from retrograd.nn.parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
)

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional",
           "init", "modules", "parameter"]
__all__ += modules.__all__

_SUBMODULES = ("utils", "parallel", "grad", "attention", "common_types")


def factory_kwargs(kwargs):
    """The device, dtype and memory_format among `kwargs`; TypeError for anything else.

    >>> import retrograd as torch
    >>> torch.nn.factory_kwargs({"dtype": torch.float64})
    {'dtype': torch.float64}
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    unexpected = kwargs.keys() - {*simple, "factory_kwargs"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    chosen = dict(kwargs.get("factory_kwargs", {}))
    for name in simple & kwargs.keys():
        if name in chosen:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        chosen[name] = kwargs[name]
    return chosen


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "DataParallel":
        return importlib.import_module(f"{__name__}.parallel").DataParallel
    raise AttributeError(f"module 'torch.nn' has no attribute {name!r}")


def __dir__():
    return [*__all__, *_SUBMODULES, "DataParallel", "factory_kwargs"]
