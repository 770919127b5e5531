"""while_loop, under the name by which PyTorch's documentation imports it."""

from .._control_flow import while_loop

__all__ = ["while_loop"]
