"""Checks of widths: a factor for each example that meets columns, and places beyond an image."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from . import breaks
from . import source as S
from .check import Check
from .places import Place, place, user_frames
from .programs import Env, called_name, env_of, operands

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
        factor, shape = (product.left if first else product.right), (
            other if first else t)._data.shape
        if is_for_each(factor, shape[0], env):
            text, ones = S.bracketed(factor), ", 1" * (len(shape) - 1)
            self.find(where, "spread-target", f"`{text}` has one number for each of the "
                      f"{shape[0]} examples, and multiplies the {shape[0]} columns of "
                      f"{tuple(shape)}", f"({shape[0]},) stands for a row of columns here, and "
                      "there are as many of them as examples by chance: with another size it is "
                      "an error", f"a dimension for each of the others: `{text}.view(-1{ones})`")


def is_for_each(node: ast.AST, n: int, env: Env, depth: int = DEPTH) -> bool:
    """Whether an expression of size n was read by n indices, or drawn for the examples."""
    if isinstance(node, ast.Subscript):
        index = breaks.Search().value(node.slice, env)
        if isinstance(index, Tensor):
            return index._data.shape == (n,) and index._data.dtype.kind in "iu"
    if isinstance(node, ast.Call) and called_name(node) in DRAWN and S.dotted(
            node.func).startswith("torch."):
        return any(part in ast.unparse(node) for part in ("shape[0]", "size(0)", "len(")) or any(
            "batch" in name for name in S.names_in(node))
    if isinstance(node, ast.Name):
        made = breaks.Search().origin(node, env) if depth else None
        return any(is_for_each(expression, n, where, depth - 1) for expression, where in made or ())
    value = breaks.Search().value(node, env)
    if isinstance(value, Tensor) and value._data.shape != (n,):
        return False
    return any(is_for_each(part, n, env, depth) for part in operands(node))


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
