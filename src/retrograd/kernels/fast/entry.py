"""The way from Python into a kernel: a built-in function made of machine code.

NOTE [entry] Packing a kernel's arguments in Python and calling it by ctypes takes a microsecond,
as long as a kernel takes for a few thousand numbers. So what Python calls is a function as C
extensions have them (METH_FASTCALL of Python's C API): it gets the addresses of objects, reads the
arrays' own fields, writes the block of words that the kernel reads, and calls the kernel without
Python's lock. What it has to know of the kernel lies in a plan, with the addresses of the C API's
functions, which code on disk cannot contain.

The function returns True if the kernel has run, shared by as many threads as its first argument
says: see pool.py; False if it is not for arrays like these; and a number where there have to be so
many other threads first.

A kernel of vectors whose arrays come first may be given further groups of them after its
arguments: it runs for each, in their order, with the same numbers. So an optimizer updates all
small parameters of a network in one call.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial

import numpy as np
from llvmlite import ir

from .lazy import intrinsic, jit, types
from .machine import OPTIONS, address
from .pool import HELPERS, get, put, share
from .pool import board as shared_board

# The C API's functions, in the order of their places in a plan; of a plan's words these come first.
API = ("PyLong_AsLongLong", "PyFloat_AsDouble", "PyErr_Occurred", "PyEval_SaveThread",
       "PyEval_RestoreThread", "PyLong_FromLongLong", "PyBool_FromLong")
TO_INTEGER, TO_FLOAT, FAILED, UNLOCK, LOCK, FROM_INTEGER, TRUTH = range(len(API))
ARRAY, BOARD, TASK, WORDS, ALIKE, GROUP, COUNT, KINDS = range(len(API), len(API) + 8)
# Kinds of arguments. An array's is the code of its dtype's character, plus 256 times its number of
# dimensions, plus STRIDED if its rows may lie in any order, as its kernel is told where they are.
INTEGER, NUMBER, STRIDED = 0, 1, 1 << 16
# Where an object's type is, an ndarray's fields (numpy/ndarraytypes.h), and a dtype's character
HEAD = object.__basicsize__
TYPE, DATA, NDIM, SHAPE, DTYPE, FLAGS, CHAR = (HEAD + k for k in (-8, 0, 8, 16, 40, 48, 9))
DENSE = 0x501                       # of the flags: C-contiguous, aligned, writeable
LINED_UP = 0x101                    # the same, but perhaps read-only
MINUS_ONE = int(np.float64(-1).view(np.int64))      # the C API's -1 may be an error


@intrinsic
def room(typingctx, words):
    """The address of `words` words of stack memory, valid until the function returns."""
    def codegen(context, builder, signature, args):
        return builder.ptrtoint(builder.alloca(ir.IntType(64), size=args[0]), ir.IntType(64))
    return types.int64(types.int64), codegen


def field(bits):
    """A function for kernels: the field of this many bits at an address."""
    @intrinsic
    def read(typingctx, at):
        def codegen(context, builder, signature, args):
            found = builder.load(builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))
            return builder.zext(found, ir.IntType(64)) if bits < 64 else found
        return types.int64(types.int64), codegen
    return read


def function_of(count, result=None):
    """A function for kernels: calls the C function at an address with `count` words."""
    @intrinsic
    def ask(typingctx, function, words):
        def codegen(context, builder, signature, args):
            word = ir.IntType(64)
            kind = ir.FunctionType(result or word, [word] * count)
            values = [builder.extract_value(args[1], k) for k in range(count)]
            found = builder.call(builder.inttoptr(args[0], kind.as_pointer()), values)
            return builder.bitcast(found, word)
        return types.int64(types.int64, words), codegen
    return ask


byte, half_word, word = field(8), field(32), field(64)
ask, ask_number = function_of(1), function_of(1, ir.DoubleType())


@partial(jit, **OPTIONS)
def same(x, first):
    """Whether an array is of this dtype and shape."""
    count = half_word(x + NDIM)
    if word(x + DTYPE) != word(first + DTYPE) or count != half_word(first + NDIM):
        return False
    ours, theirs = word(x + SHAPE), word(first + SHAPE)
    for k in range(count):
        if get(ours, k) != get(theirs, k):
            return False
    return True


@partial(jit, **OPTIONS)
def size_of(x):
    """The number of an array's elements."""
    size, lengths = 1, word(x + SHAPE)
    for k in range(half_word(x + NDIM)):
        size *= get(lengths, k)
    return size


@partial(jit, **OPTIONS)
def write_vector(to, x):
    """An array as one of a single dimension; the words written."""
    put(to, 0, x)
    put(to, 1, size_of(x))
    return 2


@partial(jit, **OPTIONS)
def write_array(to, x):
    """An array and its dimensions; the words written."""
    count, lengths = half_word(x + NDIM), word(x + SHAPE)
    put(to, 0, x)
    for k in range(count):
        put(to, 1 + k, get(lengths, k))
    return 1 + count


@partial(jit, **OPTIONS)
def fits(plan, x, kind, first):
    """Whether an argument is an array of its kind; where all have to be alike, contiguous and of
    the dtype and the shape of the first."""
    if word(x + TYPE) != get(plan, ARRAY) or byte(word(x + DTYPE) + CHAR) != kind & 255:
        return False
    if get(plan, ALIKE):
        return half_word(x + FLAGS) & DENSE == DENSE and (first == 0 or same(x, first))
    lies = kind & STRIDED != 0 or half_word(x + FLAGS) & LINED_UP == LINED_UP
    return lies and half_word(x + NDIM) == (kind & ~STRIDED) >> 8


@partial(jit, **OPTIONS)
def written(plan, block, arguments):
    """Write the arguments into the block of words that the kernel reads, and return 1.

    0 if an argument is not of the kind that the plan says; -1 if one could not be made a number,
    so that Python has an error set.
    """
    first = doubt = at = 0
    result = 1
    for i in range(get(plan, COUNT)):
        x, kind, to = get(arguments, i), get(plan, KINDS + i), block + 8 * at
        if kind == INTEGER or kind == NUMBER:
            value = ask(get(plan, TO_INTEGER), (x,)) if kind == INTEGER \
                else ask_number(get(plan, TO_FLOAT), (x,))
            doubt |= value == -1 or value == MINUS_ONE
            put(to, 0, value)
            at += 1
        elif not fits(plan, x, kind, first):
            result = 0
            break
        elif get(plan, ALIKE):
            at += write_vector(to, x)
            first = first or x
        else:
            at += write_array(to, x)
    return -1 if doubt and ask(get(plan, FAILED), (0,)) else result


@partial(jit, **OPTIONS)
def further(plan, arrays, count):
    """The largest size in the groups that these arrays make; -1 if the kernel takes no groups, or
    an array does not fit into one."""
    group, largest = get(plan, GROUP), 0
    if count > 0 and (group == 0 or count % group != 0):
        return -1
    for i in range(count):
        x, first = get(arrays, i), 0 if i % group == 0 else get(arrays, i - i % group)
        if not fits(plan, x, get(plan, KINDS + 1 + i % group), first):
            return -1
        largest = max(largest, size_of(x))
    return largest


@partial(jit, **OPTIONS)
def run_groups(plan, block, arrays, count, helpers):
    """Do the task for what the block holds, and for each group of `arrays`."""
    board, task, group = get(plan, BOARD), get(plan, TASK), get(plan, GROUP)
    share(board, task, block, get(block, 2), get(block, 0), helpers)
    for i in range(count):
        at = block + 8 * (1 + 2 * (i % group))          # the first word is the chunk
        write_vector(at, get(arrays, i))
        if i % group == group - 1:
            share(board, task, block, get(block, 2), get(block, 0), helpers)


def enter(me, arguments, count):
    """The built-in function; `me` is the array that holds its plan. 0: an error was raised."""
    plan = word(me + DATA)
    more = count - 1 - get(plan, COUNT)
    if more < 0:
        return ask(get(plan, TRUTH), (0,))
    block, others = room(get(plan, WORDS)), arguments + 8 * (1 + get(plan, COUNT))
    found, largest = written(plan, block, arguments + 8), further(plan, others, more)
    if found < 1 or largest < 0:
        return 0 if found < 0 else ask(get(plan, TRUTH), (0,))
    chunk, end = get(block, 0), max(get(block, 2), largest)
    threads = ask(get(plan, TO_INTEGER), (get(arguments, 0),))
    helpers = min(threads, (end + chunk - 1) // chunk) - 1
    if helpers > get(get(plan, BOARD), HELPERS):
        return ask(get(plan, FROM_INTEGER), (helpers,))
    state = ask(get(plan, UNLOCK), (0,))
    run_groups(plan, block, others, more, helpers)
    ask(get(plan, LOCK), (state,))
    return ask(get(plan, TRUTH), (1,))


class Method(ctypes.Structure):
    """PyMethodDef"""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))


# Shared by all of these functions, and kept for ever, as they point to it
METHOD = Method(b"kernel", None, 0x80, None)


@cache
def maker():
    """The C API's function that makes a built-in one."""
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return kind(("PyCFunction_NewEx", ctypes.pythonapi))


def entry(task: int, kinds: list, words: int, alike: bool):
    """The function that calls the machine code at `task`: (threads, chunk, arguments ...), of these
    kinds.

    A kind is (dtype's character, dimensions, STRIDED or 0), INTEGER or NUMBER; the block has so
    many words. If `alike`, all arrays have to be contiguous and of one shape, which may be any, and
    dtype; if they stand before the numbers besides, further groups of them may follow.
    """
    arrays = [isinstance(k, tuple) for k in kinds]
    group = sum(arrays) if alike and arrays == sorted(arrays, reverse=True) else 0
    codes = [ord(k[0]) + 256 * k[1] + k[2] if isinstance(k, tuple) else k
             for k in (INTEGER, *kinds)]
    api = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in API]
    plan = np.array([*api, id(np.ndarray), shared_board.ctypes.data, task, words, alike, group,
                     len(codes), *codes], np.int64)
    METHOD.function = METHOD.function or address("entry.enter", enter, result=True)
    return maker()(ctypes.addressof(METHOD), plan, None)
