"""rearrange: permute, split and merge dimensions by a pattern of their names.

The patterns are those of einops: `"b (h w) c -> b c h w"`. A dimension has a name; names in
parentheses share a dimension, the last of them running fastest; `1` or `()` is a dimension of
size 1; `...` stands for any number of dimensions.
"""

from __future__ import annotations

import keyword
import re
import warnings
from functools import lru_cache
from math import prod

from .._tensor import Tensor

__all__ = ["rearrange"]

ELLIPSIS = "..."
TOKEN = re.compile(r"\.\.\.|\w+|.", re.DOTALL)


class DimensionBindError(Exception):
    """A dimension's size does not agree with the sizes of the names that share it."""


def rearrange(tensor, pattern: str, **axes_lengths: int) -> Tensor:
    """`tensor` with its dimensions reordered, split or merged as `pattern` says.

    tensor        a Tensor, or a sequence of tensors of one shape, stacked along a new dimension 0
    pattern       names of the dimensions before and after `->`, see `retrograd.func.einops`
    axes_lengths  sizes of names in parentheses; one name of each dimension can go without

    The result is a view where reshape() gives one. Raises ValueError for a malformed pattern or one
    that does not fit, DimensionBindError for sizes that do not. A `1` on the left for a dimension
    that is longer is an error, too; PyTorch keeps only the first slice.

    >>> import retrograd as torch
    >>> torch.func.rearrange(torch.arange(6), "(a b) -> b a", a=2)
    tensor([[0, 3],
            [1, 4],
            [2, 5]])
    """
    if not isinstance(tensor, Tensor):
        from ..ops.join import stack
        tensor = stack(tensor)
    left, right = _sides(pattern)
    _check_names(left, right, axes_lengths)
    named = len(left) - (ELLIPSIS in left)
    if tensor.dim() < named or tensor.dim() > named and ELLIPSIS not in left:
        raise ValueError(
            f"Number of dimensions in pattern ({named}) must be "
            f"{'less than or equal' if ELLIPSIS in left else 'equal'} to the number of dimensions "
            f"in the tensor ({tensor.dim()})")
    others = [f"{ELLIPSIS}{i}" for i in range(tensor.dim() - named)]
    left, right = _spread(left, others), _spread(right, others)
    sizes = {}
    for group, size in zip(left, tensor.shape, strict=True):
        sizes.update(_sizes(group, size, axes_lengths))
    names = [name for group in left for name in group]
    order = [names.index(name) for group in right for name in group]
    apart = tensor.reshape([sizes[name] for name in names]).permute(order)
    return apart.reshape([prod(sizes[name] for name in group) for group in right])


def _spread(side, others) -> list[tuple]:
    """The groups of a side, with the names `others` in place of the ellipsis."""
    groups = []
    for group in side:
        if group == ELLIPSIS:
            groups += [(name,) for name in others]
        else:
            groups.append(tuple(n for name in group
                                for n in (others if name == ELLIPSIS else (name,))))
    return groups


def _sizes(group, size, given) -> dict[str, int]:
    """The size of each name that shares a dimension of `size` elements."""
    sizes = {name: given.get(name) for name in group}
    open_names = [name for name, n in sizes.items() if n is None]
    known = prod(n for n in sizes.values() if n is not None)
    if len(open_names) > 1:
        raise DimensionBindError("cannot infer the sizes of two dimensions at once "
                                 f"{open_names[0]} and {open_names[1]}")
    if open_names:
        if known == 0 or size % known:
            shown = tuple("?" if n is None else n for n in sizes.values())
            raise DimensionBindError("inferred dimension does not evenly fit into larger "
                                     f"dimension: {size} vs {shown}")
        sizes[open_names[0]] = size // known
    elif known != size:
        raise DimensionBindError(f"Dimension sizes to do not match ({size} != {known}) when "
                                 f"matching dimension pack ({', '.join(group)})")
    return sizes


# --------------------------------------------------------------------------- patterns

@lru_cache(256)
def _sides(pattern: str):
    """What stands before and after the arrow: groups of names, and ELLIPSIS by itself."""
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(_parsed, pattern.split("->"))
    if any(group != ELLIPSIS and ELLIPSIS in group for group in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if ELLIPSIS in _names(right) and ELLIPSIS not in left:
        raise ValueError("Ellipsis found in right side, but not left side of a pattern " + pattern)
    return left, right


def _parsed(side: str) -> tuple:
    if "." in side and not side.count("...") == side.count(".") / 3 == 1:
        more = "; only one ellipsis for tensor " if "..." in side else ""
        raise ValueError(f"Expression may contain dots only inside ellipsis (...){more}")
    groups, group, seen = [], None, set()
    for token in TOKEN.findall(side):
        if token == " ":
            continue
        if token == "(":
            if group is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not "
                                 "allowed)")
            group = []
        elif token == ")":
            if group is None:
                raise ValueError("Brackets are not balanced")
            groups.append(tuple(group))
            group = None
        elif token == "1":
            groups += [()] if group is None else []
        else:
            _check_name(token, seen)
            if group is not None:
                group.append(token)
            else:
                groups.append(token if token == ELLIPSIS else (token,))
    if group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return tuple(groups)


def _check_name(name: str, seen: set) -> None:
    """Raise unless `name` can stand for a dimension and does so once."""
    if name in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    seen.add(name)
    if name == ELLIPSIS:
        return
    if name.isdecimal():
        if int(name) == 0:
            raise ValueError("Anonymous axis should have positive length, not 0")
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if not name[0].isalnum() and name[0] != "_":
        raise ValueError(f"Unknown character '{name}'")
    if not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if "_" in (name[0], name[-1]):
        raise ValueError(f"Invalid axis identifier: {name}\naxis name should should not start or "
                         "end with underscore")
    if keyword.iskeyword(name):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {name}",
                      RuntimeWarning, stacklevel=5)
    if name == "axis":
        warnings.warn("It is discouraged to use 'axis' as an axis name and will raise an error in "
                      "future", FutureWarning, stacklevel=5)


def _names(side) -> set[str]:
    return {name for group in side for name in ((group,) if group == ELLIPSIS else group)}


def _check_names(left, right, lengths) -> None:
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    different = _names(left) ^ _names(right)
    if different:
        raise ValueError("Identifiers only on one side of rearrange expression (should be on "
                         f"both): {different}")
    unknown = lengths.keys() - (_names(left) - {ELLIPSIS})
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
