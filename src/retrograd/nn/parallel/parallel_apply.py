"""Modules run on several GPUs at a time: there are none here."""
from __future__ import annotations

from retrograd import Tensor

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj):
    """The first tensor in `obj`, a tensor or nested lists, tuples and dicts of them; or None.

    >>> import retrograd as torch
    >>> from retrograd.nn.parallel.parallel_apply import get_a_var
    >>> get_a_var({"a": [1, torch.ones(2)]})
    tensor([1., 1.])
    """
    if isinstance(obj, Tensor):
        return obj
    parts = obj.items() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else ()
    return next((found for found in map(get_a_var, parts) if found is not None), None)


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.nn.parallel.parallel_apply: retrograd has one device, the CPU")
