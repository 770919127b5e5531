"""Choosing how attention is computed: accepted, since the CPU has one way."""
from __future__ import annotations

import contextlib
from enum import Enum

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """The ways PyTorch has of computing scaled dot-product attention.

    >>> import retrograd as torch
    >>> torch.nn.attention.SDPBackend.MATH.name
    'MATH'
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Inside, PyTorch would use only `backends`; here the result is the same by any.

    >>> import retrograd as torch
    >>> q = k = v = torch.ones(1, 2, 4)      # (N, L, E)
    >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(q, k, v).shape
    torch.Size([1, 2, 4])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, list):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend "
                             "instances")
    yield {}
