"""For all tests."""

from __future__ import annotations

import multiprocessing
import os
import sys

if sys.version_info >= (3, 14) and hasattr(os, "fork"):
    # its fork server would have to pickle what the tests define in functions
    multiprocessing.set_start_method("fork")
