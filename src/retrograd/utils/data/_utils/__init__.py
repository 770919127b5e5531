"""The parts of a DataLoader: fetching, collating, worker processes."""

from . import collate as collate
from . import fetch as fetch
from . import pin_memory as pin_memory
from . import worker as worker
