"""Arrays, print options and suffixes by number; record/printing.py has PyTorch print them."""

from __future__ import annotations

import random

import numpy as np

INTEGERS = {
    "int64": (-(2**53), 2**53),
    "int32": (-(2**31), 2**31 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "bool": (0, 1),
}
DTYPES = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128", *INTEGERS]
SHAPES = [(), (1,), (4,), (7,), (30,), (0,), (2, 0), (2, 3), (3, 1, 4), (2, 2, 2, 2), (5, 25)]
SHAPES += [(1001,), (40, 30), (7, 150), (12, 12, 12), (2, 2000), (2, 3, 4, 60)]
OPTIONS = [
    {},
    {},
    {},
    {"precision": 2},
    {"precision": 8, "linewidth": 60},
    {"sci_mode": True},
    {"sci_mode": False},
    {"edgeitems": 1, "threshold": 5},
    {"edgeitems": 0, "threshold": 3},
    {"linewidth": 200, "threshold": 20},
    {"profile": "short"},
    {"linewidth": 10},
]


def case(number: int) -> tuple[np.ndarray, str, dict, bool, bool]:
    """(values, dtype name, print options, requires_grad, float64 as default)."""
    rng = random.Random(number)
    shape, dtype = rng.choice(SHAPES), rng.choice(DTYPES)
    values = _values(rng, shape, rng.choice(["unit", "unit", "whole", "wide", "tiny", "special"]))
    if dtype.startswith("complex"):
        imaginary = _values(rng, shape, rng.choice(["unit", "whole", "special"]))
        values = np.stack([values, imaginary], -1).view(np.complex128)[..., 0]
    elif dtype in INTEGERS:
        low, high = INTEGERS[dtype]
        values = np.clip(np.nan_to_num(np.trunc(values * 50), nan=0), low, high).astype(np.int64)
    elif "16" in dtype:
        values = values.astype(np.float32)
    requires_grad = dtype not in INTEGERS and rng.random() < 0.3
    return np.asarray(values), dtype, rng.choice(OPTIONS), requires_grad, rng.random() < 0.2


def _values(rng, shape, kind):
    n = int(np.prod(shape))
    # the 53-bit fractions of a linear congruence
    unit = np.array([rng.random() for _ in range(n)]).reshape(shape)
    if kind == "whole":
        return np.floor(unit * 10 ** rng.randint(1, 9)) - rng.choice([0, 5])
    if kind == "wide":
        return (unit - 0.5) * 10.0 ** np.floor(unit * 1000 % 9 - 4)
    if kind == "tiny":
        return unit * rng.choice([1e-3, 1e-5, 1e-30])
    values = (unit - 0.5) * rng.choice([1, 10, 1000])
    if kind == "special" and n:
        flat = values.reshape(-1)
        for special in rng.sample([np.nan, np.inf, -np.inf, 0.0, -0.0], 3):
            flat[rng.randrange(n)] = special
    return values
