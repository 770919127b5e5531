"""What the arithmetic is built on, as text: `torch.__config__.show()`."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings

import numpy as np

from ._version import __version__


def show() -> str:
    """retrograd's version, Python's, NumPy's and the libraries NumPy was built with."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), warnings.catch_warnings(action="ignore"):
        np.show_config()                 # warns where it cannot write YAML
    return (f"retrograd {__version__} built with:\n  - Python {sys.version.split()[0]}\n"
            f"  - NumPy {np.__version__}\n{text.getvalue()}")


def parallel_info() -> str:
    """How many threads matrix products use, and the environment that decides it."""
    from ._settings import get_num_interop_threads, get_num_threads
    env = "".join(f"\n\t{name} : {os.environ.get(name, '[not set]')}"
                  for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"))
    return (f"torch.get_num_threads() : {get_num_threads()}\n"
            f"torch.get_num_interop_threads() : {get_num_interop_threads()}\n"
            f"os.cpu_count() : {os.cpu_count()}\nEnvironment variables:{env}\n")


def _cxx_flags() -> str:
    """Empty: nothing here is compiled."""
    return ""
