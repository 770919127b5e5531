"""How optimizers group tensors that one fused call could take."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cpu"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["cpu"]


def _device_has_foreach_support(device: Any) -> bool:
    return device.type == "cpu"


def _group_tensors_by_device_and_dtype(tensorlistlist: Any, with_indices: bool = False) -> dict:
    """{(device, dtype): (the lists, of only these tensors; their indices)}, by the first list."""
    groups: dict = {}
    for i, first in enumerate(tensorlistlist[0]):
        groups.setdefault((first.device, first.dtype), []).append(i)
    return {
        key: ([[tensors[i] for i in places] if tensors else [] for tensors in tensorlistlist],
              list(places) if with_indices else [])
        for key, places in groups.items()
    }
