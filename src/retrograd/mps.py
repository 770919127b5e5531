"""torch.mps as a build without it has it: see `_absent.py`."""

from ._absent import *  # noqa: F403
