"""Operators under the name by which nn reaches them in PyTorch: _VF.lstm is torch.lstm."""

from __future__ import annotations

from typing import Any

import retrograd as torch


def __getattr__(name: str) -> Any:
    return getattr(torch, "_unique_dim" if name == "unique_dim" else name)


def _add_relu(input: Any, other: Any, *, alpha: float = 1, out: Any = None) -> Any:
    """relu(input + alpha * other)."""
    result = torch.relu(torch.add(input, other, alpha=alpha))
    return result if out is None else out.copy_(result)


def _add_relu_(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """_add_relu in place."""
    return _add_relu(input, other, alpha=alpha, out=input)
