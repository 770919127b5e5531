"""NumPy's elementwise functions, shared by threads: their own inner loops, and so the same bits.

A ufunc keeps an array of loops, one for each combination of dtypes: machine code that is called
with addresses, a count and steps (numpy/ufuncobject.h). NumPy calls it once for a whole array, on
one thread; here threads call it for parts of the array. Nothing is compiled for a function or a
dtype, and numbers, rows and columns are broadcast by steps of 0.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise

import numpy as np
from llvmlite import ir

from .. import fast, pointwise
from ..half import is_half
from ..layout import memory_order, undispatched
from .compiling import DATA, Count, address_of, data, kernel, turns
from .elementwise import CHUNK, without_gaps
from .half import in_single
from .lazy import intrinsic, types

NARROW = 32             # numbers that are worth a call of a loop
SIGNS = {np.negative: (np.bitwise_xor, 0x8000), np.abs: (np.bitwise_and, 0x7FFF)}


@cache
def loops(ufunc):
    """{the inputs' dtypes: (address of the loop, what it is given, the output's dtype)}"""
    nin, nout, nargs, _ = (ctypes.c_int * 4).from_address(id(ufunc) + DATA)
    functions, extras, count = (ctypes.c_void_p * 3).from_address(id(ufunc) + DATA + 16)
    if (nin, nout, nargs) != (ufunc.nin, ufunc.nout, ufunc.nargs) or nout != 1 or nin > 2 \
            or (count or 0) & 0xFFFFFFFF != ufunc.ntypes:
        return {}
    functions = (ctypes.c_void_p * ufunc.ntypes).from_address(functions)
    extras = (ctypes.c_void_p * ufunc.ntypes).from_address(extras) if extras else functions
    found = {}
    for k, (chars, _, out) in enumerate(text.partition("->") for text in ufunc.types):
        if not {*chars, out} & set("OmMG"):
            extra = extras[k] or 0 if extras is not functions else 0
            found.setdefault(chars, (functions[k], extra, np.dtype(out)))
    return found


@intrinsic
def call_loop(typingctx, loop, addresses, count, steps, extra):
    """One call of a ufunc's loop."""
    def codegen(context, builder, signature, args):
        at = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [at] * 4)
        loop, *given = (builder.inttoptr(arg, at) for arg in args)
        builder.call(builder.bitcast(loop, kind.as_pointer()), given)
        return context.get_dummy_value()
    return types.void(*[types.int64] * 5), codegen


@kernel
def apply(turns, loop: Count, extra: Count, binary: Count, parts: Count, size: Count,
          width: Count, columns: Count, out: Count, out_row: Count, out_column: Count,
          out_step: Count, x: Count, x_row: Count, x_column: Count, x_step: Count,
          y: Count, y_row: Count, y_column: Count, y_step: Count):
    """The parts of these numbers of a (rows, columns, width) array; steps count bytes."""
    given, count, steps = np.empty(3, np.int64), np.empty(1, np.int64), np.empty(3, np.int64)
    steps[0], steps[1], steps[2] = x_step, y_step if binary else out_step, out_step
    for turn in turns:
        line, first = turn // parts, turn % parts * size
        row, column = line // columns, line % columns
        count[0] = min(size, width - first)
        into = data(out) + row * out_row + column * out_column + first * out_step
        given[0] = data(x) + row * x_row + column * x_column + first * x_step
        given[1] = data(y) + row * y_row + column * y_column + first * y_step if binary else into
        given[2] = into
        call_loop(loop, address_of(given), address_of(count), address_of(steps), extra)


def shared(ufunc, x, y=None, out=None):
    """ufunc(x), or ufunc(x, y) where one has the other's shape or can be expanded to it."""
    x, y = np.asarray(x), y if y is None else np.asarray(y)         # the kernel looks inside
    if y is None and not x.flags.c_contiguous and 0 in x.strides:
        return None                                          # what repeats is computed once
    if is_half(x.dtype):
        return shared_in_half(ufunc, x, y) if out is None else None
    if ufunc is np.negative and x.dtype.kind == "c":
        return negated_parts(x, out)
    if fast.threads == 1:
        return None                                          # NumPy calls its loop itself
    found = loops(ufunc).get(x.dtype.char if y is None else x.dtype.char + y.dtype.char)
    if found is None or not in_order(x) or y is not None and not in_order(y):
        return None
    loop, extra, dtype = found
    given, x, y = x, without_gaps(x), y if y is None else without_gaps(y)
    if x is not given and y is None and out is None and x.dtype is dtype:
        out = x                                              # a copy, which nobody else knows
    shape = x.shape
    if y is not None and y.ndim and y.shape != shape:
        shape = np.broadcast(x, y).shape
    if out is None:
        out = np.empty(shape, dtype)
    elif out.shape != shape or out.dtype is not dtype or not out.flags.carray:
        return None
    arrays = (out, x) if y is None else (out, x, y)
    groups = merged(shape, [steps_in(a.shape, a.strides, shape) for a in arrays])
    if len(groups) > 3 or not out.size or len(groups) > 1 and groups[-1][0] < NARROW:
        return None
    groups = [(1, *[0] * len(arrays))] * (3 - len(groups)) + groups
    (rows, *row), (columns, *column), (width, *step) = groups
    size = min(width, CHUNK)
    parts = -(-width // size)
    count = rows * columns * parts
    steps = [s for k, a in enumerate(arrays) for s in (id(a), row[k], column[k], step[k])]
    apply(turns(count), loop, extra, y is not None,
          parts, size, width, columns, *steps, *([0] * 4 if y is None else ()),
          chunk=max(1, CHUNK // size))
    return out


def negated_parts(x, out):
    """-x of complex numbers without gaps, as that of twice as many real ones: NumPy negates those
    by vectors, complex ones one by one."""
    order = memory_order(x)
    if order is None or not x.ndim or out is not None and out.strides != x.strides:
        return None
    res = undispatched(x) if out is None else out
    parts, target = (a.transpose(order).view(x.real.dtype) for a in (x, res))
    if shared(np.negative, parts, None, target) is None:
        np.negative(parts, target)
    return res


def shared_in_half(ufunc, x, y):
    """The same for half precision, by way of float32; its first bit is the sign."""
    if ufunc in SIGNS:
        change, bits = SIGNS[ufunc]
        return at_once(change, x.view(np.uint16), np.uint16(bits)).view(x.dtype)
    if ufunc is np.nextafter or y is not None and is_half(y.dtype) and y.dtype is not x.dtype:
        return None
    return in_single(at_once, ufunc, x) if y is None else in_single(at_once, ufunc, x, y)


def at_once(ufunc, *arrays):
    """ufunc(*arrays), by threads where there are any."""
    res = shared(ufunc, *arrays)
    return ufunc(*arrays) if res is None else res


def in_order(a):
    """Whether `a` is aligned, with its dimensions (but expanded ones) in the order of memory."""
    flags = a.flags
    if flags.c_contiguous or not flags.aligned:
        return flags.aligned
    steps = [s for n, s in zip(a.shape, a.strides, strict=True) if n > 1 and s]
    return all(s > 0 for s in steps) and all(s >= t for s, t in pairwise(steps))


def steps_in(own, strides, shape):
    """The strides of an array of shape `own` that is expanded to `shape`."""
    if own == shape:
        return strides
    kept = [0 if n == 1 else s for n, s in zip(own, strides, strict=True)]
    return [0] * (len(shape) - len(own)) + kept


def merged(shape, strides):
    """[(length, step in each array)] with as few dimensions as describe the same elements."""
    groups = []
    for n, *steps in zip(shape, *strides, strict=True):
        if n == 1:
            continue
        if groups and all(before == s * n for before, s in zip(groups[-1][1:], steps, strict=True)):
            groups[-1] = (groups[-1][0] * n, *steps)
        else:
            groups.append((n, *steps))
    return groups


def __getattr__(name):
    """The twin of the operator whose kernel is a ufunc."""
    ufunc = getattr(pointwise, name, None)
    if ufunc.__class__ is not np.ufunc:
        raise AttributeError(name)

    def run(x, y=None, out=None):
        return shared(ufunc, x, y, out)
    globals()[name] = run
    return run
