"""Evaluates lines such as "torch.rand(2)" and says what came of them."""

from __future__ import annotations

import copy
import math
import warnings
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"
SETS = ("random", "creation", "memory", "operators", "out", "linalg", "meta", "arguments")


def lines(name: str) -> list[str]:
    return (DATA / f"{name}_expressions.txt").read_text().splitlines()


def outcome(torch, expression: str) -> dict:
    """The repr of the value, or the error's type and first line, and the warnings on the way."""
    torch.manual_seed(0)
    names = {
        "torch": torch,
        "np": np,
        "math": math,
        "copy": copy,
        "x": torch.ones(3, requires_grad=True),
        "m": torch.zeros(2, 3),
        "meta": torch.empty(2, 3, device="meta"),
    }
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found["value"] = repr(eval(expression, names))
        except Exception as error:  # whatever it is, it is compared
            found["error"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    texts = [str(w.message).split(" (Triggered internally")[0] for w in caught]
    found["warnings"] = list(dict.fromkeys(texts))
    return found
