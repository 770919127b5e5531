"""Reads and writes through masks, and searches for elements: nonzero(), argwhere(), isin()."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._tensor import Tensor, wrap
from ..kernels.checks import as_int64
from ..kernels.masks import found_among, places
from ..kernels.masks import nonzero as all_places
from . import mapped_search
from . import samples as S
from .arguments import must_be
from .batching import in_layers, layers
from .declare import F as T
from .declare import op
from .factory import fitting
from .gather_scatter import SOURCE, both_ways, check_element, with_zeros
from .mapped import each_slice, elementwise, is_batched, refuse_dynamic
from .out import fill_checked
from .public import FUNCTIONS, METHODS, public
from .support import number, result_dtype

_MASK = np.array([[True, False, True], [False, False, True]])

# --------------------------------------------------------------------------- masks

op("masked_fill(self, mask | value)", "MaskedFillBackward0", inplace=True, public=False,
    samples=S.then((_MASK, 2.5)),
    self = lambda F, g, self_shape, mask: F.sum_to(F.masked_fill(g, mask, 0), self_shape),
    jvp  = lambda F, self, mask, self_t, mask_t, value: F.masked_fill(self_t, mask, 0))

op("masked_fill_tensor(self, mask, value)", "MaskedFillBackward1", inplace=True, public=False,
    samples=S.then((_MASK, np.array(2.5))),
    self  = lambda F, g, self_shape, mask: F.sum_to(F.masked_fill(g, mask, 0), self_shape),
    value = lambda F, g, mask: F.sum_all(F.where(mask, g, 0)),
    jvp   = lambda F, self, mask, value, self_t, mask_t, value_t:
                F.masked_fill_tensor(with_zeros(F, self_t, self), mask,
                                     with_zeros(F, value_t, value)))

op("masked_select(self, mask)", "MaskedSelectBackward0", public=False, samples=S.then((_MASK,)),
    self = lambda F, g, self_shape, mask:
               F.sum_to(F.masked_scatter(F.zeros_of(g, np.broadcast_shapes(self_shape, mask.shape)),
                                         mask, g), self_shape),
    jvp  = lambda F, self, mask, self_t, mask_t: F.masked_select(self_t, mask))

op("masked_scatter(self, mask, source)", "MaskedScatterBackward0", inplace=True, public=False,
    samples=S.then((_MASK, SOURCE)),
    self   = lambda F, g, self_shape, mask: F.sum_to(F.masked_fill(g, mask, 0), self_shape),
    source = lambda F, g, source_shape, mask:
                 F.reshape(F.pad_end(F.masked_select(g, mask), (int(np.prod(source_shape)),)),
                           source_shape),
    jvp    = lambda F, self, mask, source, self_t, mask_t, source_t:
                 F.masked_scatter(with_zeros(F, self_t, self), mask,
                                  with_zeros(F, source_t, source)))


@both_ways
def masked_fill(input, mask, value):
    """A copy of input with `value` where the mask is True.

    `mask` is a bool tensor that broadcasts with input, `value` a number or a tensor without
    dimensions. The gradient of input is 0 where the mask is True. Raises RuntimeError for another
    dtype of the mask.

    >>> import retrograd as torch
    >>> torch.masked_fill(torch.zeros(3), torch.tensor([True, False, True]), 5)
    tensor([5., 0., 5.])
    """
    if not isinstance(value, Tensor):
        return "masked_fill", (input, mask, fitting(value, input, "masked_fill"))
    if value._data.dtype != input._data.dtype:
        check_element(value, input)
        value = value.to(_dtype.of(input._data))
    return "masked_fill_tensor", (input, mask, value)


FUNCTIONS["masked_fill_"] = METHODS["masked_fill_"]


@public
def masked_select(input, mask, *, out=None):
    """The elements of input where the bool mask is True, as a vector, in order: input[mask].

    Shapes broadcast; the result is a copy. The gradient goes back to their places. Raises
    RuntimeError for a mask that is not bool.

    >>> import retrograd as torch
    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
    """
    res = T.masked_select(input, mask)
    return res if out is None else fill_checked("masked_select", out, res, input, mask)


@both_ways
def masked_scatter(input, mask, source):
    """A copy of input with source's elements, in order, in the places where the mask is True.

    The bool mask broadcasts to input; source has at least as many elements as there are places.
    Raises RuntimeError where it has fewer, or for another dtype.

    >>> import retrograd as torch
    >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.ones(2))
    tensor([1., 0., 1.])
    """
    return "masked_scatter", (input, mask, source)


# --------------------------------------------------------------------------- places, not values

@public
def nonzero(input, *, out=None, as_tuple=False):
    """The places of the elements that are not 0, in order: (count, ndim), of int64.

    With as_tuple one vector for each dimension, by which input can be indexed.

    >>> import retrograd as torch
    >>> torch.nonzero(torch.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    refuse_dynamic("nonzero", input)
    if not isinstance(as_tuple, bool):
        raise must_be("bool", "nonzero", "as_tuple", None, as_tuple)
    if as_tuple and out is not None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    if out is not None and out._data.dtype != np.int64:
        raise RuntimeError("nonzero: Expected out tensor to have scalar type Long but got scalar "
                           f"type{out.dtype.tensor_name}")
    if as_tuple:
        array = input._data if input._data.ndim else input._data.reshape(1)
        return tuple([wrap(found) for found in as_int64(places(array))])
    res = wrap(all_places(input._data))
    return res if out is None else fill_checked("nonzero", out, res)


@public
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """nonzero() with exactly `size` rows: (size, ndim), of int64.

    Further places are left out; where there are fewer, rows of `fill_value` follow. Raises
    RuntimeError for a negative size.

    >>> import retrograd as torch
    >>> torch.nonzero_static(torch.tensor([0, 5, 7]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if out is not None and out._data.dtype != np.int64:
        raise RuntimeError("nonzero_static: Expected out tensor to have scalar type Long but got "
                           f"scalar type{out.dtype.tensor_name}")
    if is_batched(input) and out is None:
        return each_slice(nonzero_static, input, size=size, fill_value=fill_value)
    found = nonzero(input)._data[:size]
    rows = np.full((size, found.shape[1]), fill_value, np.int64)
    rows[:len(found)] = found
    return wrap(rows) if out is None else fill_checked("nonzero_static", out, wrap(rows))


@public
def argwhere(input):
    """The places of the elements that are not 0, one in each row: (count, ndim), of int64.

    It is nonzero() by NumPy's name.

    >>> import retrograd as torch
    >>> torch.argwhere(torch.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return each_slice(nonzero, input) if is_batched(input) else nonzero(input)


@public(method=False)
@elementwise(0, otherwise=mapped_search.among)
def isin(elements=None, test_elements=None, *, element=None, test_element=None,
         assume_unique=False, invert=False, out=None):
    """Whether each element is among test_elements: bools in the shape of elements.

    One of the two may be a number, whose name is `element` or `test_element`. `invert` gives the
    opposite. `assume_unique` may be said for elements that are all different; the result is the
    same. Raises RuntimeError for complex numbers.

    >>> import retrograd as torch
    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    elements = element if elements is None else elements
    test_elements = test_element if test_elements is None else test_elements
    tensors = [t if isinstance(t, Tensor) else number(t, beside) for t, beside in
               ((elements, test_elements), (test_elements, elements))]
    for t in tensors:
        if t._data.dtype.kind in "bc":
            raise RuntimeError("Unsupported input type encountered for isin(): "
                               f"{t.dtype.tensor_name}")
    common = result_dtype(tensors).np
    arrays = [t._data.astype(common, copy=False) for t in tensors]
    res = wrap(found_among(*arrays, assume_unique, invert))
    return res if out is None else fill_checked("isin", out, res)


@public(method=False)
def unravel_index(indices, shape):
    """The coordinates of flat places in an array of the given shape, a tensor for each dimension.

    Place 5 in the shape (2, 3) is (1, 2): 5 = 1 * 3 + 2. Raises ValueError for negative sizes,
    TypeError for places that are no integers.

    >>> import retrograd as torch
    >>> torch.unravel_index(torch.tensor([3]), (2, 2))
    (tensor([1]), tensor([1]))
    """
    if not isinstance(indices, Tensor):
        raise must_be("Tensor", "unravel_index", "indices", None, indices)
    if indices._data.dtype.kind not in "iu":
        raise TypeError("expected 'indices' to be integer dtype, but got "
                         f"{_dtype.of(indices._data)}")
    indices = indices.long()
    if not isinstance(shape, (int, tuple, list)):
        raise TypeError("expected 'shape' to be int or sequence of ints, but got "
                        f"{type(shape)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in shape:
        if not isinstance(n, int):
            raise TypeError("expected 'shape' sequence to only contain ints, but got "
                            f"{type(n)}")
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    value, numbers = layers(indices)
    rest = value._data
    coordinates = np.empty((*rest.shape, len(shape)), rest.dtype)    # side by side, as PyTorch's
    for k, n in reversed(list(enumerate(shape))):
        coordinates[..., k] = rest % n
        rest = rest // n
    return tuple(in_layers(wrap(coordinates[..., k]), numbers) for k in range(len(shape)))
