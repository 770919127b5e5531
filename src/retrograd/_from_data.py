"""Tensors from numbers, nested sequences, arrays and buffers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import index

import numpy as np

from . import _dtype
from ._attributes import CPU, require_here
from ._dtype import as_dtype
from ._memory import give_out, owner
from ._meta import Meta, blank
from ._tensor import Tensor, wrap
from ._warnings import warn_once
from .kernels.half import converted
from .kernels.shape import repeated
from .ops.arguments import c_name
from .ops.factory import (
    NO_PINNED_MEMORY,
    check_number,
    check_options,
    check_storage,
    is_asked,
    is_meta,
    np_dtype,
    tensor_of,
)
from .ops.public import method, public

MISSING = object()
PLAIN = {bool, int, float, complex}
COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
ARRAYS_ARE_SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider "
    "converting the list to a single numpy.ndarray with numpy.array() before converting to a "
    "tensor."
)
ASARRAY_REQUIRES_GRAD = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. "
    "Pass requires_grad=False explicitly to get the old behavior and silence this warning."
)
READ_ONLY = (
    "The given {} is not writable, and PyTorch does not support non-writable tensors. This means "
    "{}. You may want to copy the {} to protect its data or make it writable before converting "
    "it to a tensor. This type of warning will be suppressed for the rest of this program."
)


# --------------------------------------------------------------------------- sequences

def array_of(data, dtype=None) -> np.ndarray:
    """A new array for what torch.tensor() takes, in `dtype` or the one PyTorch infers."""
    cls = data.__class__
    if cls is float and dtype is None:
        return np.array(data, _dtype.default.np)
    if isinstance(data, Tensor):
        array = data._data
        if array.__class__ is Meta:
            return blank(array.shape, array.dtype if dtype is None else dtype.np).view(Meta)
    elif isinstance(data, (np.ndarray, np.generic)):
        array = check_array(np.asarray(data))
    else:
        return _from_python(data, dtype)
    kind = array.dtype if dtype is None else dtype.np
    if 0 in array.strides:
        return repeated(array, kind)
    return _rounded(array, kind)                               # in its order


def _from_python(data, dtype):
    types: set[type] = set()
    try:
        _collect_types(data, types)
    except RecursionError:                              # a list that is its own element
        raise ValueError(f"too many dimensions '{type(data).__name__}'") from None
    plain = types <= PLAIN
    if not plain and hasattr(data, "untyped"):
        return _from_storage(data, dtype or _dtype.default.dtype).copy()
    if not plain and hasattr(data, "__dlpack__"):
        return array_of(_from_dlpack(data), dtype)
    if not plain or (int in types and dtype is not None and dtype.rank >= 2):
        shape = _shape(data)
        leaves: list = []
        _flatten(data, shape, 0, leaves)
        dtype = dtype or _inferred(data)
        return _converted(np.array(_numbers(leaves, dtype)), dtype).reshape(shape)
    try:
        array = np.array(data)
    except ValueError:
        return _ragged(data, dtype)
    if array.dtype.kind in "Ou" and types:
        raise ValueError("Overflow when unpacking long long")
    if dtype is None:
        kind = array.dtype.kind
        if kind == "f":
            return array.astype(_dtype.default.np, copy=False)
        if kind == "c":
            return array.astype(_dtype.complex_for(_dtype.default.dtype).np)
        return array if kind == "b" else array.astype(np.int64, copy=False)
    return _converted(array, dtype)


def _from_storage(storage, dtype):
    """The elements of a storage, which must be untyped or of this dtype: the memory itself."""
    check_storage(storage, dtype)
    bytes_ = storage.untyped()._readable()
    return bytes_[:bytes_.size // dtype.itemsize * dtype.itemsize].view(dtype.np)


def _ragged(data, dtype):
    """What PyTorch makes of sequences of unequal lengths: an error, unless the first is empty."""
    shape, leaves = _shape(data), []
    _flatten(data, shape, 0, leaves)
    dtype = dtype or _inferred(leaves)
    return np.array(_numbers(leaves, dtype), dtype.np).reshape(shape)


def _collect_types(data, types):
    """The types of all leaves of nested lists and tuples."""
    if data.__class__ is not list and data.__class__ is not tuple:
        types.add(data.__class__)
        return
    found = set(map(type, data))
    if list in found or tuple in found:
        for item in data:
            _collect_types(item, types)
    else:
        types |= found


def _is_sequence(data):
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, Tensor):
        return False
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, Sequence) or (
        hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, dict)
    )


def _shape(data):
    shape = []
    while _is_sequence(data):
        shape.append(len(data))
        if not shape[-1]:
            break
        try:
            data = data[0]
        except TypeError:
            raise ValueError(
                f"could not determine the shape of object type '{type(data).__name__}'"
            ) from None
        if isinstance(data, str):
            raise ValueError("too many dimensions 'str'")
    return tuple(shape)


def _flatten(data, shape, depth, leaves):
    if depth == len(shape):
        leaves.append(data)
        return
    if not shape[depth]:
        return
    if not _is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} "
                         f"(got {len(data)})\n\nAll rows of a tensor have one length, that of the "
                         "first.\nCure: fill the shorter ones up, as nn.utils.rnn.pad_sequence() "
                         "does.")
    if depth == 0 and isinstance(data[0] if shape[0] else None, np.ndarray):
        warn_once(ARRAYS_ARE_SLOW)
    for item in data:
        _flatten(item, shape, depth + 1, leaves)


def _inferred(data):
    """The dtype that holds every leaf: PyTorch's promotion of their own dtypes."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return _dtype.of(data if data.dtype.isnative else data.astype(data.dtype.newbyteorder()))
    if isinstance(data, (bool, int, float, complex)):
        return _dtype.of_number(data)
    if not _is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    found = None
    for item in data:
        dtype = _inferred(item)
        found = dtype if found is None else _dtype.promote_types(found, dtype)
    return found or _dtype.default.dtype


def _numbers(leaves, dtype):
    return [_number(leaf, dtype) for leaf in leaves]


def _number(leaf, dtype):
    """The leaf as a Python number that `dtype` takes; a text is none, though float() reads it."""
    if leaf.__class__ not in PLAIN and isinstance(leaf, (np.ndarray, np.number, np.bool_)):
        leaf = leaf.item()
    cls = leaf.__class__
    if dtype.is_complex or dtype.is_floating_point:
        made = complex if dtype.is_complex else float
        if cls is not int and cls is not float and (isinstance(leaf, (str, bytes)) or not any(
                hasattr(leaf, f"__{kind}__") for kind in {made.__name__, "float", "index"})):
            raise TypeError(f"must be real number, not {c_name(leaf)}")
        return made(leaf)
    if cls not in PLAIN:
        leaf = index(leaf)
    return bool(leaf) if dtype is _dtype.bool_ else leaf


def _converted(array, dtype):
    """`array` of plain numbers in `dtype`; RuntimeError if an integer dtype cannot hold one."""
    if array.dtype == dtype.np:
        return array
    if array.dtype.kind == "c" and dtype.rank < 3 and dtype is not _dtype.bool_:
        raise TypeError("must be real number, not complex" if dtype.is_floating_point else
                        "'complex' object cannot be interpreted as an integer")
    if dtype.rank == 1 and array.size:
        if array.dtype.kind == "O":
            raise ValueError("Overflow when unpacking long long")
        for extreme in (array.min(), array.max()):
            check_number(extreme.item(), dtype, dtype.name)
        if array.dtype.kind != "f":
            array = array.astype(np.int64)
    return _rounded(array, dtype.np)


def _rounded(array, kind):
    """A copy in another NumPy dtype; float64 becomes half precision by way of float32."""
    return converted(array, kind) if array.dtype.char == "d" and kind.itemsize == 2 \
        else array.astype(kind)


# --------------------------------------------------------------------------- public functions

@public(method=False)
def tensor(data=MISSING, *rest, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf with a copy of `data`: a number, nested sequence, array or tensor.

    Floats get the default dtype, ints int64, NumPy values keep theirs. Raises TypeError or
    ValueError for other data and for ragged sequences, RuntimeError for numbers that do not fit.

    >>> import retrograd as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if device is not None:
        require_here(device)
    if pin_memory:
        raise RuntimeError(NO_PINNED_MEMORY)
    if data is MISSING or rest:
        raise TypeError(f"tensor() takes 1 positional argument but {1 + len(rest)} were given"
                        if rest else 'tensor() missing 1 required positional arguments: "data"')
    if isinstance(data, Tensor):
        warnings.warn(COPY_CONSTRUCT.format("torch.tensor"), UserWarning, stacklevel=2)
    array = array_of(data, None if dtype is None else as_dtype(dtype))
    return tensor_of(array, requires_grad, device)


@method
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """torch.tensor(data) in the dtype of `self`.

    >>> import retrograd as torch
    >>> torch.ones(1).new_tensor([1, 2])
    tensor([1., 2.])
    """
    require_here(device)
    if isinstance(data, Tensor):
        warnings.warn(COPY_CONSTRUCT.format("tensor.new_tensor"), UserWarning, stacklevel=2)
    dtype = self.dtype if dtype is None else as_dtype(dtype)
    device = self.device if device is None else device
    return tensor_of(array_of(data, dtype), requires_grad, device)


@public(method=False)
def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):
    """A tensor without dimensions that holds the number.

    Its dtype is the default floating one unless it is given, whatever the kind of the number.

    >>> import retrograd as torch
    >>> torch.scalar_tensor(3.0)
    tensor(3.)
    """
    require_here(device)
    dtype = _dtype.default.dtype if dtype is None else as_dtype(dtype)
    value = s.item() if isinstance(s, Tensor) else s
    if isinstance(value, (int, float, complex)) and dtype in (_dtype.float32, _dtype.complex64):
        check_number(value, dtype)
    return tensor_of(_from_python(value, dtype), requires_grad, device)


def check_array(array: np.ndarray) -> np.ndarray:
    """The array, if a tensor can share its memory; else TypeError or ValueError."""
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported.")
    _dtype.of(array)
    if array.flags.c_contiguous:
        return array
    if array.size and any(stride % array.itemsize for stride in array.strides):
        raise ValueError("given numpy array strides not a multiple of the element byte size. Copy "
                         "the numpy array to reallocate the memory.")
    if any(stride < 0 for stride in array.strides) and array.size:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) ")
    return array


@public(method=False)
def from_numpy(ndarray):
    """A tensor that shares the array's memory.

    Raises TypeError for anything that is not an array of numbers, ValueError for negative strides.

    >>> import numpy as np, retrograd as torch
    >>> a = np.zeros(2); t = torch.from_numpy(a); a[0] = 1; t
    tensor([1., 0.], dtype=torch.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {c_name(ndarray)})\n\n"
                        "Cure: torch.tensor() makes a tensor of numbers and lists.")
    check_array(ndarray)
    if not ndarray.flags.writeable:
        warn_once(READ_ONLY.format("NumPy array", "writing to this tensor will result in undefined "
                                   "behavior", "array"))
    return wrap(give_out(_apart(ndarray)))


def _apart(array: np.ndarray) -> np.ndarray:
    """The same memory; a slice counts as all of its memory, or files would hold the whole array."""
    sliced = array.base is not None and owner(array).nbytes > array.nbytes > 0
    if sliced and array.flags.c_contiguous and array.dtype.kind != "V":
        return np.frombuffer(memoryview(array), array.dtype).reshape(array.shape)
    return array.view(np.ndarray)


@public(method=False)
def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, sharing its memory where its kind and dtype allow.

    A Tensor of that dtype is returned itself, with its history; an array of NumPy shares its
    memory; numbers and lists are copied.

    >>> import retrograd as torch
    >>> t = torch.zeros(2); torch.as_tensor(t) is t
    True
    """
    require_here(device)
    dtype = None if dtype is None else as_dtype(dtype)
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    elif hasattr(data, "__dlpack__") and not isinstance(data, Tensor):
        data = _from_dlpack(data)
    if isinstance(data, Tensor):
        device = ("meta" if is_meta(None) else data.device) if device is None else device
        return data.to(device=device, dtype=dtype)
    return tensor_of(array_of(data, dtype), False, device)


@public(method=False)
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """`obj` (tensor, array, DLPack or buffer object, number or sequence) as a tensor.

    `copy` True never shares memory, False never copies (ValueError where that cannot be).

    >>> import retrograd as torch
    >>> torch.asarray([1, 2], dtype=torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    require_here(device)
    dtype = None if dtype is None else as_dtype(dtype)
    source = _aliased(obj, dtype)
    if isinstance(obj, np.generic):
        if copy is False:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform "
                               "it in a ndarray. ")
        copy = True
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor_of(array_of(obj, dtype), requires_grad, device)
    if dtype is not None and dtype is not source.dtype:
        if copy is False:
            raise ValueError(f"can't alias tensor with dtype '{source.dtype.tensor_name}' into "
                             f"dtype '{dtype.tensor_name}'.")
        source = source.to(dtype)
    elif copy:
        source = source.clone()
    source = source if device is None else source.to(device=device)
    if requires_grad is None:
        if source.requires_grad:
            warn_once(ASARRAY_REQUIRES_GRAD)
        return source
    if not is_asked(requires_grad):
        return source.detach() if source.requires_grad else source
    return source if source.requires_grad else source.detach().requires_grad_()


def _aliased(obj, dtype):
    """A tensor on the memory of `obj`, or None if it has none to share."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, (np.ndarray, np.generic)):
        return from_numpy(np.asarray(obj))
    if isinstance(obj, (list, tuple, bool, int, float, complex)):
        return None
    if hasattr(obj, "__dlpack__") or type(obj).__name__ == "PyCapsule":
        return _from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or _dtype.default.dtype)


def _from_dlpack(obj):
    from .utils.dlpack import from_dlpack
    return from_dlpack(obj)


@public(method=False)
def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None,
              pin_memory=False, requires_grad=False):
    """A 1-d tensor of `size` elements on a file mapped into memory.

    `shared` True writes changes to the file, which is made or grown if need be; False keeps them.

    >>> import retrograd as torch
    >>> import os, tempfile
    >>> file, path = tempfile.mkstemp()
    >>> _ = os.write(file, bytes([1, 2, 3]))
    >>> os.close(file)
    >>> torch.from_file(path, size=3, dtype=torch.uint8)
    tensor([1, 2, 3], dtype=torch.uint8)
    >>> os.remove(path)
    """
    check_options(layout, device, pin_memory)
    kind = np_dtype(dtype)
    if shared:
        with open(filename, "ab") as file:
            file.truncate(max(file.tell(), size * kind.itemsize))
    mapped = np.memmap(filename, kind, "r+" if shared else "c", shape=(size,))
    return tensor_of(give_out(mapped).view(np.ndarray), requires_grad, device)


@public(method=False)
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-d tensor on the memory of an object with the buffer protocol; ValueError for others.

    >>> import retrograd as torch
    >>> torch.frombuffer(bytearray(b"abc"), dtype=torch.uint8)
    tensor([97, 98, 99], dtype=torch.uint8)
    """
    kind = as_dtype(dtype).np
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    length, item = memory.nbytes, kind.itemsize
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer "
                         f"length ({length} bytes) minus 1")
    if count > 0 and offset + count * item > length:
        raise ValueError(f"requested buffer length ({count} * {item} bytes) after offset ({offset} "
                         "bytes) must not be greater than actual buffer length "
                         f"({length} bytes)")
    if count < 0 and (length - offset) % item:
        raise ValueError(f"buffer length ({length - offset} bytes) after offset ({offset} bytes) "
                         f"must be a multiple of element size ({item})")
    if memory.readonly:
        warn_once(READ_ONLY.format("buffer", "you can write to the underlying (supposedly "
                                   "non-writable) buffer using the tensor", "buffer"))
    return tensor_of(give_out(np.frombuffer(memory, kind, count, offset)), requires_grad, CPU)
