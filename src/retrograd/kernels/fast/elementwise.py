"""@elementwise: a formula of numbers becomes a kernel of arrays: one pass, shared by threads."""

from __future__ import annotations

import inspect

import numpy as np

from .compiling import Number, kernel, scalar

CHUNK = 1 << 14         # elements
# NOTE [in place] A loop vectorises only where what it writes is not what it reads, unless it is
# the same element of the same array: so the loop that writes into its first array knows no other.
LOOP = """
def {name}({parameters}, out):
    for i in range(out.size):
        out[i] = formula({values})

def {name}_in_place({parameters}):
    for i in range({first}.size):
        {first}[i] = formula({values})
"""


def elementwise(formula):
    """The kernel of `formula`, whose parameters are arrays of one shape, or a `: Number`.

    It takes float32 and float64, contiguous; else it declines. `out`, if given, is the first
    array: see NOTE [in place].
    """
    parameters = inspect.signature(formula).parameters
    arrays = [name for name, p in parameters.items() if p.annotation != Number]
    declared = [name if name in arrays else f"{name}: Number" for name in parameters]
    text = LOOP.format(name=formula.__name__, parameters=", ".join(declared), first=arrays[0],
                       values=", ".join(p + "[i]" * (p in arrays) for p in parameters))
    scope = {"formula": scalar(formula), "__name__": formula.__module__}
    exec(text, scope)
    loop, in_place = (kernel(scope[formula.__name__ + end]) for end in ("", "_in_place"))
    count = len(arrays)

    def run(*args, out=None):
        flat = alike(*args[:count])
        if flat is None:
            return None
        if out is not None:
            in_place(*flat, *args[count:], chunk=CHUNK)
            return out
        out = np.empty(args[0].shape, args[0].dtype)
        loop(*flat, *args[count:], out.reshape(-1), chunk=CHUNK)
        return out
    run.__name__, run.__doc__ = formula.__name__, formula.__doc__
    return run


def alike(first, *others):
    """The arrays as vectors; None unless they are contiguous, of one shape and float dtype.

    A gradient may be one number expanded: that is written out.
    """
    shape, dtype = first.shape, first.dtype
    if dtype.char not in "fd":
        return None
    flat = []
    for a in (first, *others):
        if a.shape != shape or a.dtype is not dtype:
            return None
        if not a.flags.carray:
            if any(a.strides) or not a.size:
                return None
            a = np.full(shape, a.flat[0])
        flat.append(a.reshape(-1))
    return flat


def dense(a):
    """`a`, or a contiguous copy of it: a gradient may be one number expanded."""
    return a if a.flags.carray else np.array(a, order="C")
