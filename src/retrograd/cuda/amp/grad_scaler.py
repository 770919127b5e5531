"""torch.cuda.amp.grad_scaler."""

from ...amp.grad_scaler import OptState as OptState
from . import GradScaler

__all__ = ["GradScaler"]
