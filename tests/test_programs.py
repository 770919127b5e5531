"""Random programs leave the same values, gradients, versions, nodes and errors as in PyTorch."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_programs
import retrograd


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
@settings(max_examples=2000, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_as_pytorch(seed):
    torch = pytest.importorskip("torch")
    statements = random_programs.program(seed)
    found = random_programs.trace(statements, retrograd)
    expected = random_programs.trace(statements, torch)
    for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        script = "\n".join(statements[: i + 1])
        assert same(mine, theirs), f"{script}\n\nfound:    {mine}\nexpected: {theirs}"
