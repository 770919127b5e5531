"""torch.cuda.streams: where the classes of streams and events lie."""

from . import Event as Event
from . import Stream as Stream
