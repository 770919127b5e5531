"""For all tests."""

from __future__ import annotations

import multiprocessing
import os
import sys

import pytest

if sys.version_info >= (3, 14) and hasattr(os, "fork"):
    # its fork server would have to pickle what the tests define in functions
    multiprocessing.set_start_method("fork")

_begun: dict = {}           # modules -> the state of their RNG before their first test


@pytest.fixture(autouse=True)
def same_numbers(request):
    """Every test of a module with an RNG draws the same numbers, whichever tests ran before it."""
    module = getattr(request.node, "module", None)
    rng = getattr(module, "RNG", None)
    if rng is not None:
        rng.bit_generator.state = _begun.setdefault(module, rng.bit_generator.state)
