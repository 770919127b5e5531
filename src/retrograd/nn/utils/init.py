"""skip_init: a module whose parameters are left as allocated."""
from __future__ import annotations

import inspect

import retrograd as torch

__all__ = ["skip_init"]


def skip_init(module_cls, *args, **kwargs):
    """An instance of `module_cls` whose parameters and buffers have arbitrary values.

    Raises RuntimeError if `module_cls` is not a Module or takes no `device`.

    >>> import retrograd as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    if not issubclass(module_cls, torch.nn.Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
