"""@kernel: a function of arrays becomes machine code that threads can share.

    @kernel
    def softmax(x, y):                            # (rows, n) each
        for i in range(len(x)):
            ...

The function is written for a few rows and is given all of them, some at a time: every array is cut
along its first axis into the same chunks. A parameter marked `: Whole` is given whole, one marked
`: Part` is an array with a row for each chunk, of which the function gets its own; `: Number` is a
float in the precision of the first array (float32 for the 16 bits of half precision), `: Count` an
integer.

Arrays are C-contiguous, but for those marked `: Whole` whose addresses the kernel computes itself
from strides that it is given. Each combination of dtypes and dimensions is compiled when first met.
Rows are copied and added by loops: assigning an array to a slice would take seconds to compile, for
the error message of a failing broadcast.
"""

from __future__ import annotations

import inspect
from importlib import import_module

import numpy as np
from llvmlite import ir

from .. import fast
from . import pool
from .entry import INTEGER, NUMBER, STRIDED, entry
from .lazy import cgutils, intrinsic, jit, types
from .machine import OPTIONS, address

# contract: a * b + c with one rounding. reassoc: sums in any order, so that they vectorise.
# Neither assumes that there are no nans or infinities.
EXACT, SUMS = {"contract"}, {"contract", "reassoc"}
Whole, Part, Number, Count = "Whole", "Part", "Number", "Count"      # for annotations
MARKS = (Whole, Part, Number, Count)
DATA = object.__basicsize__      # the first field of an ndarray object: the address of its elements


def scalar(function):
    """Decorates a function of numbers, for use in kernels."""
    return jit(function, fastmath=EXACT, forceinline=True, **OPTIONS)


def routine(function):
    """Decorates a function that kernels call: compiled once, not inlined into each caller."""
    return jit(function, fastmath=EXACT, **OPTIONS)


def scalar_sums(function):
    """Decorates a function of a vector, whose sums may be reordered."""
    return jit(function, fastmath=SUMS, **OPTIONS)


@intrinsic
def array_at(typingctx, address, shape, dtype):
    """The C-contiguous array that begins at an address: numba.carray, which compiles a function."""
    def codegen(context, builder, signature, args):
        array = context.make_array(signature.return_type)(context, builder)
        lengths = [context.cast(builder, value, kind, types.intp) for value, kind
                   in zip(cgutils.unpack_tuple(builder, args[1]), signature.args[1], strict=True)]
        itemsize = context.get_constant(types.intp, dtype.dtype.bitwidth // 8)
        strides = [itemsize]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        import_module("numba.np.arrayobj").populate_array(
            array, builder.inttoptr(args[0], array.data.type), lengths, strides, itemsize, None)
        return array._getvalue()
    return types.Array(dtype.dtype, len(shape), "C")(address, shape, dtype), codegen


@intrinsic
def address_of(typingctx, array):
    """Where an array begins, as a signed integer: Numba adds unsigned and signed ones as floats."""
    def codegen(context, builder, signature, args):
        held = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.ptrtoint(held.data, ir.IntType(64))
    return types.int64(array), codegen


@intrinsic
def data(typingctx, ndarray):
    """Where the elements of the ndarray object at this address are."""
    def codegen(context, builder, signature, args):
        field = builder.add(args[0], ir.Constant(ir.IntType(64), DATA))
        return builder.load(builder.inttoptr(field, ir.IntType(64).as_pointer()))
    return types.int64(types.int64), codegen


@intrinsic
def as_float(typingctx, bits):
    """The float64 that these 64 bits are."""
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())
    return types.float64(types.int64), codegen


_numbers = np.arange(1 << 12)
KEPT = 1 << 18          # numbers: two megabytes of memory


def turns(count):
    """arange(count), the first array of a kernel whose rows have only a number; it is kept."""
    global _numbers
    if count > len(_numbers):
        if count > KEPT:
            return np.arange(count)
        _numbers = np.arange(1 << (count - 1).bit_length())
    return _numbers[:count]


class Kernel:
    """A kernel: calling it does the work on all rows of its first array, `chunk` at a time.

    With `alike` its arrays are contiguous vectors, for which run() takes arrays of any shape.
    """

    def __init__(self, function, fastmath=EXACT, alike=False):
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        self.kinds = {name: p.annotation if p.annotation in MARKS else None
                      for name, p in inspect.signature(function).parameters.items()}
        self.body = jit(function, fastmath=fastmath, **OPTIONS)
        self.alike = alike
        self.entries = []            # functions that Python calls, one for each kind of arrays

    def __call__(self, *args, chunk):
        for enter in self.entries:                   # as in run(), of which this saves the call
            if enter(fast.threads, chunk, *args) is True:
                return
        if not self.run(chunk, args):
            self.run_anew(chunk, args)

    def run(self, chunk, args):
        """Whether there is machine code for arrays like these, and has run."""
        for enter in self.entries:
            done = enter(fast.threads, chunk, *args)
            if done is True:
                return True
            if done:                                 # so many other threads there should be
                return enter(1 + pool.start(done), chunk, *args)
        return False

    def run_anew(self, chunk, args):
        """Compile what is missing; arrays of subclasses (np.memmap) become plain."""
        arrays = [kind not in (Number, Count) for kind in self.kinds.values()]
        args = [np.asarray(a) if is_array and isinstance(a, np.ndarray) else a
                for a, is_array in zip(args, arrays, strict=True)]
        if not self.run(chunk, args):
            self.compile(tuple((a.dtype.char, a.ndim)
                               for a, is_array in zip(args, arrays, strict=True) if is_array))
            if not self.run(chunk, args):
                raise TypeError(f"{self.name}: not for arrays like these")

    def compile(self, key):
        """Machine code for arrays of these dtypes and numbers of dimensions."""
        if Number in self.kinds.values() and key[0][0] not in "fdH":
            raise TypeError(f"{self.name}: the first array gives a Number no precision")
        arrays = iter(key)
        kinds = [INTEGER if kind is Count else NUMBER if kind is Number else
                 (*next(arrays), STRIDED if kind is Whole else 0) for kind in self.kinds.values()]
        count = 1 + sum(1 + kind[1] if isinstance(kind, tuple) else 1 for kind in kinds)
        text = "\n".join(["def task(block, start, stop):",
                          f"    words = array_at(block, ({count},), int64)",
                          *self.unpacking(key), f"    body({', '.join(self.kinds)})"])
        scope = {"array_at": array_at, "data": data, "as_float": as_float,
                 "body": self.body, "int64": np.int64, "__name__": __name__,
                 "type_f": np.float32,
                 **{f"type_{char}": np.dtype(char).type for char, _ in key}}
        exec(text, scope)
        name = f"{self.name}-{''.join(f'{char}{ndim}' for char, ndim in key)}"
        self.entries.append(entry(address(name, scope["task"]), kinds, count, self.alike))

    def unpacking(self, key):
        """The lines of `task` that make the parameters of the words they were packed into."""
        arrays, at = iter(key), 1
        real = key[0][0].replace("H", "f")
        for name, kind in self.kinds.items():
            if kind is Number:
                value, size = f"type_{real}(as_float(words[{at}]))", 1
            elif kind is Count:
                value, size = f"words[{at}]", 1
            else:
                char, ndim = next(arrays)
                value, size = view_text(kind, char, ndim, at), 1 + ndim
            yield f"    {name} = {value}"
            at += size


def view_text(kind, char, ndim, at):
    """An array, or the share of it that belongs to rows start to stop; its words begin at `at`."""
    shape = [f"words[{at + 1 + k}]" for k in range(ndim)]
    row = " * ".join([str(np.dtype(char).itemsize), *shape[1:]])
    first = f"data(words[{at}])"
    if kind is None:
        first, shape[0] = f"{first} + start * {row}", "stop - start"
    elif kind is Part:
        first, shape = f"{first} + start // words[0] * {row}", shape[1:]
    return f"array_at({first}, ({', '.join(shape)},), type_{char})"


kernel = Kernel


def kernel_as_written(function):
    """A kernel that rounds after every operation, as NumPy does: the same bits."""
    return Kernel(function, fastmath=set())
