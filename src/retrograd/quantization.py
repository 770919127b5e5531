"""torch.quantization, the old place of torch.ao.quantization."""

from __future__ import annotations

from .ao.quantization import *  # noqa: F403
from .ao.quantization import __getattr__ as __getattr__
