"""Checks of writes to several places at once, of which some are the same place."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from . import reading
from . import source as S
from .check import Check, only
from .places import Place, place

LARGEST = 1 << 20        # the most places that are compared
LOST = "the last value that is written to a place stays there, and the others are lost"


class AddedOnce(Check):
    """`sums[index] += values`, or scatter_() of values, where a place occurs more than once."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[tuple, tuple[str, str] | None] = {}     # `sums[index]` and `values`

    def on_put(self, t: Tensor, index: Any) -> None:
        line = caller()
        if line not in self.lines:
            self.lines[line] = added_at(place(*line))
        added = self.lines[line]
        times = repeated(index) if added is not None else 0
        if added is None or not times:
            return
        target, values = added
        owner, _, inner = target[:-1].rpartition("[")
        self.lines[line] = None
        self.find(place(*line), "added-once", "this adds one value only to each place of "
                  f"`{owner}`, and {times} of the places in `{inner}` are there more than once",
                  f"`{target}` is read once, for all of them, before the sums are written back: "
                  f"{LOST}", f"{adding(owner, inner, values, index)}, which adds them all")

    @only("ScatterBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        index, dim = reading.array_of(variables.get("index")), variables.get("dim")
        if node.edges[-1] is None or type(index) is not np.ndarray or index.size > LARGEST or (
                type(dim) is not int):
            return
        ordered = np.sort(index, axis=dim)
        times = int((np.diff(ordered, axis=dim) == 0).sum()) if ordered.ndim else 0
        if times:
            self.find(reading.place_of(node), "added-once", f"scatter() writes {times} of "
                      f"{index.size} values to a place that gets another one too", LOST,
                      "scatter_add(), or index_add(), which add them up; "
                      'scatter_reduce(..., reduce="mean") for their mean')


def added_at(where: Place) -> tuple[str, str] | None:
    """`x[index]` and `values` where a line says `x[index] += values`, or `= x[index] + values`."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    if isinstance(line, ast.AugAssign) and isinstance(line.op, ast.Add):
        target, values = line.target, line.value
    elif isinstance(line, ast.Assign) and isinstance(line.value, ast.BinOp) and isinstance(
            line.value.op, ast.Add) and ast.unparse(line.value.left) == ast.unparse(
            line.targets[0]):
        target, values = line.targets[0], line.value.right
    else:
        return None
    return (ast.unparse(target), ast.unparse(values)) if isinstance(
        target, ast.Subscript) else None


def adding(owner: str, inner: str, values: str, index: Any) -> str:
    """A call that adds all values, where a place has several."""
    if values.replace(".", "").isdigit():
        values = f"torch.full({inner.split(', ')[0]}.shape, {float(values)})"
    if type(index) is not tuple:
        return f"`{owner}.index_add_(0, {inner}, {values})`"
    if all(isinstance(part, (Tensor, list)) for part in index):
        return f"`{owner}.index_put_(({inner}), {values}, accumulate=True)`"
    dim = next(k for k, part in enumerate(index) if isinstance(part, (Tensor, list)))
    return f"`{owner}.index_add_({dim}, {inner.split(', ')[dim]}, {values})`"


def repeated(index: Any) -> int:
    """How many of the places that an index names are named by it more than once."""
    parts = [reading.array_of(part) if isinstance(part, Tensor) else np.asarray(part)
             for part in (index if type(index) is tuple else (index,))
             if isinstance(part, (Tensor, list))]
    if not all(type(a) is np.ndarray and a.dtype.kind in "iu" and a.size <= LARGEST
               for a in parts):
        return 0                                 # a mask names each place once
    places = np.stack([a.reshape(-1) for a in np.broadcast_arrays(*parts)])
    _, times = np.unique(places, axis=1, return_counts=True)
    return int(times[times > 1].sum())


CHECKS = (AddedOnce,)
