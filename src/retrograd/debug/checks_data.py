"""Checks of the data: examples that change, that are all alike, or that the test set shares."""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, only
from .checks_copies import arrays_of, changed_in_place, is_whole
from .checks_targets import tensors_given
from .places import Place

SAMPLES = 64             # of a dataset that are remembered
CHANGED = 8              # that have changed between two reads
ALIKE = 3                # batches of equal inputs
EXAMPLES = 4             # of such a batch, at the least
UNEVEN = 3               # times as frequent as the rarest is a class
ABOUT = 1.5              # times as large are shares that are about the same
LOSSES = ("cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


@dataclass
class Rows:
    """Parts of a dataset's own memory that it has returned, and whether they change."""

    dataset: weakref.ref
    code: CodeType                               # of __getitem__()
    prints: dict[int, int] = field(default_factory=dict)     # of the last numbers, by the memory
    changed: int = 0                             # times that a part was read again,
    equal: int = 0                               # and was as before

    def add(self, memory: int, now: int) -> None:
        if memory in self.prints:
            self.changed += self.prints[memory] != now
            self.equal += self.prints[memory] == now
        if memory in self.prints or len(self.prints) < SAMPLES:
            self.prints[memory] = now


class ChangedSample(Check):
    """`img = self.images[i]; img -= mean` in a dataset: the stored image changes at each read."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: dict[int, Rows] = {}          # by the dataset

    def on_samples(self, dataset: Any, samples: Any) -> None:
        code = getattr(type(dataset).__getitem__, "__code__", None)
        if code is None or not isinstance(samples, list):
            return
        rows = self.seen.get(id(dataset))
        if rows is None or rows.dataset() is not dataset:
            rows = self.seen[id(dataset)] = Rows(weakref.ref(dataset), code)
        for a in [a for sample in samples for a in arrays_of(sample)]:
            if a.size > 1 and not is_whole(a):
                rows.add(a.ctypes.data, reading.fingerprint(a))

    def at_end(self) -> None:
        for rows in self.seen.values():
            where = None if rows.equal or rows.changed < CHANGED else changes_row(rows.code)
            if where is not None:
                self.find(where[0], "changed-sample", f"this changes `{where[1]}`, which is a part "
                          "of the dataset's own memory: each read changes the stored example "
                          "once more", "indexing gives a view, not a copy: from one epoch to the "
                          "next the examples drift away from what they were",
                          "compute a new tensor instead of writing in place, or begin with a "
                          "copy, `.clone()`")


def changes_row(code: CodeType) -> tuple[Place, str] | None:
    """The line of __getitem__() that changes `x` in place after `x = self.data[i]`."""
    source = S.read(code.co_filename)
    scope = None if source is None else source.scope(code)
    for node in S.inside(scope) if scope is not None else ():
        name = changed_in_place(node)
        made = S.assignments(scope, name) if name.isidentifier() else []
        made = [n for n in made if not isinstance(n, ast.AugAssign)]
        if made and all(isinstance(getattr(n, "value", None), ast.Subscript) for n in made):
            return source.place(node), name              # type: ignore[union-attr]
    return None


class AlikeInputs(Check):
    """A network that is given the same for each example: pixels divided as whole numbers."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.call: tuple | None = None           # the last one with equal rows: where, their shape
        self.lines: dict[str, list] = {}

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        given = [t for t in self.doctor.arguments if isinstance(t, Tensor)]
        x = given[0]._data if len(given) == 1 and not given[0].requires_grad else None
        self.call = (where, x) if type(x) is np.ndarray and are_alike(x) else None

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        output, target = tensors_given(args, kwargs)
        if self.call is None or name not in LOSSES or output is None or target is None:
            return
        where, x = self.call
        a, wanted = output._data, target._data
        if output.requires_grad and are_alike(a) and len(a) == len(x) == len(wanted) and (
                not are_alike(wanted)):
            self.lines.setdefault(str(where), [where, 0, x.flat[0] if (
                x == x.flat[0]).all() else None])[1] += 1

    def at_end(self) -> None:
        explained = any(f.kind == "same-tensor" for f in self.doctor.report.findings)
        for where, times, number in () if explained else self.lines.values():
            if times >= ALIKE:
                zeros = number is not None and f": all numbers are {number:g}"
                self.find(where, "alike-inputs", "the network is given the same for each example "
                          f"of a batch{zeros or ''}", "its answers are then the same too, whatever "
                          "the targets: it can learn no more than their mean",
                          "look at what made the inputs: a division of whole numbers such as `x "
                          "// 255`, or a conversion to whole numbers before the division, makes "
                          "all of them 0")


def are_alike(a: np.ndarray) -> bool:
    """Whether all rows of a batch are equal."""
    return a.ndim > 0 and len(a) >= EXAMPLES and bool((a == a[:1]).all())


class RareClass(Check):
    """`CrossEntropyLoss(weight=counts / counts.sum())`: rare classes count less, not more."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.lines: dict[str, list] = {}         # where, the weights of classes, their examples

    @only("NllLossBackward0", "NllLoss2DBackward0", "BinaryCrossEntropyWithLogitsBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        weight = reading.array_of(variables.get("weight"))
        target = reading.array_of(variables.get("target"))
        if type(node).__name__.startswith("Binary"):
            ones = reading.array_of(variables.get("pos_weight"))
            if type(ones) is not np.ndarray or ones.size != 1 or target.dtype.kind != "f" or not (
                    (target == 0) | (target == 1)).all():
                return
            weight, target = np.append(1, ones), target.astype(int)
        if type(weight) is np.ndarray and weight.size > 1:
            where = reading.place_of(node)
            counts = np.bincount(target[target >= 0], minlength=weight.size)[:weight.size]
            line = self.lines.setdefault(str(where), [where, weight, 0])
            line[2] = line[2] + counts

    def at_end(self) -> None:
        for where, weight, counts in self.lines.values():
            if len(weight) == len(counts) and min(counts) > 0 and weight.min() > 0:
                shares = weight / counts
                if max(counts) > UNEVEN * min(counts) and shares.max() < ABOUT * shares.min():
                    rare = int(counts.argmin())
                    self.find(where, "rare-class-lighter", f"class {rare} is the rarest, with "
                              f"{counts[rare]} of {counts.sum()} targets, and has the smallest "
                              "weight", "the weights are as the classes are frequent: what is "
                              "rare counts even less, where weights are to make up for that",
                              "the inverse of the frequencies: `weight = counts.sum() / counts`, "
                              "and `pos_weight = negatives / positives`")


CHECKS = (ChangedSample, AlikeInputs, RareClass)
