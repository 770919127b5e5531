"""Raw arrays in, raw arrays out: no Tensor is known here.

A kernel has the name of its operator. The families below are searched in order for a name when it
is first asked for; a module is only imported when the ones before it lack the name.
"""

from __future__ import annotations

from importlib import import_module

FAMILIES = (          # one a line
    "pointwise",
    "reduce",
    "shape",
    "matmul",
    "index",
    "indexing",
    "places",
    "order",
    "scan",
    "activation",
    "loss",
    "embedding",
    "norm",
    "conv",
    "pool",
    "attention",
    "resize",
    "shuffle",
    "gridsample",
    "distance",
    "ctc",
    "linalg",
    "special",
    "fft",
    "sampling",
)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    for family in FAMILIES:
        try:
            module = import_module(f"{__name__}.{family}")
        except ModuleNotFoundError as missing:
            if missing.name != f"{__name__}.{family}":
                raise
            continue
        found = vars(module).get(name)
        if callable(found):
            globals()[name] = found
            return found
    raise AttributeError(f"no kernel {name!r}")
