"""Facts about a tensor: sizes, strides, where it lies, and which kind of numbers it holds.

None of this is recorded. Strides and offsets are counted in elements, as in PyTorch, not in bytes.
"""

from __future__ import annotations

from .._attributes import Size, memory_format, size_of
from .._memory import address, owner
from .._tensor import INFERENCE_TENSOR, ON_META, WRAPPER, Tensor
from .arguments import format_name, must_be
from .dims import wrap_dim
from .public import alias, method, public
from .shape import is_contiguous as in_channels_last


@method
def size(self, dim=None):
    """The shape, or the size of one dimension; IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).size(1)
    3
    """
    if dim is None:
        return size_of(Size, self._data.shape)
    if self._data.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    try:
        return self._data.shape[wrap_dim(dim, self._data.ndim)]
    except TypeError:
        raise must_be("int", "size", "dim", 1, dim) from None


@method
def dim(self):
    """The number of dimensions.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).dim()
    2
    """
    return self._data.ndim


alias("ndimension", "dim")


@public
def numel(input):
    """The number of elements.

    >>> import retrograd as torch
    >>> torch.numel(torch.zeros(2, 3))
    6
    """
    return int(input._data.size)


alias("nelement", "numel")


@method
def dim_order(self, *, ambiguity_check=False):
    """The dimensions in the order of memory, from the outermost to the innermost.

    `ambiguity_check` True, or a list of memory formats, raises RuntimeError where another order
    (another of the formats) would do as well.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).t().dim_order()
    (1, 0)
    """
    formats = ambiguity_check if isinstance(ambiguity_check, (list, tuple)) else None
    if formats is None and not isinstance(ambiguity_check, bool) or not all(
            isinstance(f, memory_format) for f in formats or ()):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    strides, shape = stride(self), self._data.shape
    order = sorted(range(self._data.ndim), key=lambda d: -strides[d])
    if formats is not None:
        fits = [f for f in formats if is_contiguous(self, f)]
        if len(fits) != 1:
            raise RuntimeError(NO_DIM_ORDER)
        if fits[0].name == "contiguous_format":
            return tuple(range(len(order)))
        return 0, *range(2, len(order)), 1
    if ambiguity_check and (1 in shape or len({*strides}) < len(strides)):
        raise RuntimeError(NO_DIM_ORDER)
    return tuple(order)


NO_DIM_ORDER = ("The tensor does not have unique dim order, or cannot map to exact one of the "
                "given memory formats.")


@method
def is_set_to(self, tensor):
    """Whether both show the same memory with the same sizes and strides.

    >>> import retrograd as torch
    >>> x = torch.ones(2)
    >>> x.is_set_to(x.detach())
    True
    """
    a, b = self._data, tensor._data
    return bool(a.size and address(a) == address(b) and a.dtype == b.dtype and a.shape == b.shape
                and stride(self) == stride(tensor))


@method
def element_size(self):
    """Bytes of one element.

    >>> import retrograd as torch
    >>> torch.zeros(2).element_size()
    4
    """
    return self._data.itemsize


@method
def stride(self, dim=None):
    """How many elements apart neighbours lie in memory, for each dimension or for one.

    Element (i, j) of a matrix lies i * stride(0) + j * stride(1) elements behind the first one.
    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).stride()
    (3, 1)
    """
    item = self._data.itemsize
    strides = [s // item for s in self._data.strides]
    if 0 in self._data.shape or 1 in self._data.shape:
        strides = _torch_strides(self._data, strides)
    return tuple(strides) if dim is None else strides[wrap_dim(dim, self._data.ndim)]


def _torch_strides(array, strides):
    """Contiguous arrays with sizes 0 or 1 get the strides that PyTorch gives them."""
    if not array.flags.c_contiguous or not array.size and getattr(array.base, "size", 0):
        return strides                     # an empty slice keeps those of what it is cut from
    made, step = [0] * array.ndim, 1
    for d in reversed(range(array.ndim)):
        made[d] = step
        step *= max(array.shape[d], 1)
    return made


@method
def storage_offset(self):
    """Elements between the start of the memory and the first element.

    >>> import retrograd as torch
    >>> torch.arange(4)[2:].storage_offset()
    2
    """
    array = self._data
    return (address(array) - address(owner(array))) // array.itemsize


@method
def data_ptr(self):
    """The address of the first element.

    >>> import retrograd as torch
    >>> torch.zeros(2).data_ptr() % 4
    0
    """
    nowhere = self._flags & (ON_META | WRAPPER)
    return address(self._data) if self._data.size and not nowhere else 0


@method
def const_data_ptr(self):
    """The address of the first element, for reading only: data_ptr().

    >>> import retrograd as torch
    >>> x = torch.zeros(2)
    >>> x.const_data_ptr() == x.data_ptr()
    True
    """
    return data_ptr(self)


@method
def is_contiguous(self, memory_format=None):
    """Whether the elements lie in memory row by row, without gaps: as those of a new tensor do.

    With `memory_format` whether they lie in that order, such as torch.channels_last.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).t().is_contiguous()
    False
    """
    if memory_format is not None and format_name(memory_format).startswith("channels_last"):
        return in_channels_last(self, memory_format)
    return self._data.flags.c_contiguous


@public
def is_floating_point(input):
    """Whether the dtype is a floating one.

    >>> import retrograd as torch
    >>> torch.is_floating_point(torch.tensor([1]))
    False
    """
    return input.dtype.is_floating_point


@public
def is_complex(input):
    """Whether the dtype is a complex one.

    >>> import retrograd as torch
    >>> torch.is_complex(torch.tensor([1j]))
    True
    """
    return input.dtype.is_complex


@public
def is_signed(input):
    """Whether the dtype has negative numbers.

    >>> import retrograd as torch
    >>> torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    False
    """
    return input.dtype.is_signed


@public
def is_distributed(input):
    """Always False: a tensor lies in one process.

    >>> import retrograd as torch
    >>> torch.ones(2).is_distributed()
    False
    """
    return False


@public
def is_inference(input):
    """Whether the tensor was made under inference_mode.

    >>> import retrograd as torch
    >>> torch.is_inference(torch.ones(1))
    False
    """
    return bool(input._flags & INFERENCE_TENSOR)


@public
def is_nonzero(input):
    """Whether the one element of a tensor is not 0: a bool.

    Raises RuntimeError for a tensor of several elements, or of none.

    >>> import retrograd as torch
    >>> torch.is_nonzero(torch.tensor([0.5]))
    True
    """
    if not isinstance(input, Tensor):
        raise must_be("Tensor", "is_nonzero", "input", 1, input)
    return bool(input)


@public(method=False)
def is_tensor(obj):
    """Whether `obj` is a Tensor.

    >>> import retrograd as torch
    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


@public
def is_same_size(input, other):
    """Whether both have the same shape.

    >>> import retrograd as torch
    >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
    True
    """
    return input._data.shape == other._data.shape


def _itemsize(self):
    """The bytes of an element.

    >>> import retrograd as torch
    >>> torch.ones(3).itemsize, torch.ones(3, dtype=torch.float64).itemsize
    (4, 8)
    """
    return self._data.itemsize


def _nbytes(self):
    """The bytes of all elements.

    >>> import retrograd as torch
    >>> torch.ones(3).nbytes
    12
    """
    return self._data.nbytes


PROPERTIES = {"itemsize": _itemsize, "nbytes": _nbytes}
