"""Facts for a report of a problem: `retrograd run -m torch.utils.collect_env` prints them."""

from __future__ import annotations

import platform
import sys
from collections import namedtuple

import numpy

from .._version import __version__

__all__ = ["get_env_info", "get_pretty_env_info"]

SystemEnv = namedtuple("SystemEnv", [
    "torch_version", "is_debug_build", "cuda_compiled_version", "os", "python_version",
    "python_platform", "is_cuda_available", "numpy_version",
])


def get_env_info() -> SystemEnv:
    """The versions that matter, by name."""
    return SystemEnv(str(__version__), "False", None, platform.platform(),
                     sys.version.replace("\n", " "), platform.platform(), "False",
                     numpy.__version__)


def get_pretty_env_info() -> str:
    """The same, a line each.

    >>> import retrograd as torch
    >>> torch.utils.collect_env.get_pretty_env_info().splitlines()[0]
    'PyTorch version: 2.13.0+retrograd.0.1.0'
    """
    env = get_env_info()
    return "\n".join((
        f"PyTorch version: {env.torch_version}",
        f"Is debug build: {env.is_debug_build}",
        "CUDA used to build PyTorch: None",
        f"OS: {env.os}",
        f"Python version: {env.python_version}",
        f"Is CUDA available: {env.is_cuda_available}",
        f"[pip3] numpy=={env.numpy_version}",
    ))


def main() -> None:
    """Print it."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
