"""Copies of modules on several GPUs: there are none here."""
from __future__ import annotations

__all__ = ["replicate"]


def replicate(network, devices, detach=False):
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.nn.parallel.replicate: retrograd has one device, the CPU")
