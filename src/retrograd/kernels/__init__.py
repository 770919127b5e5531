"""Raw arrays in, raw arrays out: no Tensor is known here.

A kernel has the name of its operator. The families below are searched in order for a name when it
is first asked for; a module is only imported when the ones before it lack the name. Some kernels
have compiled twins for large arrays: see `fast/`.
"""

from __future__ import annotations

import os
from importlib import import_module

from numpy import ufunc

from . import fast

MODULES = frozenset(entry.partition(".")[0] for entry in os.listdir(__path__[0]))
FAMILIES = (          # one a line
    "pointwise",
    "powers",
    "reduce",
    "shape",
    "matmul",
    "indexing",
    "gather_scatter",
    "slices",
    "masks",
    "order",
    "scan",
    "activation",
    "gelu",
    "loss",
    "embedding",
    "norm",
    "conv",
    "pool",
    "axismap",
    "attention",
    "recurrent",
    "cells",
    "resize",
    "shuffle",
    "gridsample",
    "distance",
    "ctc",
    "linalg",
    "ldl",
    "segment",
    "special",
    "bessel",
    "polynomials",
    "fft",
    "sampling",
    "gamma_gradient",
    "dirichlet_gradient",
    "quantize",
    "counting",
)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in MODULES:                   # `from . import pool`: no search through the families
        module = import_module(f"{__name__}.{name}")
        return vars(module).get(name, module)
    for family in FAMILIES:
        if family not in MODULES:
            continue
        module = import_module(f"{__name__}.{family}")
        found = vars(module).get(name)
        if callable(found):
            if fast.has(name) and found.__class__ is not ufunc:
                found = fast.by_size(name, found)
            globals()[name] = found
            return found
    raise AttributeError(f"no kernel {name!r}")
