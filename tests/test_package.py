"""The package as a whole: what importing it brings in, which way imports point, its examples."""

from __future__ import annotations

import ast
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
EXTRAS = {"numba", "llvmlite", "scipy", "ml_dtypes", "safetensors", "tqdm", "quickjs"}


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


# The rooms, from the ground up: a module may import, when it is itself imported, only from rooms
# that do not stand above its own. (Imports inside functions serve the rare paths.)
ROOMS = [
    ("_blas", "_malloc", "_callers", "_state", "_version", "_dtype"),
    ("kernels",),
    ("_tensor", "_tensor_str", "autograd", "ops", "_creation", "_random", "random", "utils.hooks"),
    ("nn", "optim", "utils", "func", "testing", "linalg", "fft", "special", "distributions", "jit",
     "fx", "library", "profiler", "_C", "_foreach", "_jit_internal", "cuda"),
    ("debug", "viz", "_install", "_install_on_import", "_run", "cli", "__main__"),
]
FLOOR = {name: floor for floor, names in enumerate(ROOMS) for name in names}


def floor(module: str) -> int:
    parts = module.split(".")
    return FLOOR.get(".".join(parts[:2]), FLOOR.get(parts[0], 0))


def imported_at_import(path: Path):
    """The modules of the package, dotted without its name, that a file's top level imports."""
    package = path.relative_to(SOURCE / "retrograd").parts[:-1]
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("retrograd."):
                    yield alias.name.removeprefix("retrograd.")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (node.module or "").split(".") if node.module else []
            if not node.level:
                if module[:1] != ["retrograd"]:
                    continue
                module = module[1:]
            yield from (".".join([*base, *module, alias.name]) for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    own = ".".join(path.relative_to(SOURCE / "retrograd").with_suffix("").parts)
    if own.split(".")[0] in FLOOR:
        above = [module for module in imported_at_import(path) if floor(module) > floor(own)]
        assert not above, f"{own} imports from above: {above}"
