"""The base class of sparse arrays, which are no ndarrays and refuse to be read like them.

A function without support for sparse tensors therefore fails, with PyTorch's error, instead of
giving wrong numbers.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys

import numpy as np

from .._callers import is_own

NO_FORM = (
    "Could not run 'aten::{}' with arguments from the '{}' backend. This could be because the "
    "operator doesn't exist for this backend, or was omitted during the selective/custom build "
    "process (if using custom build).\n\nThe tensor is {}.\nCure: {}")
CURES = {"SparseCPU": ("sparse", "compute with its to_dense()."),
         "SparseCsrCPU": ("sparse", "compute with its to_sparse_coo(), or with its to_dense()."),
         "CPU": ("dense", "make it sparse, with to_sparse().")}
BETWEEN = (contextlib.__file__, os.path.dirname(np.__file__))    # frames of no interest
# Functions around those of the program
PASSED_ON = ("entry", "ask", "call", "with_names", "_of_no_subclass", "_by_name", "_by_item")
NO_NUMPY = "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first."


def could_not_run(name, backend="SparseCPU"):
    """PyTorch's error for a function aten::<name> that knows no tensors of this kind."""
    return NotImplementedError(NO_FORM.format(name, backend, *CURES[backend]))


def refusal(*args, **options):
    """Raise for a function that reads a sparse array; its name is the one the program called."""
    frame, name = sys._getframe(1), "to_numpy"
    while frame is not None and (is_own(frame.f_code.co_filename)
                                 or frame.f_code.co_filename.startswith(BETWEEN)):
        if frame.f_code.co_name not in PASSED_ON:
            name = frame.f_code.co_name
        frame = frame.f_back
    if name in ("numpy", "__array__", "to_numpy"):
        raise TypeError(NO_NUMPY)
    raise could_not_run(name)


class Sparse:
    """Base of sparse arrays; `values` are the elements that one lists."""

    __slots__ = ("values", "shape", "coalesced")
    layout: str
    needs_tensors = True            # kernels know nothing of it: formulas run on Tensors
    backend = "SparseCPU"

    dtype = property(lambda self: self.values.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.values.itemsize)
    strides = property(lambda self: (0,) * len(self.shape))
    flags = np.empty((2, 2))[:, :1].flags          # the flags of an array that is not contiguous
    real = property(lambda self: self.with_values(self.values.real))
    imag = property(lambda self: self.with_values(self.values.imag))
    nnz = property(lambda self: len(self.values))

    def with_values(self, values):
        """Other values in the same places."""
        raise NotImplementedError

    def astype(self, dtype, order="K", copy=True):
        return self.with_values(self.values.astype(dtype, copy=copy))

    def __getattr__(self, name):         # whatever else an ndarray has
        if name.startswith("_"):
            raise AttributeError(name)
        refusal()

    __hash__ = object.__hash__
    __array__ = __array_function__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = refusal
    __bool__ = __len__ = __iter__ = refusal
    __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __neg__ = refusal

    def __getitem__(self, key):
        return self if key == () else refusal()      # the engine's, of what is not an ndarray

    def become(self, other):
        """Write the values of another array with the same places into the memory of these."""
        self.values[...] = other.values

    def added(self, other):
        """The sum with another sparse array."""
        raise NotImplementedError

    def added_to(self, dense):
        """Add it to an ndarray in place; returns that."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        """The engine's sums of gradients, dense += sparse among them; nothing else."""
        if ufunc is not np.add or method != "__call__" or options:
            refusal()
        dense = inputs[0] if inputs[1] is self else inputs[1]
        return self.added_to(np.array(dense) if out is None else out[0])

    def __add__(self, other):
        return self.added(other) if isinstance(other, Sparse) else self.added_to(np.array(other))

    __radd__ = __add__
