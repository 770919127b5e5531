"""Machine code on disk, so that a kernel is compiled once on a machine and not in every process.

NOTE [disk] One file for each function, types of arguments, processor and fingerprint, written under
another name and moved into place: processes that compile the same kernel at the same time do not
meet. The fingerprint is that of Numba and of the sources: the file that holds the kernel and the
files of this folder that it imports. So two versions of retrograd that share the folder do not
compile by turns; what is older than KEPT_DAYS goes when its successor is written. A folder that
cannot be read or written only means that every process compiles anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.serialize import dumps


def folder() -> Path:
    """Where compiled kernels are kept: RETROGRAD_CACHE, or the user's folder for such things."""
    given = os.environ.get("RETROGRAD_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "retrograd" / "kernels"


MODULES = {path.stem: path for path in Path(__file__).parent.glob("*.py")}
KEPT_DAYS = 30
IMPORTS = re.compile(r"^ *from \.(?:(\w+) import| import (\w+))", re.MULTILINE)    # one name a line


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of this folder that a module imports: all, if it is one of another folder."""
    if module not in MODULES:
        return frozenset(MODULES)
    found = IMPORTS.findall(MODULES[module].read_text(encoding="utf-8"))
    return frozenset(a or b for a, b in found) & MODULES.keys()


@cache
def fingerprint(module: str) -> str:
    """Of all that the machine code of a module's kernels depends on besides the processor."""
    met, waiting = set(), {module}
    while waiting:
        name = waiting.pop()
        met.add(name)
        waiting |= imported(name) - met
    digest = hashlib.sha256(repr((sys.version, numba.__version__, llvmlite.__version__)).encode())
    for name in sorted(met & MODULES.keys()):
        digest.update(MODULES[name].read_bytes())
    return digest.hexdigest()


@cache
def announce() -> None:
    """Say, once, why the program pauses."""
    print("retrograd: compiling kernels for large tensors; they are kept for the next time "
          "(`retrograd warmup` compiles all of them).", file=sys.stderr)


def remove_old(path: Path) -> None:
    """Remove what other fingerprints left of the function whose code is now at `path`."""
    for other in path.parent.glob(f"{path.name.rpartition('-')[0]}*"):
        if other.stat().st_mtime < path.stat().st_mtime - KEPT_DAYS * 86400:
            other.unlink()


class DiskCache(_Cache):
    """Where Numba looks before it compiles one function. See NOTE [disk]."""

    def __init__(self, name):
        self.name = name                    # module.function-dtypes
        self.module = name.partition(".")[0]

    cache_path = property(lambda self: str(folder()))

    def load_overload(self, sig, target_context):
        target_context.refresh()
        try:
            code = pickle.loads(self._path(sig, target_context.codegen()).read_bytes())
            return Code().rebuild(target_context, code)
        except Exception:           # whatever is wrong with a file, compiling puts it right
            pass
        announce()
        return None

    def save_overload(self, sig, data):
        try:
            path = self._path(sig, data.codegen)
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(dumps(Code().reduce(data)))
            os.replace(file.name, path)
            remove_old(path)
        except (OSError, RuntimeError):          # RuntimeError: the user has no home
            pass

    def _path(self, sig, codegen):
        key = hashlib.sha256(repr((sig, codegen.magic_tuple(), sys.version_info[:2])).encode())
        return folder() / f"{self.name}-{key.hexdigest()[:16]}-{fingerprint(self.module)[:16]}"

    def enable(self):
        """It is always on."""

    def disable(self):
        """It is always on."""

    def flush(self):
        """Old files are removed when newer ones are written."""


class Code(CompileResultCacheImpl):
    """How Numba packs a compiled function, without its search for a folder."""

    def __init__(self):
        pass
