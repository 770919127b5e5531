"""torch.distributed.tensor: the class of tensors spread over processes; no tensor is one."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["DTensor"]


class DTensor:
    """Raises NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("DTensor: retrograd runs in one process")
