"""Modules of PyTorch that are not here: their names can be imported, none can be called.

Libraries name process groups, quantized or nested tensors and exporters where they are imported,
as classes to compare with or to annotate by, and use them only in setups that retrograd does not
have. Such a name is a class without instances; calling it says what is missing.
"""

from __future__ import annotations

import difflib
import functools
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_MODULES = {                      # modules, and all below them that retrograd does not have: why
    "distributed": "retrograd runs in one process",
    "nested": "retrograd has no nested tensors",
    "masked": "retrograd has no masked tensors, only masked reductions",
    "quantization": "retrograd has no quantized tensors",
    "ao": "retrograd has no quantized tensors",
    "nn.quantized": "retrograd has no quantized tensors",
    "nn.qat": "retrograd has no quantized tensors",
    "nn.quantizable": "retrograd has no quantized tensors",
    "nn.intrinsic": "retrograd has no quantized tensors",
    "package": "retrograd has no packages of modules",
    "utils.mobile_optimizer": "retrograd has no mobile runtime",
    "utils.bundled_inputs": "retrograd has no scripted modules",
    "utils.mkldnn": "retrograd has no layouts of oneDNN",
    "cuda.comm": "there is no CUDA",
    "cuda.nccl": "there is no CUDA",
    "onnx": "retrograd does not write ONNX files",
    "_inductor": "retrograd does not compile programs",
    "_functorch": "retrograd's torch.func is made otherwise",
    "_C._autograd": "retrograd's autograd is made otherwise",
    "_C._functorch": "retrograd's torch.func is made otherwise",
}


ADVICE = ("\n\nretrograd does not have it. If PyTorch does: README.md, \"What is covered\", says "
          "what is missing.")


@functools.cache                  # libraries ask by hasattr()
def advice(name: str) -> str:
    """What the error about a missing name of torch adds."""
    near = difflib.get_close_matches(name, dir(sys.modules["retrograd"]), 1, 0.8)
    return f"\n\nCure: if you mean `torch.{near[0]}`, write that." if near else ADVICE


class _Refused(type):
    """The class of refused names; an attribute of a refused name is another one."""

    def __call__(cls, *args: Any, **kwargs: Any) -> bool:
        if cls.__name__ in ("is_available", "is_initialized", "model_is_exported"):   # asked first
            return False
        named = next(one for one in cls.__mro__ if _why(one.__module__))     # not a subclass of it
        raise NotImplementedError(f"{named.__module__}.{named.__qualname__}: "
                                  f"{_why(named.__module__)}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return refused(cls.__module__, f"{cls.__qualname__}.{name}")


class RefusedModule(ModuleType):
    """A module in which every name is refused; settings can be set, but nothing reads them."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = refused("torch" + self.__name__.removeprefix("retrograd"), name)
        setattr(self, name, found)
        return found


def refused(module: str, name: str) -> type:
    """The name `name` of the module `module`, to be imported and not to be called."""
    bases = (RuntimeError,) if name.endswith("Error") else ()     # for `except` clauses
    found = _Refused(name.rpartition(".")[2], bases, {"__module__": module})
    found.__qualname__ = name
    found.__doc__ = f"Raises NotImplementedError: {_why(module)}."
    return found


def module(name: str) -> ModuleType | None:
    """The module `retrograd.X` where PyTorch has a torch.X of which nothing is here."""
    if _why(name) is None:
        return None
    made = RefusedModule(name, f"Nothing of it is here: {_why(name)}.")
    made.__spec__ = ModuleSpec(name, None, is_package=True)
    made.__path__ = []
    sys.modules[name] = made
    return made


def _why(module: str) -> str | None:
    path = module.partition(".")[2] + "."
    return next((why for name, why in _MODULES.items() if path.startswith(name + ".")), None)
