"""Parts of a tensor as views of it: the public functions of `views.py` for them."""

from __future__ import annotations

from .._callers import written
from .._tensor import BATCHED, Tensor
from . import support
from .declare import F as T
from .dims import whole, wrap_dim
from .public import method, numpy_names, public
from .shape import in_place
from .views import diagonal_window, strided_window, unfold_window


@public
@numpy_names
def narrow(input, dim, start, length):
    """`length` slices along `dim`, as a view: x[start : start + length] for dim 0.

    Raises RuntimeError where these are not all there, IndexError for a start or a dimension out of
    range.

    >>> import retrograd as torch
    >>> torch.narrow(torch.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    shape = input._data.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start._data.ndim or start._data.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    d = wrap_dim(dim, len(shape))
    start = start if start.__class__ is int else whole(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = shape[d]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got "
                         f"{start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return T.slice_dim(input, d, start, start + length, 1)


@public
@numpy_names
def select(input, dim, index):
    """The slice number `index` along `dim`, as a view without that dimension: x[index] for dim 0.

    Negative numbers count from the end. Raises IndexError for an index or a dimension out of range.

    >>> import retrograd as torch
    >>> torch.select(torch.arange(4).view(2, 2), 0, 1)
    tensor([2, 3])
    """
    shape = input._data.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    index = index if index.__class__ is int else whole(index)
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size "
                         f"{list(shape)} at dimension {d}")
    return T.select(input, d, index % n)


@public
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The elements x[..., i, ..., i + offset, ...] of the dimensions dim1 and dim2, as a view.

    They form a new last dimension: (n, m) -> (k). `offset` is 0 for the main diagonal, positive
    above it. Raises IndexError for a dimension out of range, RuntimeError if both are the same.

    >>> import retrograd as torch
    >>> torch.diagonal(torch.arange(4).view(2, 2))
    tensor([0, 3])
    """
    ndim = input._data.ndim
    try:
        d1, d2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    except IndexError as error:
        raise support.input_error(input) or error from None
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    window = diagonal_window(input._data, offset, d1, d2) if input._flags else None
    return T.diagonal(input, offset, d1, d2, window)


@method
def fill_diagonal_(self, fill_value, wrap=False):
    """Write `fill_value` in place where all indices are equal: x[i, i] = fill_value.

    `wrap` begins again below in a tall matrix. Raises RuntimeError for fewer than two dimensions,
    and for more unless all sizes are equal.

    >>> import retrograd as torch
    >>> torch.zeros(2, 2).fill_diagonal_(1)
    tensor([[1., 0.],
            [0., 1.]])
    """
    shape = self._data.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    part = self
    while part._data.ndim > 1:
        part = diagonal(part)
    part.fill_(fill_value)
    height, width = shape[:2]
    if wrap and len(shape) == 2:
        for start in range(width + 1, height, width + 1):
            diagonal(narrow(self, 0, start, min(width, height - start))).fill_(fill_value)
    return written(self, "fill_diagonal_")


@method
def unfold(self, dimension, size, step):
    """All windows of `size` elements, `step` apart, along a dimension, as a view.

    (n) -> ((n - size) // step + 1, size): the windows form a new last dimension. Raises
    RuntimeError for a size that is larger than the dimension, and for a step below 1.

    >>> import retrograd as torch
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    d, array = wrap_dim(dimension, self._data.ndim), self._data
    n = array.shape[d] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    window = unfold_window(array, d, size, step) if self._flags else None
    return T.unfold_dim(self, d, size, step, window)


@public
def as_strided(input, size, stride, storage_offset=None):
    """A view with any sizes and strides (in elements) of the memory, from `storage_offset` on.

    Element (i, j, ...) is the one at storage_offset + i * stride[0] + j * stride[1] + ... of the
    memory, where the input's own strides do not count; elements may be shown several times. Raises
    RuntimeError for places outside of the memory, and for negative strides.

    >>> import retrograd as torch
    >>> torch.as_strided(torch.arange(4), (2, 2), (1, 1))
    tensor([[0, 1],
            [1, 2]])
    """
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got "
                           f"strides: {list(stride)}")
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and "
                           f"strides={list(stride)}")
    recorded = input._flags and not input._flags & BATCHED
    window = strided_window(input._data, size, stride, storage_offset) if recorded else None
    return T.as_strided(input, size, stride, storage_offset, window)


in_place("as_strided_", as_strided, "torch.ones(4).{}((2, 2), (2, 1)).shape", (2, 2))
