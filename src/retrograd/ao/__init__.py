"""torch.ao: of its quantization, the stubs that models carry."""

from . import quantization

__all__ = ["quantization"]
