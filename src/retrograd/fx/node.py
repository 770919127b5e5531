"""torch.fx.Node under the name of its file."""

from . import Node

__all__ = ["Node"]
