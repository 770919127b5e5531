"""arange, linspace and logspace are rounded as PyTorch rounds them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import retrograd as torch
from retrograd.kernels import ranges

DTYPES = ["float16", "float32", "float64", "int32", "int64"]
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 100]
RECORDED = json.loads((Path(__file__).parent / "data" / "ranges.json").read_text())


def cases(count, seed):
    """(function, start, end, steps, dtype) at random."""
    rng = random.Random(seed)
    for _ in range(count):
        function, start = rng.choice(["arange", "linspace", "logspace"]), rng.uniform(-10, 10)
        end = start + rng.uniform(-20, 20)
        if function == "logspace":
            start, end = start / 10, end / 10
        yield function, start, end, rng.choice(LENGTHS), rng.choice(DTYPES)


def made(function, start, end, steps, dtype):
    if function == "arange":
        if dtype.startswith("int"):
            start, end = int(start), int(end)
        return ranges.arange(start, (end - start) or 1, steps, dtype)
    if function == "linspace":
        return ranges.linspace(start, end, steps, dtype)
    return ranges.logspace(start, end, steps, 10.0, dtype)


def by_pytorch(torch, function, start, end, steps, dtype):
    kind = getattr(torch, dtype)
    if function != "arange":
        return getattr(torch, function)(start, end, steps, dtype=kind).numpy()
    if dtype.startswith("int"):
        start, end = int(start), int(end)
    step = (end - start) or 1
    last = start + step * steps - (0 if dtype.startswith("int") else step / 2)
    return torch.arange(start, last, step, dtype=kind).numpy()


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_as_recorded(number):
    *case, values = RECORDED[number]
    expected = np.array(values, case[4])
    assert made(*case).dtype == expected.dtype
    np.testing.assert_array_equal(made(*case), expected)


@pytest.mark.live
def test_as_the_installed_pytorch():
    torch = pytest.importorskip("torch")
    for case in cases(300, seed=1):
        if case[3] > 1 or case[0] != "arange":
            np.testing.assert_array_equal(made(*case), by_pytorch(torch, *case), err_msg=str(case))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_that_need_no_rounding_are_what_rounding_gives(dtype, monkeypatch):
    bits = {"float32": 24, "float64": 53}[dtype]
    given = [(0, 1), (0.0, 0.5), (-3, 0.25), (2**20, -2.0**-3), (-(2.0**bits) + 40, 1.0),
             (-(2.0**24), 2.0**20), (1e30, 1.0), (-0.0, 3.0)]
    assert sum(ranges._is_exact(*pair, 100, np.dtype(dtype)) for pair in given) >= 5
    found = [ranges.arange(*pair, 100, dtype) for pair in given]
    monkeypatch.setattr(ranges, "_is_exact", lambda *args: False)
    for pair, values in zip(given, found, strict=True):
        np.testing.assert_array_equal(values, ranges.arange(*pair, 100, dtype))


INT8 = "value cannot be converted to type int8_t without overflow"


@pytest.mark.parametrize("function, start, end, steps, dtype, expected", [
    ("linspace", 300, 5, 3, "int8", INT8), ("linspace", 5, 300, 3, "int8", INT8),
    ("linspace", 300, 5, 1, "int8", INT8), ("linspace", 5, 300, 1, "int8", [5]),
    ("linspace", 3, float("nan"), 2, "int8", INT8), ("linspace", 300, 5, 0, "int8", []),
    ("linspace", -1, 10, 4, "uint8", [255, 173, 91, 10]),
    ("linspace", -1.5, 10, 4, "uint8", INT8.replace("int8", "uint8")),
    ("linspace", 1e5, 1, 2, "float16", INT8.replace("int8_t", "c10::Half")),
    ("logspace", 300, 1, 2, "int8", INT8), ("logspace", 5, 1, 1, "int8", INT8),
    ("logspace", 100, 400, 4, "float64", [1e100, 1e200, 1e300, float("inf")]),
    ("logspace", 1e3, 2, 1, "float32", [float("inf")])])
def test_numbers_that_a_dtype_has_not(function, start, end, steps, dtype, expected):
    """Recorded of PyTorch."""
    def made():
        return getattr(torch, function)(start, end, steps, dtype=getattr(torch, dtype))
    if isinstance(expected, str):
        with pytest.raises(RuntimeError, match=expected):
            made()
    else:
        assert made().tolist() == pytest.approx(expected)


def test_powers_of_a_base_that_have_no_value():
    """Recorded of PyTorch: C's pow(), which Python's refuses to be."""
    nan = float("nan")
    assert torch.logspace(-1, 1, 3, base=-0.0).tolist() == [float("-inf"), 1, 0]
    assert torch.logspace(1, 3, 4, base=-2.).tolist() == pytest.approx([-2, nan, nan, -8],
                                                                       nan_ok=True)


def test_places_of_a_triangle_are_new_in_every_call():
    """Those of small matrices are kept, and copied."""
    torch.tril_indices(3, 3).zero_()
    assert torch.tril_indices(3, 3).tolist() == [[0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]]
    assert torch.tril_indices(3, 3, dtype=torch.int32).dtype is torch.int32
    x, y = torch.triu_indices(80, 70, -2)                            # too many to be kept
    assert (y - x >= -2).all() and len(x) == torch.ones(80, 70).triu(-2).sum()
