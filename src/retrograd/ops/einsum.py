"""Sums of products over named indices: einsum and tensordot, as batched matrix products.

Every operand is brought to one order of labels (those of the result first), with size 1 where it
lacks a label. Operands are then multiplied from left to right; a label is summed as soon as no
operand after the next one has it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from .._tensor import Tensor, wrap
from .arguments import must_be
from .declare import F as T
from .dims import INTS, wrap_dim, wrap_dims
from .matmul import bmm, dot, mm
from .out import fill_checked
from .public import public
from .support import unobserved
from .views import inverse

ELLIPSIS = -1


@public(method=False)
def einsum(equation, *operands):
    """The sum of products that the equation describes, such as "bij,bjk->bik".

    Also called as `einsum(x, [0, 1], y, [1, 2], [0, 2])`. Labels are letters, "..." stands for
    the remaining dimensions; without "->" the result has the labels that occur once, in order.
    Raises RuntimeError for labels and sizes that do not fit together.

    >>> import retrograd as torch
    >>> torch.einsum("ij,ij->i", torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    if isinstance(equation, Tensor):
        operands, labels, output = _from_lists((equation, *operands))
    elif not isinstance(equation, str):
        raise must_be("str", "einsum", "equation", 1, equation)
    else:
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
        labels, output = _from_text(equation, len(operands))
    return _contract(operands, labels, output)


# --------------------------------------------------------------------------- reading the equation

def _from_lists(arguments):
    """Operands, labels and output of the call with lists of numbers."""
    if len(arguments) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or "
                         "at least one operand and its subscripts list")
    operands, labels = [], []
    output = None
    if len(arguments) % 2:
        *arguments, output = arguments
    for t, names in zip(arguments[::2], arguments[1::2], strict=True):
        operands.append(t)
        labels.append(tuple([ELLIPSIS if n is Ellipsis else _number(n) for n in names]))
    if output is not None:
        output = tuple([ELLIPSIS if n is Ellipsis else _number(n) for n in output])
    return operands, tuple(labels), output


def _number(n):
    if not 0 <= n < 52:
        raise ValueError("einsum(): subscript in subscript list is not within the valid range "
                         "[0, 52)")
    return n


@lru_cache(maxsize=256)
def _from_text(equation, operands):
    """The labels of each of so many operands, and of the output."""
    if not operands:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or "
                         "at least one operand and its subscripts list")
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    if len(parts) > operands:
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(parts) < operands:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    labels, start = [], 0
    for number, part in enumerate(parts):
        labels.append(_letters(part, start, f"operand {number}"))
        start += len(part) + 1
    return tuple(labels), _letters(right, len(left) + 2, "output") if arrow else None


def _letters(text, start, where):
    """The codes of letters of an operand or the output, which begins at `start`."""
    found, k = [], 0
    while k < len(text):
        if text[k] == " ":
            k += 1
        elif text[k] == ".":
            if ELLIPSIS in found or text[k:k + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for {where} "
                                   + _misplaced(where == "output", ELLIPSIS in found))
            found.append(ELLIPSIS)
            k += 3
        elif text[k].isascii() and text[k].isalpha():
            found.append(_code(text[k]))
            k += 1
        else:
            raise RuntimeError(f"einsum(): invalid subscript given at index {start + k} in the "
                               "equation string, subscripts must be in [a-zA-Z]")
    return tuple(found)


def _misplaced(output, second):
    """PyTorch's words for a dot."""
    if second:
        return "but an ellipsis (...) was already found" if output \
            else "for which an ellipsis was already found"
    return "that is not part of any ellipsis" + " (...)" * output


def _code(letter):
    """Upper case sorts before lower case."""
    return ord(letter) - ord("A") if letter.isupper() else ord(letter) - ord("a") + 26


def _letter(code):
    return chr(ord("A") + code) if code < 26 else chr(ord("a") + code - 26)


def _spread_ellipsis(labels, ndims):
    """Replace "..." by labels of its own, counted from the last; returns how many there are."""
    most, spread = 0, []
    for k, (names, ndim) in enumerate(zip(labels, ndims, strict=True)):
        own = ndim - sum(n != ELLIPSIS for n in names)
        if ELLIPSIS in names:
            if own < 0:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(names) - 1}) is "
                    f"more than the number of dimensions ({ndim}) for operand {k}")
            most = max(most, own)
        elif own:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(names)}) does not match "
                f"the number of dimensions ({ndim}) for operand {k} and no ellipsis was "
                "given")
        spread.append(own)
    made = []
    for names, own in zip(labels, spread, strict=True):
        dots = [100 + d for d in range(most - own, most)]
        made.append([x for n in names for x in (dots if n == ELLIPSIS else [n])])
    return made, most


def _output_labels(labels, output, dots):
    ellipsis = [100 + d for d in range(dots)]
    if output is None:
        every = [n for names in labels for n in names if n < 100]
        once = sorted(n for n in set(every) if every.count(n) == 1)
        return ellipsis + once
    made = [x for n in output for x in (ellipsis if n == ELLIPSIS else [n])]
    known = {n for names in labels for n in names}
    for n in made:
        if made.count(n) > 1:
            raise RuntimeError(f"einsum(): output subscript {_letter(n)} appears more than once in "
                               "the output")
        if n not in known:
            raise RuntimeError(f"einsum(): output subscript {_letter(n)} does not appear in the "
                               "equation for any input operand")
    return made


# --------------------------------------------------------------------------- planning

class Contraction(NamedTuple):
    """What is to be done with operands of certain labels and shapes."""

    aligned: list            # how each operand is brought into order: see _alignment
    products: list           # (dimensions of the result so far and of the next operand to sum
                             # before their product, its Product or None) for each further operand
    over: tuple              # dimensions of the result to sum at last,
    kept: bool               # which stay with size 1,
    shape: tuple | None      # and its shape then
    only: Product | None     # the product, if that and changes of shape are all there is


class Product(NamedTuple):
    """A product summed over dimensions as a batched product of matrices."""

    swapped: bool            # whether a is the second operand and b the first:

    left: tuple              # a's dimensions in order,
    rows: tuple              # and its shape as (batches, n, k);
    right: tuple             # the same for b,
    columns: tuple           # (batches, k, m);
    shape: tuple             # the product's dimensions with those of size 1,
    order: tuple             # and their order in the result


@lru_cache(maxsize=256)
def _planned(labels, output, shapes):
    """The Contraction of operands of these shapes; RuntimeError where labels do not fit them."""
    labels, kept, order = _in_order(labels, output, tuple(map(len, shapes)))
    _check_sizes(labels, shapes)
    aligned = [_alignment(names, order) for names in labels]
    sizes = [dict(zip(names, shape, strict=True)) for names, shape in zip(labels, shapes,
                                                                          strict=True)]
    spread = [tuple([own.get(n, 1) for n in order]) for own in sizes]
    left = [sum([shape[d] != 1 for shape in spread]) for d in range(len(order))]
    rest, products = tuple(range(kept, len(order))), []
    shape, *others = spread
    for other in others:
        made, shape = _pair(shape, other, rest, left)
        products.append(made)
    over = rest if not others else tuple([d for d in rest if shape[d] != 1])
    alone = len(products) == 1 and not (over or any(diagonals for diagonals, *_ in aligned)
                                        or products[0][0] or products[0][1])
    return Contraction(aligned, products, over, bool(others),
                       shape[:kept] if others and rest else None,
                       products[0][2] if alone else None)


@lru_cache(maxsize=256)
def _in_order(labels, output, ndims):
    """Labels without "...", how many of them the output keeps, and all in order: those first."""
    spread, dots = _spread_ellipsis(labels, ndims)
    kept = _output_labels(spread, output, dots)
    summed = sorted({n for names in spread for n in names} - set(kept))
    return tuple(map(tuple, spread)), len(kept), tuple(kept + summed)


def _check_sizes(labels, shapes):
    """RuntimeError unless sizes that differ are 1 and belong to several operands."""
    sizes = {}
    for k, (names, shape) in enumerate(zip(labels, shapes, strict=True)):
        own = {}
        for n, size in zip(names, shape, strict=True):
            if own.setdefault(n, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {_letter(n)} is repeated for operand {k} but the sizes "
                    f"don't match, {size} != {own[n]}")
            seen = sizes.get(n, 1)
            if size != 1 and seen not in (1, size):
                raise RuntimeError(
                    f"einsum(): subscript {_letter(n)} has size {size} for operand {k} which does "
                    f"not broadcast with previously seen size {seen}")
            sizes[n] = max(seen, size) if size else 0


def _alignment(names, order):
    """(pairs of dimensions to take the diagonals of, where dimensions of size 1 are added at the
    end, the order of all): one dimension for each label."""
    diagonals = []
    for n in names:
        while names.count(n) > 1:
            first = names.index(n)
            second = names.index(n, first + 1)
            diagonals.append((first, second))
            names = (*[m for k, m in enumerate(names) if k not in (first, second)], n)
    every = [*names, *[n for n in order if n not in names]]
    return diagonals, range(len(names), len(order)), tuple([every.index(n) for n in order])


def _pair(n, m, inner, left):
    """What to sum of arrays of shapes n and m, and how to multiply them; the product's shape.

    Summed are inner dimensions that no later operand has; `left` counts the operands of each.
    """
    both, of_a, of_b = [], [], []
    for d in inner:
        if n[d] != 1 and m[d] != 1:
            left[d] -= 1
            if left[d] == 1:
                both.append(d)
                left[d] = 0
        elif left[d] == 1 and n[d] != m[d]:
            (of_a if n[d] != 1 else of_b).append(d)
            left[d] = 0
    n, m = (tuple([1 if d in of else size for d, size in enumerate(shape)])
            for shape, of in ((n, of_a), (m, of_b)))
    sizes = [max(x, y) if x and y else 0 for x, y in zip(n, m, strict=True)]
    product = _product(n, m, both, sizes) if both else None
    shape = tuple([1 if d in both else size for d, size in enumerate(sizes)])
    return (tuple(of_a), tuple(of_b), product), shape


def _product(n, m, summed, sizes):
    """The Product of arrays of shapes n and m over the dimensions `summed`, kept with size 1."""
    batch, of_a, of_b = [], [], []
    for d in range(len(n)):
        if d not in summed:
            in_a, in_b = n[d] != 1, m[d] != 1
            (batch if in_a and in_b else of_a if in_a else of_b).append(d)
    if of_a and of_b and of_b[-1] < of_a[0]:     # then the product comes out in the result's order
        return _product(m, n, summed, sizes)._replace(swapped=True)
    batches, inner, rows, columns = (math.prod([sizes[d] for d in dims])
                                     for dims in (batch, summed, of_a, of_b))
    order = (*batch, *of_a, *summed, *of_b)
    return Product(False, order, (batches, rows, inner),
                   (*batch, *summed, *of_b, *of_a), (batches, inner, columns),
                   tuple([1 if d in summed else sizes[d] for d in order]), inverse(order))


# --------------------------------------------------------------------------- computing

def _contract(operands, labels, output):
    plan = _planned(labels, output, tuple([t._data.shape for t in operands]))
    if plan.only is not None and unobserved(operands[0]._flags | operands[1]._flags):
        return _of_arrays(operands[0]._data, operands[1]._data, plan)
    result, *others = map(_aligned, operands, plan.aligned)
    for t, (of_a, of_b, product) in zip(others, plan.products, strict=True):
        if of_a:
            result = T.sum_dim(result, of_a, True)
        if of_b:
            t = T.sum_dim(t, of_b, True)
        result = result * t if product is None else _multiplied(result, t, product)
    if plan.over:
        result = T.sum_dim(result, plan.over, plan.kept)
    return result if plan.shape is None else T.view(result, plan.shape)


def _of_arrays(a, b, plan):
    """One product of tensors of which nobody sees the views: those of their arrays take a third of
    the time."""
    how = plan.only
    of_a, of_b = plan.aligned
    if how.swapped:
        a, b, of_a, of_b = b, a, of_b, of_a
    (_, in_a, of_a), (_, in_b, of_b) = of_a, of_b
    left = a.reshape(a.shape + (1,) * len(in_a)).transpose(of_a).transpose(how.left)
    right = b.reshape(b.shape + (1,) * len(in_b)).transpose(of_b).transpose(how.right)
    product = bmm(wrap(left.reshape(how.rows)), wrap(right.reshape(how.columns)))._data
    product = product.reshape(how.shape).transpose(how.order)
    return wrap(product if plan.shape is None else product.reshape(plan.shape))


def _aligned(t, how):
    """t with its dimensions in the common order, size 1 where it has none."""
    diagonals, added, dims = how
    for first, second in diagonals:
        t = t.diagonal(0, first, second)
    for d in added:
        t = T.unsqueeze(t, d)
    return T.permute(t, dims)


def _multiplied(a, b, how):
    if how.swapped:
        a, b = b, a
    left = T.reshape(T.permute(a, how.left), how.rows)
    product = bmm(left, T.reshape(T.permute(b, how.right), how.columns))
    return T.permute(T.reshape(product, how.shape), how.order)


@public(method=False)
def tensordot(a, b, dims=2, out=None):
    """Sums of products over several dimensions of a and b at once.

    `dims` is how many (the last of a, the first of b), or the two lists of dimensions. The result
    has the other dimensions, of a first. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    torch.Size([2, 4])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._data.ndim, b._data.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = list(range(-dims, 0)), list(range(dims))
    if not isinstance(dims, (list, tuple)) or len(dims) != 2:
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or "
                           f"list[list[int]] containing two lists, but got dims={dims}")
    of_a, of_b = (list(d) if isinstance(d, (list, tuple)) else [d] for d in dims)
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    if a._data.dtype is not b._data.dtype:
        raise RuntimeError("both inputs should have same dtype")
    plan = _contraction if INTS.issuperset(map(type, of_a + of_b)) else _contraction.__wrapped__
    how, sums_a, sums_b = plan(a._data.shape, b._data.shape, tuple(of_a), tuple(of_b))
    a = T.sum_dim(a, sums_a, True).to(a.dtype) if sums_a else a
    b = T.sum_dim(b, sums_b, True).to(b.dtype) if sums_b else b
    left, right = T.permute(a, how.left), T.permute(b, how.right)
    if how.shape:
        res = T.reshape(mm(T.reshape(left, how.rows), T.reshape(right, how.columns)), how.shape)
    else:
        res = T.view(_contracted(left, right), ())
    return res if out is None else fill_checked("tensordot", out, res)


def _contracted(a, b):
    """The sum of all products of the elements of two tensors of one shape."""
    if a._data.flags.c_contiguous and b._data.flags.c_contiguous:
        return dot(*(t if t._data.ndim == 1 else T.view(t, (t._data.size,)) for t in (a, b)))
    return (T.squeeze_all(a) * T.squeeze_all(b)).sum().to(a.dtype)


@lru_cache(256)
def _contraction(a, b, of_a, of_b):
    """How tensordot() of tensors of these shapes goes, and the dimensions over which each is summed
    before, since the other has size 1 there."""
    for d, shape in ((of_a, a), (of_b, b)):
        for one in d:
            wrap_dim(one, len(shape))
    for x, y in zip(of_a, of_b, strict=True):
        m, n = a[x], b[y]
        if m != n and 1 not in (m, n):
            raise RuntimeError(f"contracted dimensions need to match, but first has size {m} in "
                               f"dim {x} and second has size {n} in dim {y}")
    if of_a:                             # wrap_dims() takes no dimensions for all of them
        of_a, of_b = wrap_dims(of_a, len(a)), wrap_dims(of_b, len(b))
    pairs = tuple(zip(of_a, of_b, strict=True))
    sums_a = tuple(x for x, y in pairs if b[y] == 1 and a[x] != 1)
    sums_b = tuple(y for x, y in pairs if a[x] == 1 and b[y] != 1)
    free_a, free_b = (tuple(d for d in range(len(s)) if d not in of)
                      for s, of in ((a, of_a), (b, of_b)))
    inner = math.prod(1 if x in sums_a else a[x] for x in of_a)
    of_rows, of_columns = tuple(a[d] for d in free_a), tuple(b[d] for d in free_b)
    how = Matrices(free_a + of_a, (math.prod(of_rows), inner), of_b + free_b,
                   (inner, math.prod(of_columns)), of_rows + of_columns)
    return how, sums_a, sums_b


class Matrices(NamedTuple):
    """How two tensors become matrices whose product has the elements of tensordot()."""

    left: tuple               # the dimensions of a in the order of the rows' matrix
    rows: tuple               # its shape
    right: tuple              # the same of b
    columns: tuple
    shape: tuple              # of the result
