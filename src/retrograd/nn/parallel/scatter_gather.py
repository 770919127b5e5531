"""Copies of modules and arguments on several GPUs, and results from there: there are none here."""
from __future__ import annotations

__all__ = ["gather", "parallel_apply", "replicate", "scatter", "scatter_kwargs"]


def _refuse(name):
    raise NotImplementedError(f"torch.nn.parallel.{name}: retrograd has one device, the CPU")


def replicate(network, devices, detach=False):
    """Raises NotImplementedError."""
    _refuse("replicate")


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """Raises NotImplementedError."""
    _refuse("parallel_apply")


def scatter(inputs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter")


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter_kwargs")


def gather(outputs, target_device, dim=0):
    """Raises NotImplementedError."""
    _refuse("gather")
