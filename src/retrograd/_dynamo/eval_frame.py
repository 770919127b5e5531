"""torch._dynamo.eval_frame: what torch.compile makes of a module, and what libraries ask of it."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from ..nn.modules.module import Module

__all__ = ["OptimizedModule", "is_dynamo_supported"]


class OptimizedModule(Module):
    """The module that torch.compile was given, uncompiled, as the child `_orig_mod`.

    So its parameters are named as in PyTorch. All other attributes are read from that module, and
    set on it.

    >>> import retrograd as torch
    >>> compiled = torch._dynamo.OptimizedModule(torch.nn.Linear(2, 1))
    >>> list(compiled.state_dict()), compiled.in_features
    (['_orig_mod.weight', '_orig_mod.bias'], 2)
    """

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        self.__dict__.pop("training")                        # as everything else, it is the child's

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__.get("_modules", {})
        if "_orig_mod" not in own:                           # a copy that is being made
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return own["_orig_mod"] if name == "_orig_mod" else getattr(own["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __len__(self) -> int:
        if isinstance(self._orig_mod, Sized):
            return len(self._orig_mod)
        raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")


def is_dynamo_supported() -> bool:
    """False."""
    return False
