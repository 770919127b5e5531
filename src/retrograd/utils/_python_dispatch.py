"""What libraries ask of PyTorch's dispatch to Python; there is none."""

from __future__ import annotations

from typing import Any, NoReturn


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """False: no tensor wraps others."""
    return False


class TorchDispatchMode:
    """Raises NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("TorchDispatchMode: retrograd has no dispatcher; forward hooks "
                                  "and the profiler see what runs")
