"""Checks of DataLoaders: one that gives nothing, the wrong one, and rows that get out of step."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from .._state import state
from ..nn.modules.module import Module
from ..utils.data import (
    DataLoader,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
)
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_settings import OfPasses
from .places import Place, is_our_function, place
from .programs import called_name

LOADERS = 20               # the most DataLoaders that are remembered
BATCHES = 3                # so many batches of each collate_fn are compared with their samples
EXAMPLES = 64              # the most samples of a batch that is compared
SORTS = ("sorted", "sort", "argsort", "randperm", "permutation", "shuffle", "sample")


class EmptyLoader(Check):
    """`DataLoader(dataset, batch_size=64, drop_last=True)` of 50 examples: a loop over nothing."""

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        if isinstance(loader.dataset, IterableDataset) or len(loader) > 0:
            return
        try:
            examples, size = len(loader.dataset), loader.batch_size
        except TypeError:                        # a dataset without a length
            return
        if examples and size and getattr(loader, "drop_last", False):
            self.find(where, "empty-loader", "this DataLoader gives no batch at all: the loop over "
                      "it does nothing", f"the dataset has {examples} examples, fewer than the "
                      f"{size} of a batch, and drop_last=True leaves out a batch that is not full",
                      "a smaller batch_size, or drop_last=False")
        elif not examples:
            self.find(where, "empty-loader", "this DataLoader gives no batch at all: the loop over "
                      "it does nothing", "its dataset has no examples",
                      "look at what the dataset was made of: a path without files, a filter that "
                      "nothing passes, or a part of a split that is empty")


class BatchesInPart(OfPasses):
    """`for i in range(n // size): x[i:i + size]`: each batch begins one example after the last."""

    def read(self, source: S.Source) -> None:
        for loop in source.nodes:
            size = counted_by(loop) if isinstance(loop, ast.For) else None
            if size is None or not isinstance(loop.target, ast.Name):
                continue
            i = loop.target.id
            if any(i in S.names_in(t) for n in S.inside(loop) for t in S.targets(n)):
                continue                         # which makes a place of it: i = i * size
            for node in S.inside(loop):
                part = node.slice if isinstance(node, ast.Subscript) else None
                if isinstance(part, ast.Slice) and part.lower is not None and (
                        part.upper is not None and ast.unparse(part.lower) == i
                        and ast.unparse(part.upper) in (f"{i} + {size}", f"{size} + {i}")):
                    rows = ast.unparse(node.value)
                    self.find(source.place(S.statement(node)), "batches-in-part",
                              f"batch `{i}` begins at row `{i}`, not at row `{i} * {size}`",
                              f"`{i}` counts batches here, in `{ast.unparse(loop.iter)}`: each is "
                              f"the one before, moved by one row, and most of `{rows}` is never "
                              "read",
                              f"`for {i} in range(0, len({rows}), {size}):`", str(loop.lineno))
                    break


def counted_by(loop: ast.For) -> str | None:
    """The `size` of `for i in range(n // size)`, or of int(n / size); None for other loops."""
    call = loop.iter
    count = call.args[0] if isinstance(call, ast.Call) and called_name(call) == "range" and len(
        call.args) == 1 else None
    if isinstance(count, ast.Call) and called_name(count) in ("int", "ceil") and count.args:
        count = count.args[0]
    divided = isinstance(count, ast.BinOp) and isinstance(count.op, (ast.FloorDiv, ast.Div))
    return ast.unparse(count.right) if divided and isinstance(count, ast.BinOp) else None


class WeightsOfClasses(Check):
    """`WeightedRandomSampler(class_weights, n)`: weights of classes, where examples have theirs."""

    def on_loader(self, loader: DataLoader, where: Place) -> None:
        sampler = getattr(loader, "sampler", None)
        if not isinstance(sampler, WeightedRandomSampler) or isinstance(
                loader.dataset, IterableDataset):
            return
        try:
            weights, examples = len(sampler.weights), len(loader.dataset)
        except TypeError:                        # a dataset without a length
            return
        if weights < examples and sampler.num_samples > weights:
            self.find(where, "weights-of-classes", f"the sampler has {weights} weights, and the "
                      f"dataset {examples} examples", f"it draws from the first {weights} "
                      "examples only, one for each weight: the others are never trained with",
                      "give each example the weight of its class: `WeightedRandomSampler("
                      "class_weights[labels], len(labels))`")


@dataclass
class Loader:
    """A DataLoader of a part of something, and what the program has used it for."""

    dataset: Any
    whole: Any                       # what that is a part of,
    begin: Any                       # and where the part begins
    where: Place | None = None       # that reads it and trains
    read: bool = False
    tested: bool = False


class TrainedOnTest(Check):
    """The network learns from the small part of a split, and is measured by it as well.

    The large part has a DataLoader, too, which nothing reads.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.loaders: dict[int, Loader] = {}
        self.reading: tuple[Loader | None, Place] | None = None

    def on_loader(self, loader: DataLoader, where: Place) -> None:
        whole, begin = part_of(loader.dataset)
        if whole is not None and len(self.loaders) < LOADERS:
            self.loaders[id(loader)] = Loader(loader.dataset, whole, begin)

    def on_reading(self, loader: DataLoader, where: Place) -> None:
        known = self.loaders.get(id(loader))
        if known is not None and known.dataset is loader.dataset:
            known.read = True
        self.reading = known, where

    def before_pass(self, task: Pass) -> None:
        known, where = self.reading or (None, None)
        if known is not None and task.fills:
            known.where = known.where or where

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not state.grad and self.reading is not None and self.reading[0] is not None:
            self.reading[0].tested = True

    def at_end(self) -> None:
        several = list(self.loaders.values())
        for one in several:
            small = len(one.dataset)
            other = next((len(o.dataset) for o in several if o.whole is one.whole and not o.read
                          and o.begin != one.begin and len(o.dataset) > small), 0)
            if one.where is not None and one.tested and other:
                self.find(one.where, "trained-on-test", f"the network is trained with {small} "
                          "examples here, and measured with the same ones",
                          f"the other part of the split has {other} examples, and its DataLoader "
                          "is never read: it looks as if the two had changed places",
                          "train with the DataLoader of the training set")


def part_of(dataset: Any) -> tuple[Any, Any]:
    """What a dataset is a part of, and where the part begins; None for what is whole."""
    if isinstance(dataset, Subset) and len(dataset.indices):
        return dataset.dataset, int(dataset.indices[0])
    if isinstance(dataset, TensorDataset) and dataset.tensors:
        array = dataset.tensors[0]._data
        whole = reading.memory_of(array) if type(array) is np.ndarray else array
        return (whole, array.ctypes.data) if whole is not array else (None, None)
    return None, None


class OutOfStep(Check):
    """A collate_fn that sorts the inputs of a batch, and leaves the labels in their order.

    The rows of a batch are found again among the samples that it was made of.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: dict[CodeType, int] = {}

    def on_batch(self, samples: Any, batch: Any, collate: Any) -> None:
        code = getattr(collate, "__code__", None)
        if code is None or is_our_function(collate) or self.seen.get(code, 0) >= BATCHES or not (
                isinstance(samples, list) and 1 < len(samples) <= EXAMPLES
                and isinstance(batch, (tuple, list))
                and all(isinstance(s, (tuple, list)) and len(s) > 1 for s in samples)):
            return
        self.seen[code] = self.seen.get(code, 0) + 1
        parts = [a for part in batch if (a := reading.array_of(part)) is not None]
        if not any(is_order(a, len(samples)) for a in parts):
            self.compare(code, samples, parts)

    def compare(self, code: CodeType, samples: list, parts: list) -> None:
        moved = kept = None                      # the order of a part; a part in its old order
        for k in range(min(map(len, samples))):
            column = [s[k] for s in samples]
            tables = [t for part in parts if (t := table_of(column, part)) is not None]
            if len(tables) != 1:                 # not in the batch, or several times
                continue
            if tables[0].diagonal().all():
                kept = tables[0]
            elif (tables[0].sum(0) == 1).all() and (tables[0].sum(1) == 1).all():
                moved = tables[0].argmax(1)      # of each row the sample
        if moved is None or kept is None or kept[np.arange(len(moved)), moved].all():
            return
        where, wrong = sorted_at(code), int((~kept[np.arange(len(moved)), moved]).sum())
        self.find(where, "out-of-step", f"`{code.co_name}` puts one part of a batch into another "
                  f"order, and leaves another part as it was: {wrong} of {len(moved)} examples get "
                  "the label of another one", "the network is given inputs and targets row by row, "
                  "and finds no connection between them", "sort the samples before they are taken "
                  "apart: `batch = sorted(batch, key=...)`, and make all parts of the batch of "
                  "that", str(where))


def is_order(array: Any, n: int) -> bool:
    """Whether an array is an order of n rows, by which a network can undo the sorting."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.shape == (n,) and (
        np.array_equal(np.sort(array), np.arange(n)))


def table_of(column: list, part: Any) -> np.ndarray | None:
    """Which rows of a part of a batch hold which samples; None if some row, or sample, has none.

    Rows may be longer than the samples, and may lie along the first dimension or the second.
    """
    n = len(column)
    if not isinstance(part, np.ndarray) or part.ndim == 0:
        return None
    given = [np.asarray(reading.array_of(value)) for value in column]
    for rows in (part, part.swapaxes(0, 1)) if part.ndim > 1 else (part,):
        if len(rows) == n and all(v.dtype.kind in "fiub" for v in given):
            table = np.array([[begins(row, value) for value in given] for row in rows])
            if table.any(0).all() and table.any(1).all():
                return table
    return None


def begins(row: np.ndarray, value: np.ndarray) -> bool:
    """Whether a row of a padded batch is a value, or begins with it."""
    if row.ndim != value.ndim or row.shape[1:] != value.shape[1:] or len(
            row.shape[:1]) and len(row) < len(value):
        return False
    return bool(np.array_equal(row[:len(value)] if row.ndim else row, value))


def sorted_at(code: CodeType) -> Place:
    """The line of a function that changes an order; its first one where none is found."""
    source = S.read(code.co_filename)
    scope = None if source is None else source.scope(code)
    calls = [n for n in S.inside(scope) if isinstance(n, ast.Call)
             and called_name(n) in SORTS] if scope is not None else []
    if source is None or not calls:
        return place(code, 0)
    return source.place(S.statement(min(calls, key=lambda n: n.lineno)))


CHECKS = (EmptyLoader, BatchesInPart, WeightsOfClasses, TrainedOnTest, OutOfStep)
