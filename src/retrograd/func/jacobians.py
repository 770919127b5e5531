"""jacrev, jacfwd, hessian: whole Jacobians, all rows (or columns) at once by vmap."""

from __future__ import annotations

import functools

import numpy as np

from .._tensor import Tensor, wrap
from ..ops.declare import F as T
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten
from .derivatives import _replace, _selected, jvp, jvps, others_apart, vjp_beside
from .vmap import check_randomness, vmap

__all__ = ["hessian", "jacfwd", "jacrev"]


def _basis(tensors):
    """For each tensor the unit vectors of all tensors' elements together, (n, *shape)."""
    sizes = [t._data.size for t in tensors]
    total, start, made = sum(sizes), 0, []
    for t, size in zip(tensors, sizes, strict=True):
        rows = np.zeros((total, size), t._data.dtype)
        rows[np.arange(start, start + size), np.arange(size)] = 1
        made.append(wrap(rows.reshape(total, *t._data.shape)).to(t.device))
        start += size
    return made, sizes


def _only_real(function, what, tree):
    for k, t in enumerate(tree_flatten(tree)[0]):
        if isinstance(t, Tensor) and t._data.dtype.kind == "c":
            raise RuntimeError(f"{function}: Expected all {what} to be real but received complex "
                               f"tensor at flattened input idx: {k}")


def _of_selected(func, argnums, args, kwargs):
    """(a function of the selected arguments alone, the others as they are; these arguments)."""
    def of_selected(*selected):
        chosen = selected[0] if isinstance(argnums, int) else selected
        return func(*_replace(others_apart(args), argnums, chosen), **kwargs)

    picked = _selected(argnums, args)
    return of_selected, (picked,) if isinstance(argnums, int) else tuple(picked)


def jacrev(func, argnums=0, *, has_aux: bool = False, chunk_size: int | None = None,
           _preallocate_and_copy: bool = False):
    """A function that returns the Jacobian of `func`, row by row through reverse mode.

    For an output of shape O and an input of shape I the Jacobian has shape (*O, *I); nested
    outputs and inputs give nested results, outputs outside.

    argnums     the positional input (a pytree of tensors) to differentiate for, or several
    has_aux     func returns (value, aux), and the result is (Jacobian, aux)
    chunk_size  compute this many rows at a time, to save memory

    Raises RuntimeError for complex tensors and integers.

    >>> import retrograd as torch
    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size < 1:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        of_selected, primals = _of_selected(func, argnums, args, kwargs)
        _only_real("jacrev", "inputs", primals)
        out, pull, *aux = vjp_beside(of_selected, primals, has_aux, (args, kwargs))
        _only_real("jacrev", "outputs", out)
        leaves, out_spec = tree_flatten(out)
        rows, sizes = _basis(leaves)
        if chunk_size == 1:                       # works for functions that vmap cannot map, too
            each = [pull(tree_unflatten(list(row), out_spec))
                    for row in zip(*rows, strict=True)]
            grads = tree_map(lambda *same: T.stack(list(same), 0), *each)
        else:
            grads = vmap(pull, chunk_size=chunk_size)(tree_unflatten(rows, out_spec))
        grads = grads[0] if isinstance(argnums, int) else grads
        blocks, start = [], 0
        for t, n in zip(leaves, sizes, strict=True):     # (all, *I) -> (n, *I) -> (*O, *I)
            blocks.append(tree_map(lambda g, t=t, a=start, n=n: g.narrow(0, a, n).reshape(
                (*t._data.shape, *g._data.shape[1:])), grads))
            start += n
        result = tree_unflatten(blocks, out_spec) if not isinstance(out, Tensor) else blocks[0]
        return (result, aux[0]) if has_aux else result
    return wrapper


def jacfwd(func, argnums=0, has_aux: bool = False, *, randomness: str = "error"):
    """A function that returns the Jacobian of `func`, column by column through forward mode.

    Shapes, nesting and arguments are those of jacrev(), which computes less where there are
    fewer outputs than inputs. `randomness` is vmap's. Raises RuntimeError for complex tensors,
    ValueError for integers.

    >>> import retrograd as torch
    >>> torch.func.jacfwd(lambda x: x * x)(torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        check_randomness(randomness)
        of_selected, primals = _of_selected(func, argnums, args, kwargs)
        _only_real("jacfwd", "inputs", primals)
        leaves, spec = tree_flatten(primals)
        columns, sizes = _basis(leaves)

        def push(*tangents):                          # with other random numbers each time
            tangents = tree_unflatten(list(tangents), spec)
            _, rate, *aux = jvp(of_selected, primals, tangents, has_aux=has_aux)
            return rate, aux[0] if has_aux else ()

        if randomness == "different":
            rates, aux = vmap(push, randomness=randomness)(*columns)
            aux = tree_map(lambda t: t[0], aux)
        else:
            rates, aux = jvps(of_selected, primals, columns, randomness, has_aux,
                              (args, kwargs))
        _only_real("jacfwd", "outputs", rates)

        def blocks(rate):
            parts, start = [], 0
            for x, n in zip(leaves, sizes, strict=True):
                part = rate.narrow(0, start, n).movedim(0, -1)              # (*O, n)
                parts.append(part.view((*part._data.shape[:-1], *x._data.shape))      # (*O, *I)
                             if x._data.ndim else part.squeeze(-1))
                start += n
            nested = tree_unflatten(parts, spec)
            return nested[0] if isinstance(argnums, int) else nested
        result = tree_map(blocks, rates)
        return (result, aux) if has_aux else result
    return wrapper


def hessian(func, argnums=0):
    """A function that returns the Hessian of `func`: jacfwd of jacrev.

    For an output of shape O (mostly a number) and an input of shape I it has shape (*O, *I, *I);
    with several `argnums` it is a tuple of tuples. Raises RuntimeError for complex tensors.

    >>> import retrograd as torch
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
