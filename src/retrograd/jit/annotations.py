"""The annotations of arguments that take one number for several."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple  # noqa: F401, UP035

__all__ = [
    "Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "List",
    "Tuple",
]


class _BroadcastingList:
    """BroadcastingList2[int]: annotations are not read."""

    def __getitem__(self, types: object) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
