"""Arguments sent to several GPUs, and results from there: there are none here."""
from __future__ import annotations

import warnings

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _refuse(name):
    raise NotImplementedError(f"torch.nn.parallel.{name}: retrograd has one device, the CPU")


def scatter(inputs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter")


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """Raises NotImplementedError."""
    _refuse("scatter_kwargs")


def gather(outputs, target_device, dim=0):
    """Raises NotImplementedError."""
    _refuse("gather")


def _is_namedtuple(obj):
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def is_namedtuple(obj):
    """Whether `obj` is a namedtuple; deprecated, which a warning says."""
    warnings.warn("`is_namedtuple` is deprecated, please use the python checks instead",
                  FutureWarning, stacklevel=2)
    return _is_namedtuple(obj)
