"""torch.cpu.amp: the older names of torch.amp's, for device 'cpu'."""

from .autocast_mode import autocast
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast"]
