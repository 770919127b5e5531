"""torch.ao: only the stubs of its quantization that models contain."""

from . import quantization

__all__ = ["quantization"]
