"""Machine code on disk, so that a kernel is compiled once on a machine and not in every process.

NOTE [disk] One file for each function, types of arguments, processor and fingerprint, written under
another name and moved into place: processes that compile the same kernel at the same time do not
collide. The fingerprint is that of Numba and of the sources: the file that holds the kernel and the
files of this folder that it imports. So two versions of retrograd can share the folder without
overwriting each other's files; a file older than KEPT_DAYS is removed when its successor is
written. A folder that cannot be read or written only means that every process compiles anew.

A file has the function's symbol, the object file that holds it, and before them the hash of both
and of the file's name: without it, code of another function would be run silently.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from functools import cache
from importlib import util
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np


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
    """A hash of all that the code of a module's kernels depends on besides the processor."""
    met, waiting = set(), {module}
    while waiting:
        name = waiting.pop()
        met.add(name)
        waiting |= imported(name) - met
    digest = hashlib.sha256(compilers())
    for name in sorted(met & MODULES.keys()):
        digest.update(MODULES[name].read_bytes())
    return digest.hexdigest()


@cache
def compilers() -> bytes:
    """The versions of Python, NumPy, Numba and LLVM, on which machine code depends."""
    numba = Path(util.find_spec("numba").origin).with_name("_version.py")
    versions = sys.version, np.__version__, llvm.llvm_version_info, numba.read_text("utf-8")
    return repr(versions).encode()


@cache
def processor() -> str:
    """The processor whose instructions are used, and the settings that tell Numba about it."""
    told = [os.environ.get(f"NUMBA_{name}") for name in ("CPU_NAME", "CPU_FEATURES", "OPT")]
    features = llvm.get_host_cpu_features().flatten()
    return repr((llvm.get_process_triple(), llvm.get_host_cpu_name(), features, told))


def remove_old(path: Path) -> None:
    """Remove what other fingerprints left of the function whose code is now at `path`."""
    for other in path.parent.glob(f"{path.name.rpartition('-')[0]}*"):
        if other.stat().st_mtime < path.stat().st_mtime - KEPT_DAYS * 86400:
            other.unlink()


def path_of(name: str) -> Path:
    """Where the code of `name`, module.function-dtypes, is kept."""
    key = hashlib.sha256(processor().encode()).hexdigest()[:16]
    return folder() / f"{name}-{key}-{fingerprint(name.partition('.')[0])[:16]}"


def seal(path: Path, code: bytes) -> bytes:
    """A hash of these bytes and of the file's name, to recognize spoilt or misnamed files."""
    return hashlib.sha256(path.name.encode() + b"\n" + code).digest()


def read(name: str) -> tuple[str, bytes] | None:
    """The symbol and the object file that write() kept; None if there are none, or spoilt ones."""
    try:
        path = path_of(name)
        content = path.read_bytes()
    except (OSError, RuntimeError):              # RuntimeError: the user has no home
        return None
    digest, code = content[:32], content[32:]
    if seal(path, code) != digest:
        return None
    symbol, _, machine_code = code.partition(b"\n")
    return symbol.decode(), machine_code


def write(name: str, symbol: str, machine_code: bytes) -> None:
    """Keep the code of `name`, if there is a place for it."""
    code = symbol.encode() + b"\n" + machine_code
    try:
        path = path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, seal(path, code) + code)
        remove_old(path)
    except (OSError, RuntimeError):
        pass


def put(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever reads half of it; if that fails, nothing is left behind."""
    handle, draft = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:                        # Ctrl-C, too
        os.unlink(draft)
        raise


def refusal() -> str | None:
    """Why code cannot be kept on this machine; None if it can."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder()):
            return None
    except (OSError, RuntimeError) as error:
        return str(error)
