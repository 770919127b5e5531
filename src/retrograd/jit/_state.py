"""Whether scripts are compiled: libraries ask, and the answer is no."""

from __future__ import annotations


class EnabledProxy:
    """A switch, off at first, since what is scripted runs as it is."""

    enabled = False

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()


def enable() -> None:
    _enabled.enabled = True


def disable() -> None:
    _enabled.enabled = False
