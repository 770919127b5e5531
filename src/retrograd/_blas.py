"""Import NumPy with the matrix kernels that suit the processor, and threads that soon go to sleep.

OpenBLAS before 0.3.34 chooses AVX2 kernels on AMD processors that have AVX-512, at half the speed
(OpenBLAS issue 6029). After a product its threads spin until the next one, for up to 2^26 ticks of
the clock, some 26 milliseconds, and keep other threads off the processor: WAIT makes that 2^22, the
two milliseconds of our own threads. Both are set by environment variables that OpenBLAS reads when
NumPy is first imported; they are removed right after. RETROGRAD_KEEP_BLAS leaves all as it is.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from itertools import product

WAIT = "22"      # ticks that an idle thread of OpenBLAS looks for work, as a power of 2


def _wants_avx512() -> bool:
    """Whether this is an AMD processor whose AVX-512 units OpenBLAS would leave idle."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            text = f.read(8192)           # the first processor's entry is enough
    except OSError:
        return False
    needed = ("AuthenticAMD", "avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd")
    return all(word in text for word in needed)


def import_numpy() -> None:
    """Import numpy, telling OpenBLAS what the user's environment does not."""
    wanted = {}
    if "numpy" not in sys.modules and not os.environ.get("RETROGRAD_KEEP_BLAS"):
        wanted["OPENBLAS_THREAD_TIMEOUT"] = WAIT
        if _wants_avx512():
            wanted["OPENBLAS_CORETYPE"] = "SKYLAKEX"
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        import numpy  # noqa: F401
    finally:
        for name in added:
            del os.environ[name]


@cache
def openblas():
    """The OpenBLAS that NumPy came with, loaded by ctypes; None if there is none."""
    import ctypes
    import glob

    import numpy

    folder = os.path.dirname(os.path.dirname(numpy.__file__))
    found = glob.glob(os.path.join(folder, "numpy.libs", "*openblas*"))
    return ctypes.CDLL(found[0]) if found else None


@cache
def routine(name):
    """A function of that OpenBLAS, if its integers have 64 bits; else None."""
    return getattr(openblas(), f"scipy_{name}64_", None)


@cache
def thread_functions():
    """The functions (get, set) for the number of OpenBLAS's threads, or (None, None)."""
    for before, after in product(("scipy_", ""), ("64_", "")):
        names = [f"{before}openblas_{verb}_num_threads{after}" for verb in ("get", "set")]
        if all(hasattr(openblas(), name) for name in names):
            return tuple([getattr(openblas(), name) for name in names])
    return None, None


def alone(function, *args, **options):
    """function(*args) with OpenBLAS on one thread."""
    get, put = thread_functions()
    before = get() if put else 1
    if before == 1:
        return function(*args, **options)
    put(1)
    try:
        return function(*args, **options)
    finally:
        put(before)
