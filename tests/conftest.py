"""For all tests."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from retrograd.kernels import fast

if sys.version_info >= (3, 14) and hasattr(os, "fork"):
    # its fork server would have to pickle what the tests define in functions
    multiprocessing.set_start_method("fork")

WHOLE_SUITE = 10_000        # tests, of which there are no fewer when all are run
WARMUP = """
import os
from retrograd.kernels.fast import examples
os.nice(10)
for dtype in examples.PRECISIONS:
    for name in examples.TWINS:
        examples.warm(name, dtype)
"""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Run the tests of compiled kernels last, and compile these beside the others.

    Where none are on disk yet, that takes as long as all other tests do, on another core.
    """
    if len(items) < WHOLE_SUITE or config.option.collectonly or not fast.enabled():
        return
    items.sort(key=lambda item: item.path.name.startswith("test_fast"))
    warmup = subprocess.Popen([sys.executable, "-c", WARMUP], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    config.add_cleanup(warmup.wait)
    config.add_cleanup(warmup.terminate)


_begun: dict = {}           # modules -> the state of their RNG before their first test


@pytest.fixture(autouse=True)
def same_numbers(request):
    """Every test of a module with an RNG draws the same numbers, whichever tests ran before it."""
    module = getattr(request.node, "module", None)
    rng = getattr(module, "RNG", None)
    if rng is not None:
        rng.bit_generator.state = _begun.setdefault(module, rng.bit_generator.state)
