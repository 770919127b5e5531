"""Spreading arguments over GPUs and collecting results, of which there are none."""
from __future__ import annotations

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _refuse(name):
    raise NotImplementedError(f"torch.nn.parallel.scatter_gather.{name}: retrograd has one "
                              "device, the CPU")


def scatter(inputs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter")


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter_kwargs")


def gather(outputs, target_device, dim=0):
    """Raises NotImplementedError."""
    _refuse("gather")
