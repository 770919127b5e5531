"""torch.distributed.optim: its classes, refused when made."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer:
    """Raises NotImplementedError: there are no processes to divide the state among."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("ZeroRedundancyOptimizer: retrograd runs in one process")
