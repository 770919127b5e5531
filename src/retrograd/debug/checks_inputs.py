"""Checks of what a network is given: pixels cut off to whole numbers, its own target."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, only
from .checks_scores import BINARY
from .checks_settings import OfPasses
from .places import Place, place, user_frames
from .programs import UNKNOWN, env_of, held_in

CALLS = 3                # with such inputs that make a finding
PIXELS = 16              # an image has so many numbers at least
ONES = 0.1               # more of them than are white in a picture
BLACK_OR_WHITE = re.compile("mask|label|target|truth|gt|seg", re.IGNORECASE)
EXAMPLES = 8             # the least number of examples that tell a column from chance


class CutPixels(OfPasses):
    """`images // 255`, which makes 0 of all pixels but the white ones."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.divided: list[tuple[Place, str]] = []       # the lines, and what they divide
        self.calls = 0                                   # whose inputs are 0 and 1; -1: not all

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.FloorDiv):
                given, by = (node.left, node.right) if isinstance(node, ast.BinOp) else (
                    node.target, node.value)
                line = S.statement(node)
                names = {ast.unparse(t) for t in S.targets(line)} | {ast.unparse(given)}
                if getattr(by, "value", None) in (255, 256) and not any(
                        map(BLACK_OR_WHITE.search, names)):
                    self.divided.append((source.place(line), ast.unparse(given)))

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        super().on_call(module, outermost, result, where)
        given = next(iter(self.doctor.arguments), None)
        if not self.divided or self.calls < 0 or not isinstance(given, Tensor):
            return
        x = given._data
        if type(x) is not np.ndarray or x.dtype.kind != "f" or x.size < PIXELS * len(x):
            return
        cut = ((x == 0) | (x == 1)).all() and x.mean() < ONES
        self.calls = self.calls + 1 if cut else -1
        if self.calls == 1:
            self.divided = [(line, text) for line, text in self.divided if not two_colours(text)]

    def at_end(self) -> None:
        if self.calls >= CALLS and not any(
                f.kind == "alike-inputs" for f in self.doctor.report.findings):
            for line, text in self.divided:
                self.find(line, "cut-to-zero", "`//` cuts off what comes after the point: of all "
                          "pixels below 255 it makes 0", "the network is given black images, "
                          "with 1 where a pixel was white", f"`{text} / 255`")


def two_colours(text: str) -> bool:
    """Whether what was divided holds 0 and 255 alone, where a variable of that name is at hand."""
    for frame in user_frames():
        env = env_of(frame)
        value = UNKNOWN if env is None else held_in(text.partition("[")[0], env)
        a = reading.array_of(value)
        if isinstance(a, np.ndarray):
            return bool(((a == 0) | (a == 255)).all())
    return False


class WrappedAround(Check):
    """`images - 128` of bytes: 100 - 128 is 228 there."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: set[tuple] = set()

    def on_wrapped(self, t: Tensor, other: Any) -> None:
        line = caller()
        if line in self.lines:
            return
        self.lines.add(line)
        subtracted = reading.array_of(other)
        low = t._data < subtracted
        one = int(t._data[low].flat[0])
        less = int(np.broadcast_to(subtracted, low.shape)[low].flat[0])
        self.find(place(*line), "wrapped-around", f"bytes (uint8) are subtracted here, and "
                  f"{np.mean(low):.0%} of the results lie below 0", "a byte holds 0 to 255, and "
                  f"begins again at the other end: {one} - {less} gives {(one - less) % 256}",
                  "convert them first: `x.float() - ...`")


class TargetColumn(Check):
    """A table whose columns, given to the network, hold the class that it is to find."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.given: np.ndarray | None = None
        self.lines: dict[str, list] = {}         # where, the columns, prints of batches, the call

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        given = next(iter(self.doctor.arguments), None)
        x = given._data if isinstance(given, Tensor) and not given.requires_grad else None
        table = type(x) is np.ndarray and x.ndim == 2 and x.dtype.kind == "f"
        self.given, self.where = (x if table and len(self.doctor.arguments) == 1 else None), where

    @only("NllLossBackward0", *BINARY)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        x, self.given = self.given, None
        target = reading.array_of(variables.get("target"))
        if x is None or type(target) is not np.ndarray or target.size != len(x) or (
                len(x) < EXAMPLES or x.shape[1] < 2):
            return
        target = target.reshape(-1, 1)
        if (target == target[0]).all():
            return
        columns = set(np.nonzero((x == target).all(0))[0].tolist())
        line = self.lines.setdefault(str(self.where), [self.where, columns, set()])
        line[1] &= columns
        line[2].add(reading.fingerprint(target))

    def at_end(self) -> None:
        for where, columns, batches in self.lines.values():
            if columns and len(batches) >= CALLS:
                self.find(where, "target-in-input", f"column {min(columns)} of what the network is "
                          "given is the target itself", "it learns to copy that column, is right "
                          "at once, and useless where the answer is not known",
                          "leave the column out: `x = table[:, other_columns]`, or "
                          "`table.drop(columns=\"target\")`")


CHECKS = (CutPixels, WrappedAround, TargetColumn)
