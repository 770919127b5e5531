"""Import NumPy with the matrix kernels that suit the processor.

OpenBLAS before 0.3.34 chooses AVX2 kernels on AMD processors that have AVX-512, at half the speed
(OpenBLAS issue 6029). Its own variable OPENBLAS_CORETYPE, read when NumPy is first imported, puts
that right; the environment is restored at once. Setting RETROGRAD_KEEP_BLAS leaves all as it is.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from itertools import product


def _wants_avx512() -> bool:
    """Whether this is an AMD processor whose AVX-512 units OpenBLAS would leave idle."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        with open("/proc/cpuinfo") as f:
            text = f.read(8192)           # the first processor's entry is enough
    except OSError:
        return False
    needed = ("AuthenticAMD", "avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd")
    return all(word in text for word in needed)


def import_numpy() -> None:
    """Import numpy, choosing OpenBLAS's AVX-512 kernels where it would miss them."""
    untouched = ("numpy" in sys.modules or "OPENBLAS_CORETYPE" in os.environ
                 or os.environ.get("RETROGRAD_KEEP_BLAS"))
    if untouched or not _wants_avx512():
        import numpy  # noqa: F401
        return
    os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ["OPENBLAS_CORETYPE"]


@cache
def openblas():
    """NumPy's own OpenBLAS, as ctypes has it, if NumPy came with one; else None."""
    import ctypes
    import glob

    import numpy

    folder = os.path.dirname(os.path.dirname(numpy.__file__))
    found = glob.glob(os.path.join(folder, "numpy.libs", "*openblas*"))
    return ctypes.CDLL(found[0]) if found else None


@cache
def routine(name):
    """A function of NumPy's own OpenBLAS that counts in 64 bits, or None."""
    return getattr(openblas(), f"scipy_{name}64_", None)


@cache
def thread_functions():
    """(get, set) of NumPy's own OpenBLAS's number of threads, or (None, None)."""
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
