"""The older name of torch.library's decorators."""

from __future__ import annotations

from .library import custom_op, impl_abstract

__all__ = ["custom_op", "impl_abstract"]
