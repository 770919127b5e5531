"""Checks of widths: a factor for each example that meets columns, and places beyond an image."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from . import breaks
from . import source as S
from .check import Check
from .places import Place, place, user_frames
from .programs import Env, called_function, called_name, env_of, operands

DEPTH = 4                # the most assignments back to where a factor was made
DRAWN = ("rand", "randn", "randint", "bernoulli", "empty")


class SpreadFactor(Check):
    """`alphas[t] * x` of images as wide as the batch is large: each column gets a factor."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: set[tuple] = set()           # that were looked at

    def on_scaled(self, t: Tensor, other: Tensor) -> None:
        line = caller()
        if line not in self.lines:
            self.lines.add(line)
            self.look_at(place(*line), t, other)

    def look_at(self, where: Place, t: Tensor, other: Tensor) -> None:
        env = env_of(user_frames()[0])
        product = None if env is None else S.at(env.scope, where)
        if not isinstance(product, ast.BinOp) or env is None:
            return
        first = t._data.ndim == 1
        factor, rows = (product.left, product.right) if first else (product.right, product.left)
        shape = (other if first else t)._data.shape
        square = len(shape) == 2
        if square and is_of_pairs(rows, env):
            return
        if is_for_each(factor, shape[0], env, square=square):
            text, ones = S.bracketed(factor), ", 1" * (len(shape) - 1)
            self.find(where, "spread-target", f"`{text}` has one number for each of the "
                      f"{shape[0]} examples, and multiplies the {shape[0]} columns of "
                      f"{tuple(shape)}", f"({shape[0]},) stands for a row of columns here, and "
                      "there are as many of them as examples by chance: with another size it is "
                      "an error", f"a dimension for each of the others: `{text}.view(-1{ones})`")


def is_for_each(node: ast.AST, n: int, env: Env, depth: int = DEPTH, square: bool = False) -> bool:
    """Whether an expression of size n was read by n indices, or drawn for the examples.

    What multiplies a square matrix may as well be meant for its columns: only what was read from a
    table of another length is not.
    """
    search, call = breaks.Search(), node if isinstance(node, ast.Call) else None
    table, index = read_by_index(node)
    places = search.value(index, env)
    if isinstance(places, Tensor):
        return places._data.shape == (n,) and places._data.dtype.kind in "iu" and not (
            square and {0, n} & lengths(table, env))
    if call is not None and called_name(call) in DRAWN and S.dotted(
            call.func).startswith("torch."):
        return not square and (
            any(part in ast.unparse(node) for part in ("shape[0]", "size(0)", "len("))
            or any("batch" in name for name in S.names_in(node)))
    if isinstance(node, ast.Name):
        made = search.origin(node, env) if depth else None
        return any(is_for_each(e, n, where, depth - 1, square) for e, where in made or ())
    value = search.value(node, env)
    if isinstance(value, Tensor) and value._data.shape != (n,):
        return False
    inside = returned(call, env) if call is not None and depth else ()
    if inside:
        return any(is_for_each(e, n, where, depth - 1, square) for e, where in inside)
    return any(is_for_each(part, n, env, depth, square) for part in operands(node))


def is_of_pairs(node: ast.AST, env: Env, depth: int = DEPTH) -> bool:
    """Whether a matrix (n, n) may hold a number for each pair of examples, also in its columns."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare) or isinstance(part, ast.BinOp) and isinstance(
                part.op, ast.MatMult) or isinstance(part, ast.Call) and PAIRS.search(
                    called_name(part)):
            return True
        if isinstance(part, ast.Call) and depth and any(
                is_of_pairs(e, where, depth - 1) for e, where in returned(part, env)):
            return True
        if isinstance(part, ast.Attribute) and isinstance(breaks.Search().value(part, env), Tensor):
            return True                          # made elsewhere
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(
        env.values.get(n.id), Tensor)]
    for name in names:
        made = breaks.Search().origin(name, env) if depth else None
        if made is None or any(is_of_pairs(e, where, depth - 1) for e, where in made):
            return True
    return False


def lengths(table: ast.AST, env: Env) -> set[int]:
    """The lengths of the rows of numbers that an expression is made of; {0} if it is not known."""
    if isinstance(table, ast.Name) and table.id in env.bound:
        return lengths(*env.bound[table.id])
    held = [breaks.Search().value(part, env) for part in ast.walk(table)]
    return {len(t._data) for t in held if isinstance(t, Tensor) and t._data.ndim == 1} or {0}


def returned(call: ast.Call, env: Env) -> list[tuple[ast.expr, Env]]:
    """The expressions that a function of the program, if it is one, returns to a call."""
    search = breaks.Search()
    bodies = [f for f in map(called_function, search.called(call, env)) if f is not None]
    return [pair for body in bodies[:1] for pair in search.returns(call, body, env)]


def read_by_index(node: ast.AST) -> tuple[ast.AST, ast.AST]:
    """The table and the places of `table[places]`, or `table.gather(-1, places)`."""
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    if isinstance(node, ast.Call) and called_name(node) in ("gather", "index_select", "take"):
        method = isinstance(node.func, ast.Attribute) and S.dotted(node.func.value) != "torch"
        given = [node.func.value, *node.args] if method else node.args   # type: ignore[attr-defined]
        if len(given) > 1:
            return given[0], given[-1]
    return NOTHING, NOTHING


NOTHING = ast.Pass()
PAIRS = re.compile(r"mm$|mat|einsum|dist|outer|similar|eye|tri[lu]|diag|eq$|corr|cov|gram|kernel|"
                   r"adj")


class GridOutside(Check):
    """grid_sample() with places in pixels: its own go from -1 to 1, from edge to edge."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, list] = {}       # calls, and the largest number; 0: not always

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        grid = args[1] if len(args) > 1 else kwargs.get("grid")
        if name != "grid_sample" or not isinstance(grid, Tensor) or not grid._data.size:
            return
        sizes = np.abs(grid._data)
        seen = self.lines.setdefault(caller(), [1, 0.0])
        outside = float((sizes.max(-1) > 1).mean()) > MOST and sizes.max() > FAR
        seen[0] = seen[0] + 1 if outside and seen[0] else 0
        seen[1] = max(seen[1], float(sizes.max()))

    def at_end(self) -> None:
        for line, (calls, largest) in self.lines.items():
            if calls > CALLS:
                self.find(place(*line), "grid-outside", "most places of this grid lie outside of "
                          f"the image, up to {largest:.3g}", "grid_sample() counts from -1 at "
                          "one edge to 1 at the other, whatever the size: beyond that there are "
                          "zeros, without a slope", "`2 * x / (W - 1) - 1`, and `2 * y / (H - 1) "
                          "- 1`, of places in pixels, with align_corners=True")


CALLS, MOST, FAR = 3, 0.5, 2.0       # calls in a row; the share outside; and how far


CHECKS = (SpreadFactor, GridOutside)
