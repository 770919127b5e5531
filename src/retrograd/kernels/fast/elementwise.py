"""@elementwise: a formula of numbers becomes a kernel of arrays: one pass, shared by threads."""

from __future__ import annotations

import inspect
from functools import lru_cache

import numpy as np

from .. import fast
from ..half import is_half
from ..layout import by_strides, inverse
from ..shape import contiguous, in_order
from .compiling import Kernel, Number, scalar
from .half import BITS, CHUNK, NAMES, READERS, WRITERS, in_single
from .tile import BYTES

SHORT = 1 << 11          # rows that are many

# NOTE [in place] The compiler makes vector instructions of a loop only if it can tell that no write
# changes a number that is still to be read. Element i may be written over element i of an input,
# but not into an array that may overlap an input elsewhere. So there are two loops: one writes a
# new array, and one writes into its first input and knows no other array to write to.
# Half precision is 16 bits here, of which `read` and `write` make float32 and back: see half.py.
LOOP = """
def {name}({parameters}, out):
    for i in range(out.size):
        out[i] = write(formula({values}))

def {name}_in_place({parameters}):
    for i in range({first}.size):
        {first}[i] = write(formula({values}))
"""


def elementwise(formula):
    """The kernel of `formula`, whose parameters are arrays of one shape, or a `: Number`.

    It takes floats of all precisions and copies those that do not lie row by row. `out`, if given,
    is the first array (see NOTE [in place]), which has no gaps. It returns None for other arrays.
    """
    parameters = inspect.signature(formula).parameters
    count = sum(p.annotation != Number for p in parameters.values())
    new, onto = loop_pair(formula, "")
    halves = {}                                          # when first met

    def run(*args, out=None):
        first = args[0]
        if first.dtype.char in "fd":
            res = np.empty(first.shape, first.dtype) if out is None else out
            if onto.run(CHUNK, args) if res is out else new.run(CHUNK, (*args, res)):
                return res
            if count == 1 and out is None and not first.flags.carray:
                return of_one_apart(first, args)
        elif first.dtype.itemsize == 2:
            return run_half(args, out)
        if out is None and 1 < count and is_long_number(first, args[1]):
            flat = alike(*args[1:count])
            if flat is not None:
                return beside_number(flat, args)
        flat = alike(*args[:count])                      # what is not compiled or not contiguous
        if flat is None:
            return as_laid(run, args, count, out)
        return compute(new, onto, flat, first, args[count:], out)

    def of_one_apart(first, args):
        """In its memory order; over a copy, if there are gaps. None for what repeats elements, but
        for one number."""
        if 0 in first.strides:
            return None if any(first.strides) or not first.size else \
                np.full(first.shape, run(np.full(1, first.flat[0]), *args[1:])[0])
        order, back = orders(first.strides)
        laid = first.transpose(order)
        if laid.flags.carray:
            return run(laid, *args[1:]).transpose(back)
        res = in_order(laid)
        return compute(new, onto, [res.reshape(-1)], first, args[1:], res).transpose(back)

    def beside_number(flat, args):
        res, number = np.empty(args[0].size, args[0].dtype), np.full(BLOCK, args[0].flat[0])
        for at in range(0, res.size, BLOCK):
            parts = [a[at:at + BLOCK] for a in (*flat, res)]
            new(number[:parts[0].size], *parts[:-1], *args[count:], parts[-1], chunk=CHUNK)
        return res.reshape(args[0].shape)

    def run_half(args, out):
        arrays, half = bits_of(*args[:count])
        flat = alike(*arrays, taken="H") if half else None
        if flat is None:
            return as_laid(run, args, count, out)
        if half not in halves:
            halves[half] = loop_pair(formula, half)
        return compute(*halves[half], flat, args[0], args[count:], out)
    run.__name__, run.__doc__ = formula.__name__, formula.__doc__
    return run


def where_usual(plain, least, most):
    """Decorates a formula that is right for numbers between `least` and `most`: the few others of
    an array are left to the NumPy kernel `plain`."""
    def decorate(formula):
        loop = elementwise(formula)

        def run(x):
            if x.itemsize == 2:
                return in_single(run, x)
            res = loop(x)
            if res is None or x.size == 0 or least < x.min() <= x.max() < most:
                return res
            rare = ~((least < x) & (x < most))
            res[rare] = plain(x[rare])
            return res
        run.__name__, run.__doc__ = formula.__name__, formula.__doc__
        return run
    return decorate


def compute(new, onto, flat, first, numbers, out):
    """Run one of the two loops on `flat` arrays: into `out`, or a new array like `first`."""
    if out is not None:
        onto(*flat, *numbers, chunk=CHUNK)
        return out
    out = np.empty(first.shape, first.dtype)
    new(*flat, *numbers, out.reshape(-1).view(flat[0].dtype), chunk=CHUNK)
    return out


LANES = 64                   # numbers of a block of steps: eight registers' worth of float64
BLOCK = 1 << 16              # elements of a number written out: they stay in a core's cache
LONG = 4 * BLOCK             # elements for which that is worth a call for each block


def lies_in_rows(a):
    """Whether `a` lies row by row, maybe with gaps, as a piece of a wider array does."""
    return a.ndim > 1 and 0 < a.strides[-1] and sorted(a.strides, reverse=True) == [*a.strides]


def many_short_rows(a, most=BYTES):
    """Whether `a` consists of rows of a few bytes, with gaps between them, and of so many that
    copying them takes longer than to call a kernel."""
    return (not a.flags.c_contiguous and lies_in_rows(a) and a.strides[-1] == a.itemsize
            and a.shape[-1] * a.itemsize <= most and a.size >= SHORT * a.shape[-1])


def without_gaps(a):
    """`a`, or a copy of many short rows: loops over such rows take longer than to copy them."""
    return in_order(a) if many_short_rows(a) else a


def is_long_number(a, like):
    """Whether `a` is one number expanded to the shape of `like` (all strides are 0), as the
    gradient of a sum is, and too long to be written out as a whole array."""
    return (a.size > LONG and not any(a.strides) and a.shape == like.shape
            and a.dtype is like.dtype and a.dtype.char in "fd")


def as_laid(run, args, count, out=None):
    """run(*args) in the memory order of the first of `count` arrays, where one does not lie row by
    row, or is to be expanded to a large first one; None if they differ otherwise, or the first
    repeats its elements."""
    first, order, back, laid, apart = args[0], *orders(args[0].strides), [], False
    if 0 in first.strides:
        return None
    for a in args[:count]:
        if a.dtype is not first.dtype:
            return None
        if a.shape != first.shape:
            if first.size < fast.LARGE or not fits(a.shape, first.shape):
                return None
            a = np.broadcast_to(a, first.shape)
        apart = apart or not a.flags.c_contiguous
        laid.append(contiguous(a.transpose(order)))
    if not apart or out is not None and laid[0].base is None:                    # a copy
        return None
    res = run(*laid, *args[count:], out=None if out is None else laid[0])
    return None if res is None else res.transpose(back)


def fits(own, shape):
    """Whether an array of shape `own` expands to `shape`."""
    return len(own) <= len(shape) and all(
        n in (1, m) for n, m in zip(own[::-1], shape[::-1], strict=False))


@lru_cache(1 << 10)
def orders(strides):
    """The dimensions of an array, the outermost in memory first, and the inverse of that order."""
    order = by_strides(strides)
    return order, inverse(order)


def laid_alike(x, y):
    """Two arrays of one shape (or an array and a number), whose dimensions lie in another order in
    memory but are dense there, as arrays in ordinary order, and the transposition of a result; None
    if they are no such, and where sizes of 1 leave the order open."""
    if y.ndim and x.strides != y.strides or 0 in x.strides or 1 in x.shape:
        return None
    order, back = orders(x.strides)
    x, y = x.transpose(order), y.transpose(order) if y.ndim else y
    return (x, y, back) if x.flags.c_contiguous and y.flags.c_contiguous else None


def loop_pair(formula, half):
    """The loop of `formula` that writes a new array and the one that writes into the first."""
    parameters = inspect.signature(formula).parameters
    arrays = [name for name, p in parameters.items() if p.annotation != Number]
    declared = [name if name in arrays else f"{name}: Number" for name in parameters]
    name = f"{formula.__name__}_{NAMES[half]}" if half else formula.__name__
    text = LOOP.format(name=name, parameters=", ".join(declared), first=arrays[0],
                       values=", ".join(f"read({p}[i])" if p in arrays else p for p in parameters))
    if not half:
        text = text.replace("read(", "(").replace("write(", "(")
    scope = {"formula": scalar(formula), "read": READERS.get(half), "write": WRITERS.get(half),
             "__name__": formula.__module__}
    exec(text, scope)
    return [Kernel(scope[name + end], alike=True) for end in ("", "_in_place")]


def bits_of(*arrays):
    """Arrays of half precision as their bits, and the dtype's character; "" if they are not."""
    dtype = arrays[0].dtype
    if dtype.char not in READERS or any(a.dtype is not dtype for a in arrays):
        return arrays, ""
    return [a.view(BITS) for a in arrays], dtype.char


def as_in(x, number):
    """A number as PyTorch takes it beside x: in half precision it is rounded as well."""
    return float(x.dtype.type(number)) if x.itemsize == 2 and is_half(x.dtype) else number


def alike(first, *others, taken="fd"):
    """The arrays as vectors; None unless they are contiguous, of one shape, and of one dtype, whose
    character is in `taken`.

    A gradient may be one number expanded, which is written out.
    """
    shape, dtype = first.shape, first.dtype
    if dtype.char not in taken:
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


def expanded(*arrays):
    """The arrays in the shape that they broadcast to: written out, where they have another."""
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    return [a if a.shape == shape else np.array(np.broadcast_to(a, shape), order="C")
            for a in arrays]


def of_two(loop, x, y, *rest, chunk=CHUNK):
    """A new array by the kernel `loop` of two that may broadcast; None unless they have one dtype,
    float32 or float64."""
    x, y = expanded(x, y)
    flat = alike(x, y)
    if flat is None:
        return None
    out = np.empty(x.shape, x.dtype)
    loop(*flat, out.reshape(-1), *rest, chunk=chunk)
    return out


def dense(a):
    """`a`, or a contiguous copy of it: a gradient may be one number expanded."""
    return a if a.flags.carray else in_order(a)
