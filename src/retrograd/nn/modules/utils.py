"""A helper for state_dicts, and the tuple helpers at their place in PyTorch."""
from __future__ import annotations

from retrograd.nn._tuples import (  # noqa: F401  programs take them from here
    _list_with_default,
    _ntuple,
    _pair,
    _quadruple,
    _reverse_repeat_tuple,
    _single,
    _triple,
)

__all__ = ["consume_prefix_in_state_dict_if_present"]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Strip `prefix` in place from the names (and metadata) of `state_dict`."""
    for key in list(state_dict.keys()):
        if key.startswith(prefix):
            state_dict[key[len(prefix):]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in list(metadata.keys()):
        if key:
            short = key.replace(prefix, "", 1) if key.startswith(prefix) else key
            if key == prefix.replace(".", ""):
                short = ""
            if short != key:
                metadata[short] = metadata.pop(key)
