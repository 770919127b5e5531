"""Dimension arguments: negative numbers, tuples, and PyTorch's errors."""

from __future__ import annotations

from operator import index

from ..kernels.checks import no_dim
from .mistyped import nothing_given, of_call

INTS = frozenset((int,))


def whole(value):
    """`value` as an int, or PyTorch's TypeError for the call that got it."""
    if value.__class__ is bool and (wrong := of_call(None)) is not None:
        raise wrong
    try:
        return index(value)
    except TypeError as error:
        raise of_call(error) from None


def wrap_dim(dim, ndim):
    """`dim` counted from the front; IndexError if there is no such dimension."""
    if dim.__class__ is not int:
        if dim.__class__ is bool:                                # x.max(True): keepdim, perhaps
            raise of_call(TypeError("argument 'dim' must be int, not bool"))
        dim = whole(dim)
    n = ndim or 1
    if not -n <= dim < n:
        raise no_dim(dim, n)
    return dim % n


def wrap_dims(dim, ndim):
    """A tuple of dimensions; None and () mean all of them. RuntimeError for one given twice."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return dim % ndim
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    if dim.__class__ is int or isinstance(dim, int) or hasattr(dim, "__index__"):
        dim = wrap_dim(dim, ndim)
        return dim if ndim else ()
    try:
        dims = tuple(wrap_dim(d, ndim) for d in dim)
    except TypeError as error:
        if isinstance(dim, (tuple, list)) and True in map(isinstance, dim[1:], [bool] * len(dim)):
            return wrap_dims((dim[0], *map(index, dim[1:])), ndim)     # PyTorch looks at the first
        raise of_call(error) from None
    if len(set(dims)) != len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return dims if ndim else ()


def axes(dim, ndim):
    """wrap_dims, as a tuple for a single dimension too."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    found = wrap_dims(dim, ndim)
    return found if isinstance(found, tuple) else (found,)


def as_tuple(value):
    """A number alone in a tuple (also one of NumPy's, or a tensor's), a sequence as a tuple."""
    return tuple(map(whole, value)) if isinstance(value, (tuple, list)) else (whole(value),)


def sizes(args):
    """Sizes given as numbers or as one sequence: f(2, 3) and f((2, 3)) alike.

    TypeError in the words of the function that the program called if there are none.
    """
    if len(args) == 1:
        one, = args
        if one.__class__ is int:
            return args
        if isinstance(one, (tuple, list)):
            args = one
    elif not args:
        raise nothing_given()
    if INTS.issuperset(map(type, args)):
        return tuple(args)
    return tuple([n if n.__class__ is int else whole(n) for n in args])
