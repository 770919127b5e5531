"""Random programs leave the same values, gradients, versions, nodes and errors as in PyTorch."""

from __future__ import annotations

import math

import pytest

import random_programs
import retrograd

# Programs whose difference is known, by what differs. One that comes out equal fails the test.
DIFFERENT = {
    239: "a written view's stale value is said to come from Tanh, not from AsStrided",
    1143: "backward through zero_() on expanded memory: PyTorch refuses",
    1982: "which of two errors comes first, on a view split off and written to",
    2303: "as 1143, through a freed graph",
    2414: "v[0] = v on a view made a leaf by requires_grad_()",
    2770: "copy_ of an expanded tensor to itself: PyTorch does nothing",
}


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
@pytest.mark.parametrize("seeds", [range(n, n + 100) for n in range(0, 3000, 100)], ids=str)
def test_as_pytorch(seeds):
    torch = pytest.importorskip("torch")
    for seed in seeds:
        difference = first_difference(random_programs.program(seed), torch)
        if seed in DIFFERENT:
            assert difference is not None, f"program {seed} is now the same: take it off the list"
        else:
            assert difference is None, f"program {seed}:\n{difference}"


def first_difference(statements, torch):
    """The program up to the statement at which the two part, and both states; or None."""
    found = random_programs.trace(statements, retrograd)
    expected = random_programs.trace(statements, torch)
    for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if not same(mine, theirs):
            script = "\n".join(statements[: i + 1])
            return f"{script}\n\nfound:    {mine}\nexpected: {theirs}"
    return None
