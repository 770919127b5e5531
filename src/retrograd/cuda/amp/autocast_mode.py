"""torch.cuda.amp.autocast_mode."""

from . import autocast as autocast
from . import custom_bwd as custom_bwd
from . import custom_fwd as custom_fwd
