"""Dimensions in another order, as views: transposes and permutations, and properties such as T."""

from __future__ import annotations

from functools import lru_cache

from .._warnings import warn_once
from .arguments import no_input
from .declare import F as T
from .dims import as_tuple, sizes, wrap_dim
from .mistyped import of_call
from .public import alias, public
from .shape import in_place


@public
def transpose(input, dim0, dim1):
    """A view with two dimensions swapped: y[..., i, ..., j] = x[..., j, ..., i].

    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.transpose(torch.zeros(2, 3), 0, 1).shape
    torch.Size([3, 2])
    """
    try:
        ndim = input._data.ndim
    except AttributeError:
        raise no_input("transpose", input, dim0, dim1) from None
    d0, d1 = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    return T.transpose(input, d0, d1)


@public
def swapaxes(input, axis0, axis1):
    """A view with two dimensions swapped: transpose().

    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.swapaxes(torch.zeros(2, 3, 4), 0, 2).shape
    torch.Size([4, 3, 2])
    """
    return transpose(input, axis0, axis1)


alias("swapdims", "transpose")


@public
def t(input):
    """The transpose of a matrix, as a view: (n, m) -> (m, n).

    A vector or a tensor without dimensions stays as it is. Raises RuntimeError for more than two
    dimensions.

    >>> import retrograd as torch
    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    return _t(input, "t")


def _t(input, name):
    if input._data.ndim > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is "
                           f"{input._data.ndim}D")
    return T.t(input)


@public
def permute(input, *args, dims=None):
    """A view with the dimensions in the order `dims`: size i of the result is size dims[i].

    Raises RuntimeError unless `dims` names each dimension once.

    >>> import retrograd as torch
    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    order, ndim = sizes(args if dims is None else (dims,)), input._data.ndim
    if len(order) != ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not "
                           "match the length of the desired ordering of dimensions i.e. input.dim()"
                           f" = {ndim} is not equal to len(dims) = {len(order)}")
    return T.permute(input, _from_front(order, ndim))


@lru_cache(maxsize=256)
def _from_front(order, ndim):
    """The dimensions of permute(), none of which may occur twice, counted from the front."""
    order = tuple([wrap_dim(d, ndim) for d in order])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return order


@public
def movedim(input, source, destination):
    """A view with dimensions moved to other places, while the rest keep their order.

    (2, 3, 4) -> (3, 4, 2) for the source 0 and the destination 2. source and destination are ints,
    or several each. Raises IndexError for a dimension out of range, RuntimeError for one that is
    named twice.

    >>> import retrograd as torch
    >>> torch.movedim(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    ndim = input._data.ndim
    if isinstance(source, (tuple, list)) is not isinstance(destination, (tuple, list)):
        raise of_call(TypeError("an int and a tuple"))
    source, destination = as_tuple(source), as_tuple(destination)
    if len(source) != len(destination):
        raise of_call(RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should "
            f"contain the same number of dims as destination ({list(destination)} dims)"))
    order = _moved(source, destination, ndim)
    return T.permute(input, order) if ndim else T.alias(input)


@lru_cache(maxsize=256)
def _moved(source, destination, ndim):
    """The order of dimensions after movedim(), whose arguments are whole numbers."""
    for name, dims in (("source", source), ("destination", destination)):
        if len({wrap_dim(d, ndim) for d in dims}) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(dims)})")
    order = [None] * ndim
    source = [wrap_dim(d, ndim) for d in source]
    if ndim:
        for s, d in zip(source, destination, strict=True):
            order[wrap_dim(d, ndim)] = s
    rest = iter(d for d in range(ndim) if d not in source)
    return tuple(next(rest) if d is None else d for d in order)


alias("moveaxis", "movedim")


def _T(self):
    """The dimensions in reverse order, as a view: the transpose of a matrix.

    Of other than two dimensions it is deprecated, with a warning: see mT.

    >>> import retrograd as torch
    >>> torch.tensor([[1, 2, 3]]).T
    tensor([[1],
            [2],
            [3]])
    """
    ndim = self._data.ndim
    if ndim == 2:
        return T.permute(self, (1, 0))
    if not ndim:
        _of_number(self, "Tensor.T", False)
    else:
        warn_once("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
                  "deprecated and it will throw an error in a future release. Consider `x.mT` to "
                  "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` "
                  "to reverse the dimensions of a tensor.")
    return T.permute(self, tuple(range(ndim))[::-1])


def _name(self):
    """None: there are no named tensors."""


def _of_number(x, name, conj):
    """The transpose of a tensor without dimensions."""
    warn_once(f"{name} is deprecated on 0-D tensors. "
              + ("Consider using x.conj()." if conj else
                 "This function is the identity in these cases."))
    return x.conj() if conj else x


def _matrix_transpose(name, doc):
    def get(self):
        if self._data.ndim == 0:
            return _of_number(self, f"Tensor.{name}", name != "mT")
        if self._data.ndim == 1 or name == "H" and self._data.ndim != 2:
            kind = "matrices (2-D tensors)" if name == "H" else "matrices or batches of matrices"
            more = " For batches of matrices, consider using tensor.mH" * (self._data.ndim > 2)
            raise RuntimeError(f"tensor.{name} is only supported on {kind}. Got "
                               f"{self._data.ndim}-D tensor.{more}")
        res = T.transpose(self, self._data.ndim - 2, self._data.ndim - 1)
        return res.conj() if name != "mT" and self._data.dtype.kind == "c" else res
    get.__doc__ = doc
    return get


PROPERTIES = {
    "T": _T, "name": _name,
    "mT": _matrix_transpose("mT", """The last two dimensions exchanged, as a view.

    RuntimeError for tensors of one dimension.

    >>> import retrograd as torch
    >>> torch.ones(5, 2, 3).mT.shape
    torch.Size([5, 3, 2])
    """),
    "mH": _matrix_transpose("mH", """The conjugate transpose of each matrix.

    >>> import retrograd as torch
    >>> torch.tensor([[[1j, 2j]]]).mH
    tensor([[[0.-1.j],
             [0.-2.j]]])
    """),
    "H": _matrix_transpose("H", """The conjugate transpose of a matrix; RuntimeError for others.

    >>> import retrograd as torch
    >>> torch.tensor([[1j, 2j]]).H
    tensor([[0.-1.j],
            [0.-2.j]])
    """),
}


@public
def adjoint(input):
    """The conjugate transposes of matrices, y[i, j] = conj(x[j, i]): (*, n, m) -> (*, m, n).

    For real numbers it is a view. Raises RuntimeError for vectors; a tensor without dimensions is
    conjugated.

    >>> import retrograd as torch
    >>> torch.adjoint(torch.tensor([[1j, 2], [3, 4]]))
    tensor([[0.-1.j, 3.-0.j],
            [2.-0.j, 4.-0.j]])
    """
    if input._data.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. "
                           "Got 1-D tensor.")
    return PROPERTIES["mH"](input) if input._data.ndim else _of_number(input, "adjoint()", True)


for _fn in (transpose, swapaxes):
    in_place(_fn.__name__ + "_", _fn, "torch.ones(2, 3).{}(0, 1).shape", (3, 2))
in_place("t_", lambda self: _t(self, "t_"), "torch.ones(2, 3).{}().shape", (3, 2))
alias("swapdims_", "transpose_")
