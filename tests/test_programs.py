"""Random programs leave the same values, gradients, versions, nodes and errors as in PyTorch.

PROGRAMS=20000 in the environment runs that many (a minute), any number more.
"""

from __future__ import annotations

import math
import os

import pytest

import random_programs
import retrograd

# PyTorch's answer to a write into a view of what began to require grad later, if nobody has asked
# the view for its history before.
NOT_LOOKED_AT = ["RuntimeError", "a leaf Variable that requires grad is being used in an in-place "
                                 "operation."]
COUNT = int(os.environ.get("PROGRAMS", "2000"))


def same(a, b):
    """Equal traces; numbers to rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (a != a and b != b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.live
@pytest.mark.parametrize("first", range(0, COUNT, 500))
def test_as_pytorch(first):
    torch = pytest.importorskip("torch")
    for seed in range(first, first + 500):
        for watch in (True, False):
            difference = first_difference(random_programs.program(seed), torch, watch)
            assert difference is None, f"program {seed}:\n{difference}"


def first_difference(statements, torch, watch=True):
    """A script up to the statement at which the two part, and how they do; or None."""
    found = random_programs.trace(statements, retrograd, watch)
    expected = random_programs.trace(statements, torch, watch)
    for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if not watch and mine == {} and theirs == NOT_LOOKED_AT:
            return None
        if not same(mine, theirs):
            failed = [not isinstance(done, dict) for done in expected[:i]]
            script = random_programs.script(statements[: i + 1], failed)
            return f"{script}\n\n{parted(mine, theirs)}"
    return None


def parted(mine, theirs):
    """What differs: two errors, or the tensors whose states are not the same."""
    if not (isinstance(mine, dict) and isinstance(theirs, dict)):
        return f"retrograd: {mine}\nPyTorch:   {theirs}"
    pairs = {n: (mine.get(n), theirs.get(n)) for n in sorted(mine.keys() | theirs.keys())}
    return "\n".join(f"{n}\n  retrograd: {a}\n  PyTorch:   {b}"
                     for n, (a, b) in pairs.items() if not same(a, b))


def test_a_difference_prints_a_script():
    """The script runs as it stands, and fails where the program did."""
    statements = ["v0 = torch.ones(2, requires_grad=True)", "v0.add_(1)", "v1 = v0 * 2"]

    class Other:
        def __getattr__(self, name):
            return getattr(retrograd, name)

        @staticmethod
        def ones(*args, **kwargs):
            return retrograd.zeros(*args, **kwargs)

    script, report = first_difference(statements[:1], Other()).split("\n\n")
    assert script.splitlines()[1:] == statements[:1]
    assert report.startswith("v0\n  retrograd: {'values': [1.0, 1.0]")
    scope = {}
    exec(random_programs.script(statements, [False, True, False]).replace(
        "import torch", "import retrograd as torch"), scope)
    assert scope["v1"].tolist() == [2.0, 2.0]
