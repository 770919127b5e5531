"""torch.cuda.amp.grad_scaler."""

from . import GradScaler as GradScaler
