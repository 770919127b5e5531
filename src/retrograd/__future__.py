"""Switches for behaviour that is to change: how Module.to() and the like convert parameters."""
from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Make module conversions put new Parameters in place of the old ones' data."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether module conversions make new Parameters (default: no)."""
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Accepted; parameters keep their identity either way."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """What was set by set_swap_module_params_on_conversion."""
    return _swap
