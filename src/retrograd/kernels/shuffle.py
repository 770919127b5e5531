"""Moving elements between channels and space, and between groups of channels."""

from __future__ import annotations

import numpy as np

from .layout import like


def pixel_shuffle_by(x, r):
    """(*, C r^2, H, W) -> (*, C, H r, W r)."""
    *lead, c, h, w = x.shape
    n = len(lead)
    split = x.reshape(*lead, c // (r * r), r, r, h, w)
    moved = split.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return _new(moved.reshape(*lead, c // (r * r), h * r, w * r), x)


def pixel_unshuffle_by(x, r):
    """(*, C, H r, W r) -> (*, C r^2, H, W)."""
    *lead, c, h, w = x.shape
    n = len(lead)
    split = x.reshape(*lead, c, h // r, r, w // r, r)
    moved = split.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return _new(moved.reshape(*lead, c * r * r, h // r, w // r), x)


def _new(y, x):
    """y as like(y, x), but in memory of its own: nothing was moved where r or the image is 1."""
    return like(y.copy() if np.may_share_memory(y, x) else y, x)


def channel_shuffle_by(x, groups):
    """(N, C, *): channel g * C / groups + i becomes i * groups + g."""
    n, c, *space = x.shape
    split = x.reshape(n, groups, c // groups, *space)
    return like(split.swapaxes(1, 2).copy().reshape(x.shape), x)
