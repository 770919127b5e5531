"""torch.ao.quantization: the stubs that models contain. Nothing is quantized."""

from __future__ import annotations

from typing import Any

from ..._refused import refused
from ...nn.modules.module import Module

__all__ = ["DeQuantStub", "QuantStub"]


class QuantStub(Module):
    """Marks where a quantized model's numbers would be rounded; passes them through."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            raise NotImplementedError("QuantStub: qconfig is not supported")

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x


class DeQuantStub(QuantStub):
    """Marks where a quantized model's numbers would become floats again."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ao.quantization' has no attribute {name!r}")
    return refused("torch.ao.quantization", name)
