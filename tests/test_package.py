"""The package as a whole: what importing it brings in, which way imports point, its examples."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
FILES = sorted(SOURCE.glob("retrograd/**/*.py"))
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in FILES
]
EXTRAS = {"numba", "scipy", "ml_dtypes", "safetensors", "tqdm"}


def test_import_brings_numpy_alone():
    code = "import retrograd, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-W", "error", "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    foreign = set(loaded) - set(sys.stdlib_module_names) - {"retrograd", "numpy"}
    assert not foreign & (EXTRAS | {"torch", "pytest"})


@pytest.mark.parametrize("module", [m for m in MODULES if m.split(".")[-1][0] != "_"])
def test_docstring_examples(module):
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        if error.name in EXTRAS:
            pytest.skip(f"needs {error.name}")
        raise
    failed, _ = doctest.testmod(loaded, optionflags=doctest.ELLIPSIS)
    assert failed == 0
