"""Runs snippets of PyTorch code under whichever torch is meant, and compares what they did.

The recorders (`tests/record`) use `observe` under PyTorch and keep the result; the tests use it
with `torch_is_retrograd` and compare. Needs nothing but the standard library and that torch.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parents[1] / "examples"


@contextlib.contextmanager
def torch_is_retrograd():
    """Inside, `import torch` is retrograd, also where PyTorch has been imported before."""
    import retrograd

    real = {n: m for n, m in sys.modules.items() if n == "torch" or n.startswith("torch.")}
    for name in real:
        del sys.modules[name]
    retrograd.install()
    try:
        yield retrograd
    finally:
        retrograd.uninstall()
        sys.modules.update(real)


def observe(code: str, name: str = "<snippet>", namespace: dict[str, Any] | None = None):
    """Execute `code`; return its output, its warnings, its error and the namespace it left."""
    namespace = {"__name__": "__main__"} if namespace is None else namespace
    output, error = io.StringIO(), None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(output):
        warnings.simplefilter("always")
        try:
            exec(compile(code, name, "exec", dont_inherit=True), namespace)
        except Exception as e:
            error = [type(e).__name__, str(e)]
    seen = {
        "output": mask_addresses(output.getvalue()),
        "warnings": [[w.category.__name__, without_origin(str(w.message))] for w in caught],
        "error": error,
    }
    return seen, namespace


def without_origin(text: str) -> str:
    """A warning's text without the places appended to it: in PyTorch's C++, in a traceback."""
    text = re.sub(r"\s*\(Triggered internally at [^)]*\)\s*$", "", text)
    return re.sub(r"\n  File .*", "", text, flags=re.DOTALL)


def mask_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x...", text)


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")


def difference(found: str, expected: str) -> str | None:
    """What differs between two printed texts, floats being equal to 1 unit of the last digit."""
    if NUMBER.sub("#", found) != NUMBER.sub("#", expected):
        return f"\nfound:    {found}\nexpected: {expected}"
    for a, b in zip(NUMBER.findall(found), NUMBER.findall(expected), strict=True):
        if abs(float(a) - float(b)) > 1.001 * unit(b):
            return f"{a} is not {b}\nfound:    {found}\nexpected: {expected}"
    return None


def unit(number: str) -> float:
    """The value of one unit of the last printed digit."""
    mantissa, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def run_example(name: str, steps: int) -> list[float]:
    """The losses of the first `steps` steps of one of the examples."""
    with contextlib.redirect_stderr(io.StringIO()):  # the progress bar
        return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](steps)


def load(name: str):
    return json.loads((DATA / name).read_text())


def store(name: str, value) -> None:
    DATA.mkdir(exist_ok=True)
    text = json.dumps(value, indent=1, ensure_ascii=False)
    (DATA / name).write_text(text + "\n")
