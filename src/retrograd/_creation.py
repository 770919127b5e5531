"""Tensors of a given size: constants, ranges, and tensors like another."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from operator import index

import numpy as np

from . import _dtype
from ._attributes import sparse_coo
from ._callers import note_write
from ._dtype import as_dtype
from ._from_data import PLAIN
from ._meta import Meta, blank
from ._tensor import BATCHED, Tensor
from .autograd.windows import check_overlap
from .kernels import ranges
from .kernels.checks import INT64
from .kernels.shape import fill_with
from .ops.arguments import format_name, invalid_combination, must_be, not_given
from .ops.factory import (
    OVERLOADED,
    TENSOR_OPTIONS,
    check_number,
    check_options,
    dtype_of_out,
    entered_as,
    full_array,
    is_meta,
    new_array,
    np_dtype,
    number,
    requiring,
    resized,
    sizes,
    tensor_of,
    undefined,
)
from .ops.factory import (
    empty_like as empty_array_like,
)
from .ops.mapped import each_slice, for_each, is_batched, like_each
from .ops.mistyped import is_int
from .ops.out import warn_of_another_size
from .ops.public import method, public

FEW_PAIRS = 1 << 12      # elements of a matrix: up to here the index pairs of triangles are kept
EYE = [f"int n, *, Tensor out = None, {TENSOR_OPTIONS}",
       f"int n, int m, *, Tensor out = None, {TENSOR_OPTIONS}"]
ARANGE = [f"Number end, *, Tensor out = None, {TENSOR_OPTIONS}",
          f"Number start, Number end, *, {TENSOR_OPTIONS}",
          f"Number start, Number end, Number step = 1, *, Tensor out = None, {TENSOR_OPTIONS}"]
SPACED = [f"{start} start, {end} end, int steps, *, Tensor out = None, {TENSOR_OPTIONS}"
          for end in ("Tensor", "Number") for start in ("Tensor", "Number")]
OVERLOADED.update(eye=EYE, arange=ARANGE, linspace=SPACED, logspace=[
    s.replace("steps,", "steps, float base = 10.0,") for s in SPACED])
RANGE_IS_DEPRECATED = (
    "torch.range is deprecated and will be removed in a future release because its behavior is "
    "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
    "[start, end).")


def _written(out, values):
    """`out` with the values written into it; its shape stays if it has as many elements."""
    if out._data.size == values.size:
        check_overlap(out._data)
        values = values.reshape(out._data.shape)
    resized(out, values.shape)._data[...] = values
    note_write(out, "out=")
    return out


# --------------------------------------------------------------------------- constants

def _sparse_zeros(shape, dtype, requires_grad):
    from .sparse import sparse_coo_tensor
    return sparse_coo_tensor(size=shape, dtype=dtype, requires_grad=requires_grad)


@public(method=False)
def zeros(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False):
    """Zeros of the given sizes, of the default floating dtype unless `dtype` is given.

    Raises RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    shape = sizes("zeros", args, size)
    if out is not None:
        return requiring(resized(out, shape, dtype, layout, device).zero_(), requires_grad)
    if layout is sparse_coo:
        return _sparse_zeros(shape, dtype, requires_grad)
    check_options(layout, device, pin_memory)
    return tensor_of(new_array(np.zeros, shape, np_dtype(dtype), device), requires_grad, device)


@public(method=False)
def ones(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False):
    """Ones of the given sizes, of the default floating dtype unless `dtype` is given.

    Raises RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> torch.ones(2, dtype=torch.int64)
    tensor([1, 1])
    """
    shape = sizes("ones", args, size)
    if out is not None:
        return requiring(resized(out, shape, dtype, layout, device).fill_(1), requires_grad)
    check_options(layout, device, pin_memory)
    return tensor_of(new_array(np.ones, shape, np_dtype(dtype), device), requires_grad, device)


@public(method=False)
def empty(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False, memory_format=None):
    """Uninitialised memory of the given sizes: its elements are what happened to be there.

    The dtype is the default floating one unless it is given. Raises RuntimeError for negative
    sizes.

    >>> import retrograd as torch
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    shape = sizes("empty", args, size)
    if out is not None:
        undefined(resized(out, shape, dtype, layout, device)._data)
        return requiring(out, requires_grad)
    if layout is sparse_coo:
        return _sparse_zeros(shape, dtype, requires_grad)
    check_options(layout, device, pin_memory)
    if memory_format is not None and format_name(memory_format).startswith("channels"):
        template = np.broadcast_to(np.empty((), np_dtype(dtype)), shape)
        array = empty_array_like(template, None, memory_format)
    else:
        array = new_array(np.empty, shape, np_dtype(dtype), device)
    return tensor_of(undefined(array), requires_grad, device)


@public(method=False)
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False):
    """`fill_value` everywhere; its kind decides the dtype.

    Raises RuntimeError if the dtype cannot hold it.

    >>> import retrograd as torch
    >>> torch.full((2, 2), 7.0)
    tensor([[7., 7.],
            [7., 7.]])
    """
    if not isinstance(size, (tuple, list)):
        raise must_be("tuple of ints", entered_as("full"), "size", 1, size)
    shape, value = sizes("full", (size,)), number("full", "fill_value", fill_value, 2)
    if out is not None:
        return requiring(resized(out, shape, dtype, layout, device).fill_(value), requires_grad)
    check_options(layout, device, pin_memory)
    dtype = _dtype.of_number(value) if dtype is None else as_dtype(dtype)
    return tensor_of(full_array(shape, value, dtype), requires_grad, device)


@public(method=False)
def eye(*args, n=None, m=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
        requires_grad=False):
    """Ones on the diagonal of an (n, m) matrix of zeros; m is n unless given.

    Raises RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    given = [*args, *(x for x in (n, m) if x is not None)]
    if not 1 <= len(given) <= 2:
        raise invalid_combination("eye", args, {}, EYE)
    for k, (name, value) in enumerate(zip("nm", given, strict=False), 1):
        if not hasattr(value, "__index__") or isinstance(value, bool) or (
                isinstance(value, Tensor) and not is_int(value)):
            raise must_be("int", "eye", name, k, value)
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    if out is not None:
        values = np.eye(*given, dtype=dtype_of_out(out, dtype, layout, device).np)
        return requiring(_written(resized(out, values.shape), values), requires_grad)
    check_options(layout, device, pin_memory)
    return tensor_of(np.eye(*given, dtype=np_dtype(dtype)), requires_grad, device)


@public(method=False)
def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):
    """Uninitialised memory with the given sizes and strides (in elements).

    Element (i, j, ...) lies i * stride[0] + j * stride[1] + ... elements behind the first one.
    Raises RuntimeError for negative numbers, and unless there is one stride for each size.

    >>> import retrograd as torch
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    shape = sizes("empty_strided", (size,))
    if len(shape) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of "
                           f"strides ({len(stride)})")
    kind = np_dtype(dtype)
    last = sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
    if any(s < 0 for s in stride) or last * kind.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and "
                           f"strides={list(stride)}")
    check_options(layout, device, pin_memory)
    strides = tuple(s * kind.itemsize for s in stride)
    if is_meta(device):
        return tensor_of(blank(shape, kind, strides).view(Meta), requires_grad, device)
    memory = undefined(np.empty(0 if 0 in shape else last + 1, kind))
    return tensor_of(np.ndarray(shape, kind, memory, 0, strides), requires_grad, device)


@public(method=False)
def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None,
                   pin_memory=False, requires_grad=False):
    """Uninitialised memory whose dimensions lie in the order `physical_layout`, outermost first.

    (2, 3, 4) with the layout (0, 2, 1) has the strides (12, 1, 3). Raises RuntimeError unless
    `physical_layout` names each dimension once.

    >>> import retrograd as torch
    >>> torch.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    shape = sizes("empty_permuted", (size,))
    order = list(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError("Number of dimensions in size does not match the length of the "
                           f"physical_layout; i.e. len(size) = {len(shape)} is not equal to "
                           f"len(physical_layout) = {len(order)}")
    for k, dim in enumerate(order):
        if not 0 <= dim < len(shape):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and "
                               f"{len(shape) - 1}, but got {dim} at index {k}).  NB: negative "
                               "dims not currently supported; file an issue if you want it.")
        if dim in order[:k]:
            raise RuntimeError("Duplicate dim not allowed")
    check_options(layout, device, pin_memory)
    memory = undefined(np.empty([shape[dim] for dim in order], np_dtype(dtype)))
    return tensor_of(memory.transpose(np.argsort(order)), requires_grad, device)


# --------------------------------------------------------------------------- like a tensor

def _like(name, fill):
    """The public function <name>_like(input, ...), which fills fresh memory by fill(array)."""
    def like(input, *, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False, memory_format=None):
        _check_tensor(f"{name}_like", input)
        if name == "zeros" and layout is sparse_coo:
            return _sparse_zeros(input._data.shape, dtype or input.dtype, requires_grad)
        check_options(layout, device, pin_memory)
        if input._flags & BATCHED:
            return like_each(like, input, dtype=dtype, requires_grad=requires_grad)
        array = empty_array_like(input._data, dtype, memory_format)
        if fill is None:
            undefined(array)
        else:
            fill_with(array, fill)
        return tensor_of(array, requires_grad, device or input.device)
    return like


def _check_tensor(name, input):
    if not isinstance(input, Tensor):
        raise must_be("Tensor", name, "input", 1, input)


for _name, _fill, _doc in (("zeros", 0, "Zeros"), ("ones", 1, "Ones"),
                           ("empty", None, "Uninitialised memory")):
    _function = _like(_name, _fill)
    _function.__name__ = _function.__qualname__ = f"{_name}_like"
    _function.__code__ = _function.__code__.replace(co_name=f"{_name}_like")
    _function.__doc__ = f"""{_doc} in the shape, dtype and memory order of `input`.

    >>> import retrograd as torch
    >>> torch.{_name}_like(torch.rand(2, 3)).shape
    torch.Size([2, 3])
    """
    public(_function, method=False)


@public(method=False)
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False, memory_format=None):
    """`fill_value` in the shape, dtype and memory order of `input`.

    >>> import retrograd as torch
    >>> torch.full_like(torch.zeros(2), 7)
    tensor([7., 7.])
    """
    _check_tensor("full_like", input)
    check_options(layout, device, pin_memory)
    value = number("full_like", "fill_value", fill_value, 2)
    if input._flags & BATCHED:
        return like_each(full_like, input, fill_value, dtype=dtype, requires_grad=requires_grad)
    array = empty_array_like(input._data, dtype, memory_format)
    if array.size != 1:
        check_number(value, _dtype.of(array))
    fill_with(array, full_array((), value, _dtype.of(array))[()])
    return tensor_of(array, requires_grad, device or input.device)


def _new(name, function, arguments="2, 3"):
    """The method new_<name>(*size, ...): torch.<name> in the dtype of the tensor."""
    def new(self, *size, dtype=None, device=None, **options):
        made = function(*size, dtype=self.dtype if dtype is None else dtype,
                        device=self.device if device is None else device, **options)
        return for_each(made, self) if self._flags & BATCHED else made
    new.__name__ = new.__qualname__ = f"new_{name}"
    new.__code__ = new.__code__.replace(co_name=f"new_{name}")           # for called()
    new.__doc__ = f"""torch.{name}(*size) in the dtype of this tensor.

    >>> import retrograd as torch
    >>> torch.arange(4).new_{name}({arguments}).dtype
    torch.int64
    """
    return method(new)


new_zeros, new_ones, new_empty = _new("zeros", zeros), _new("ones", ones), _new("empty", empty)
new_full = _new("full", full, "(2, 3), 7")
new_empty_strided = _new("empty_strided", empty_strided, "(2, 3), (1, 2)")


# --------------------------------------------------------------------------- ranges

@public(method=False)
def arange(*args, start=None, end=None, step=None, out=None, dtype=None, layout=None, device=None,
           pin_memory=False, requires_grad=False):
    """start, start + step, ... below end: arange(end), arange(start, end, step=1).

    int64 if all three are integers, else the default floating dtype. Raises RuntimeError for a
    step of 0 or of the wrong sign.

    >>> import retrograd as torch
    >>> torch.arange(1, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    if dtype is start is end is step is out is None and len(args) == 1 \
            and args[0].__class__ is int and args[0] >= 0:
        check_options(layout, device, pin_memory)
        return tensor_of(ranges.arange(0, 1, args[0], INT64), requires_grad, device)
    start, end, step = _range_arguments(args, start, end, step)
    if dtype is None and out is None:
        integral = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
        d = _dtype.int64 if integral else _dtype.default.dtype
    else:
        d = as_dtype(dtype) if out is None else dtype_of_out(out, dtype, layout, device)
    n = _range_length(start, end, step, d)
    if d.rank not in (1, 2):
        raise NotImplementedError(f'"arange_cpu" not implemented for \'{d.tensor_name}\'')
    values = ranges.arange(start, step, n, d.np)
    if out is not None:
        if 0 != out._data.size != n:
            warn_of_another_size(out, n)
        return requiring(_written(out, values), requires_grad)
    check_options(layout, device, pin_memory)
    return tensor_of(values, requires_grad, device)


def _range_arguments(args, start, end, step):
    if len(args) == 1 and end is None:
        args, end = (), args[0]
    given = list(args)
    start = given.pop(0) if start is None and given else start
    end = given.pop(0) if end is None and given else end
    step = given.pop(0) if step is None and given else step
    if given or end is None:
        raise invalid_combination("arange", args, {}, ARANGE)
    start = 0 if start is None else number("arange", "start", start, 1)
    end = number("arange", "end", end, 2 if args else 1)
    step = 1 if step is None else number("arange", "step", step, 3)
    if isinstance(start, complex) or isinstance(end, complex) or isinstance(step, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return start, end, step


def _range_length(start, end, step, d):
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if d is _dtype.int64:
        step = int(step)
        if step == 0:
            raise RuntimeError("step must be nonzero")
        return -((int(start) - int(end)) // step)
    length = math.ceil((end - start) / step)
    if length >= 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    return length


@public(method=False)
def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None,
          pin_memory=False, requires_grad=False):
    """start, start + step, ... up to and including end; with PyTorch's warning to use arange.

    There are floor((end - start) / step) + 1 elements, of the default floating dtype unless it is
    given. Raises RuntimeError for a step of 0 or of the wrong sign.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    warnings.warn(RANGE_IS_DEPRECATED, UserWarning, stacklevel=2)
    if end is None:
        raise not_given("range", ["end"])
    start, end = number("range", "start", start, 1), number("range", "end", end, 2)
    step = number("range", "step", step, 3)
    d = _dtype.default.dtype if dtype is None else as_dtype(dtype)
    if out is not None:
        d = dtype_of_out(out, dtype, layout, device)
    _range_length(start, end, step, d)
    steps = math.floor((end - start) / step)  # pyright: ignore
    values = ranges.arange(start, step, steps + 1, d.np)
    if out is not None:
        return requiring(_written(out, values), requires_grad)
    check_options(layout, device, pin_memory)
    return tensor_of(values, requires_grad, device)


def _spaced(name, make, start, end, steps, out, dtype, options, requires_grad):
    """The shared part of linspace and logspace: make(start, end, steps, dtype) writes them."""
    if steps is None or not hasattr(steps, "__index__"):
        got = [x for x in (start, end, steps) if x is not None]
        raise invalid_combination(name, got, {}, OVERLOADED[name])
    if start.__class__ not in PLAIN or end.__class__ not in PLAIN:
        if _check_ends(name, start, end) and is_batched(start, end):
            def spaced(start, end):
                return _spaced(name, make, start, end, steps, out, dtype, options, requires_grad)
            spaced.__name__ = name
            return each_slice(spaced, start, end)
        start, end = (x.item() if isinstance(x, Tensor) else number(name, argument, x, k)
                      for k, argument, x in ((1, "start", start), (2, "end", end)))
    steps = steps.__index__()
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    d = _dtype_of_spaced(name, (start, end), out, dtype, options)
    if steps == 1:
        wide = np.complex128 if d.is_complex else np.float64
        first = start if name == "linspace" else make(start, end, 1, wide).item()
        values = full_array((1,), first, d)
    else:
        for value in (start, end)[:steps]:
            if d.rank != 2 or isinstance(value, complex) or not -6e4 < value < 6e4:
                check_number(value, d)                          # all floating dtypes hold the rest
        values = make(start, end, steps, d.np)
    if out is not None:
        return requiring(_written(out, values), requires_grad)
    check_options(*options)
    return tensor_of(values, requires_grad, options[1])


def _check_ends(name, start, end) -> bool:
    """Whether one of them is a tensor; RuntimeError for one with dimensions."""
    ends = [(which, value._data.ndim) for which, value in (("start", start), ("end", end))
            if isinstance(value, Tensor)]
    if any([ndim for _, ndim in ends]):
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got "
                           + " and ".join(f"{which} with {n} dimension(s)" for which, n in ends)
                           + ".")
    return bool(ends)


def _dtype_of_spaced(name, ends, out, dtype, options):
    """The dtype of linspace's or logspace's result: that of `out`, as asked, or the default."""
    is_complex = complex in map(type, ends)
    default = _dtype.default.dtype
    if out is not None:
        d = dtype_of_out(out, dtype, *options[:2])
    elif dtype is not None:
        d = as_dtype(dtype)
    else:
        d = _dtype.complex_for(default) if is_complex else default
    if is_complex and not d.is_complex:
        part = "double" if default is _dtype.float64 else "float"
        raise RuntimeError(f"torch.{name}(): inferred dtype c10::complex<{part}> can't be safely "
                           f"cast to passed dtype {d.tensor_name}")
    if d is _dtype.bool_:
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'Bool\'')
    return d


@public(method=False)
def linspace(start, end, steps=None, *, out=None, dtype=None, layout=None, device=None,
             pin_memory=False, requires_grad=False):
    """`steps` evenly spaced values: start + i (end - start) / (steps - 1), both ends included.

    Raises RuntimeError for negative steps.

    >>> import retrograd as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    return _spaced("linspace", ranges.linspace, start, end, steps, out, dtype,
                   (layout, device, pin_memory), requires_grad)


@public(method=False)
def logspace(start, end, steps=None, base=10.0, *, out=None, dtype=None, layout=None, device=None,
             pin_memory=False, requires_grad=False):
    """base**x for `steps` evenly spaced x from start to end, both included.

    x[i] = start + i (end - start) / (steps - 1); the dtype is the default floating one unless it is
    given. Raises RuntimeError for negative steps.

    >>> import retrograd as torch
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    return _spaced("logspace", lambda a, b, n, d: ranges.logspace(a, b, n, base, d), start, end,
                   steps, out, dtype, (layout, device, pin_memory), requires_grad)


# --------------------------------------------------------------------------- index pairs

def _triangle(name, lower, row, col, offset, dtype, options):
    for k, (argument, value) in enumerate((("row", row), ("col", col), ("offset", offset)), 1):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise must_be("int", name, argument, k, value)
    row, col, offset = index(row), index(col), index(offset)
    for argument, value in (("row", row), ("col", col)):
        if value < 0:
            raise RuntimeError(f"{argument} must be non-negative, got{value}")
    check_options(*options)
    d = as_dtype(dtype or _dtype.int64)
    if d not in (_dtype.int64, _dtype.int32):
        raise NotImplementedError(f'"{name}" not implemented for \'{d.tensor_name}\'')
    few = row * col <= FEW_PAIRS
    pairs = (_few_pairs if few else _few_pairs.__wrapped__)(lower, row, col, offset)
    return tensor_of(pairs.astype(d.np, copy=few), False, options[1])


@lru_cache(64)
def _few_pairs(lower, row, col, offset):
    """The (row, column) pairs of a triangle, (2, n): kept, if they are few."""
    ends = np.clip(np.arange(row) + offset + lower, 0, col)
    counts = ends if lower else col - ends
    before = np.cumsum(counts) - counts                  # pairs of the rows above
    pairs = np.empty((2, counts.sum()), np.int64)
    pairs[0] = np.arange(row).repeat(counts)
    pairs[1] = np.arange(pairs.shape[1])
    pairs[1] -= (before if lower else before - ends).repeat(counts)
    return pairs


@public(method=False)
def tril_indices(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False):
    """The (row, column) pairs on and below a diagonal of a (row, col) matrix: (2, n), of int64.

    They go through the matrix row by row. `offset` is 0 for the main diagonal, positive above it.
    Raises RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", True, row, col, offset, dtype,
                     (layout, device, pin_memory))


@public(method=False)
def triu_indices(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False):
    """The (row, column) pairs on and above a diagonal of a (row, col) matrix: (2, n), of int64.

    They go through the matrix row by row. `offset` is 0 for the main diagonal, positive above it.
    Raises RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return _triangle("triu_indices", False, row, col, offset, dtype,
                     (layout, device, pin_memory))
