"""torch.fx.Proxy under the name of its file."""

from . import Proxy

__all__ = ["Proxy"]
