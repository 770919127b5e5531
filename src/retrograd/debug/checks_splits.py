"""Checks of the split into training and test set: what the two share and should not."""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._state import state
from .._tensor import Tensor
from ..nn.modules.module import Module
from . import source as S
from .check import Check, only
from .checks_modes import is_measured
from .places import Place
from .programs import called_name

NUMBERS = 1 << 20        # that a network was given are looked at, also those that come again
LONGEST = 1024           # the most numbers of a row
NETWORKS = 20            # the most networks that are remembered
KNOWN, SOME = 300, 16    # after 300 batches without a new row, one of 16 is looked at
TRAINED, TESTED = 20, 8  # the least numbers of rows
STEPS = 6                # the least length of a window
SHARE = 0.8              # the share of the test's windows that overlap with the training's
FAR = 4                  # how many deviations the mean of an unscaled test is away
CLOSE = 1e-4             # how close to 0 the mean, and to 1 the deviation, has to be


@dataclass
class Inputs:
    """Rows that a network was given, each once: those of the training and those of evaluations."""

    network: weakref.ref
    trained: dict[int, np.ndarray] = field(default_factory=dict)     # by their hashes
    tested: dict[int, np.ndarray] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)      # that a row was trained with
    batches: list[tuple[Place, list[int]]] = field(default_factory=list)     # of evaluations
    last: dict[int, int] = field(default_factory=dict)       # the call that a row was trained in
    unseen: set[int] = field(default_factory=set)            # tested before they were trained
    waiting: dict[int, Place] = field(default_factory=dict)  # tested since the last training
    fold: tuple[Place, int] | None = None        # an evaluation of an earlier fold's rows
    seen: int = 0                                # numbers
    calls: int = 0                               # of the training,
    new: int = 0                                 # and the last one with a new row
    where: Place | None = None                   # of an evaluation
    line: Place | None = None                    # of the first call

    def add(self, x: np.ndarray, recorded: bool, where: Place | None) -> None:
        self.calls += recorded
        if recorded and self.waiting:
            self.tested_now()
        if recorded and self.calls - self.new > KNOWN and self.calls % SOME:
            return
        self.seen += x.size
        rows, keys = self.trained if recorded else self.tested, []
        known = len(rows)
        for row in x.copy():
            keys.append(hash(row.tobytes()))
            rows.setdefault(keys[-1], row)
        if recorded:
            self.new = self.calls if len(rows) > known else self.new
            for key in keys:
                self.times[key] = self.times.get(key, 0) + 1
                self.last[key] = self.calls
        elif where is not None:
            self.batches.append((where, keys))
            self.waiting.update(dict.fromkeys(keys, where))

    def tested_now(self) -> None:
        """Compare an evaluation, which has ended, with what was trained when.

        In a cross-validation with one network, rows of a later fold were all trained with before,
        but not in the last epochs; and rows that were new to it before are trained with now.
        """
        tested, self.waiting = self.waiting, {}
        if self.trained.keys().isdisjoint(tested):
            self.unseen.update(tested)
        elif self.fold is None and tested.keys() <= self.last.keys() and len(tested) >= TESTED and (
                len(self.unseen & self.last.keys()) >= TESTED):
            since = max((self.calls - call for key, call in self.last.items()
                         if key not in tested), default=self.calls)
            if min(self.calls - self.last[key] for key in tested) > 2 * since:
                self.fold = next(iter(tested.values())), len(tested)

    def measured(self) -> tuple[Place | None, np.ndarray]:
        """The new rows of evaluations whose results were compared with targets, and the first."""
        places = [where for where, _ in self.batches if is_measured(where)]
        lines = set(map(str, places))
        keys = [key for where, several in self.batches if str(where) in lines for key in several
                if key not in self.trained]
        rows = [self.tested[key] for key in dict.fromkeys(keys)]
        return (places[0], np.stack(rows)) if len(rows) >= TESTED else (None, np.empty(0))

    def mixed(self) -> tuple[Place, int, int] | None:
        """An evaluation of rows of which some were trained with, others not; how many of each.

        Nothing is known of rows that come by chance, or were not all looked at, and an evaluation
        of all there is may be meant.
        """
        if self.seen >= NUMBERS or min(self.times.values(), default=0) < 2 or (
                len(self.trained.keys() - self.tested.keys()) < TRAINED
                or not has_own_numbers(self.trained)):
            return None
        for where, keys in self.batches:
            known = {key for key in keys if key in self.trained}
            new = len(set(keys) - known)
            if min(len(known), new) >= TESTED and 5 * len(known) >= len(keys):
                return where, len(known), new
        return None


def has_own_numbers(rows: dict[int, np.ndarray]) -> bool:
    """Whether some column has another number in each row: equal rows are no chance then."""
    several = list(rows.values())
    if len({row.shape for row in several}) > 1:
        return False
    table = np.stack(several).reshape(len(several), -1)
    return any(len(np.unique(column)) == len(several) for column in table.T)


class SharedSplit(Check):
    """A test set that was scaled together with the training set, or whose windows overlap with it.

    It is recognized by what the network is given, as there are many ways to write the split.
    """

    def __init__(self, doctor):
        super().__init__(doctor)
        self.inputs: dict[int, Inputs] = {}      # by the network

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        given = next(iter(self.doctor.arguments), None)
        x = given._data if isinstance(given, Tensor) and not given.requires_grad else None
        if type(x) is not np.ndarray or x.dtype.kind != "f" or x.ndim not in (2, 3) or (
                not 1 < x[0:1].size <= LONGEST):
            return
        inputs = self.inputs.get(id(module))
        if inputs is None or inputs.network() is not module:
            if len(self.inputs) >= NETWORKS:
                return
            inputs = self.inputs[id(module)] = Inputs(weakref.ref(module))
        if inputs.seen < NUMBERS:
            inputs.add(x, state.grad, where)
            inputs.where = inputs.where if state.grad else inputs.where or where
            inputs.line = inputs.line or where

    def at_end(self) -> None:
        for inputs in self.inputs.values():
            self.scaled_by_rows(inputs)
            inputs.tested_now()
            if inputs.fold is not None and has_own_numbers(inputs.trained):
                where, n = inputs.fold
                self.find(where, "trained-in-another-fold", f"the {n} examples that are measured "
                          "here were trained with before, when others were held back", "the "
                          "network went on from fold to fold: from the second one on it knows what "
                          "it is measured on, and each score is better than it should be",
                          "make a new network, and a new optimizer, at the beginning of each fold")
            if (found := inputs.mixed()) is not None and is_measured(found[0]):
                where, known, fresh = found
                self.find(where, "shared-rows", f"{known} of these {known + fresh} examples were "
                          f"trained with too, the other {fresh} were not", "the training set and "
                          "the test set overlap: what is measured here is partly how well the "
                          "network remembers", "split in one place, `x[:n]` for the training and "
                          "`x[n:]` for the test, with the same n")
            new = [row for key, row in inputs.tested.items() if key not in inputs.trained]
            if inputs.where is None or len(new) < TESTED or len(inputs.trained) < TRAINED or (
                    len({row.shape for row in (*new, *inputs.trained.values())}) > 1):
                continue
            trained, tested = np.stack(list(inputs.trained.values())), np.stack(new)
            if are_scaled_together(trained, tested) and is_measured(inputs.where):
                self.find(line_of(inputs.where, SCALING), "scaled-with-test", "the columns of the "
                          f"{len(trained)} examples of the training and the {len(tested)} of the "
                          "test together have the mean 0 and the deviation 1",
                          "the numbers they were scaled by were computed from the test set too: "
                          "what is measured there is no longer what new examples will show",
                          "split first, and take the mean and the deviation of the training set "
                          "for both")
            where, measured = inputs.measured()
            if where is not None and (far := farthest_column(trained, measured)):
                self.find(where, "scaled-without-test", f"the columns of the {len(trained)} "
                          "examples of the training have the mean 0 and the deviation 1, and one "
                          f"of the {len(measured)} of the test has the mean {far:.3g}",
                          "the network has only seen scaled numbers: these are far "
                          "from all of them, and its answers say nothing",
                          "scale the test by the same numbers, those of the training set: "
                          "`(test - mean) / std`")
            if (share := share_of_windows(trained, tested)) >= SHARE and is_measured(inputs.where):
                self.find(line_of(inputs.where, SPLITTING), "overlapping-split", f"{share:.0%} of "
                          f"the {len(tested)} windows of the test overlap with a window of the "
                          "training in all steps but one", "windows that begin one step after "
                          "another share almost all of their numbers, and the target of the one "
                          "is a step of the other: the network is measured on what it has seen",
                          "split the series in time first, `series[:n]` and `series[n:]`, and cut "
                          "each part into windows")


    def scaled_by_rows(self, inputs: Inputs) -> None:
        """Tell of a table whose rows have the mean 0 and the deviation 1, by a line that does so.

        The columns still differ by their sizes then. Steps of a series, or of a signal, have one
        unit: there rows may well be scaled.
        """
        rows = list(inputs.trained.values())
        where = None if inputs.line is None else line_over_rows(inputs.line)
        if where is None or len(rows) < TRAINED or len({row.shape for row in rows}) > 1 or not (
                rows[0].ndim == 1 and FEWEST <= rows[0].size <= COLUMNS):
            return
        table = np.stack(rows).astype(float)
        if np.abs(table.mean(1)).max() < CLOSE and any(np.abs(
                table.std(1, ddof=n) - 1).max() < 10 * CLOSE for n in (0, 1)) and (
                has_own_levels(table)):
            self.find(where, "scaled-by-rows", f"each of the {len(table)} examples was scaled by "
                      "the mean and the deviation of its own numbers", f"its {table.shape[1]} "
                      "features are different things: a large one still outweighs the others, and "
                      "how large an example is as a whole is lost",
                      "scale each column over the examples: `(x - x.mean(0)) / x.std(0)`, by the "
                      "numbers of the training set")


FEWEST, COLUMNS = 3, 32  # the least and the most features of a table that is scaled by rows


def has_own_levels(table: np.ndarray) -> bool:
    """Whether some column stays far from 0, and the columns neither rise nor fall like a series."""
    means, steps = table.mean(0), np.diff(table.mean(0))
    far = np.abs(means) > 2 * table.std(0)
    turns = np.count_nonzero(np.diff(np.sign(steps)))
    return bool(far.any() and (turns > 0 or table.shape[1] == FEWEST))


def line_over_rows(where: Place) -> Place | None:
    """The first line of a file that divides by a deviation along dimension 1."""
    source = S.read(where.file)
    for node in source.nodes if source is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            for call in ast.walk(node.right):
                if isinstance(call, ast.Call) and called_name(call) == "std" and any(
                        ast.unparse(a) in ("1", "-1") for a in (
                            *call.args, *(k.value for k in call.keywords
                                          if k.arg in ("dim", "axis")))):
                    return source.place(S.statement(node))       # type: ignore[union-attr]
    return None


SCALING = ("std", "fit_transform", "var", "std_mean", "var_mean")
SPLITTING = ("random_split", "train_test_split", "randperm", "permutation", "shuffle")


def are_scaled_together(trained: np.ndarray, tested: np.ndarray) -> bool:
    """Whether the columns of both sets together have mean 0 and deviation 1, but not those of one.

    The deviation may be computed with the number of rows, or with one less.
    """
    if trained.ndim > 2:
        return False
    both = np.concatenate((trained, tested)).astype(float)
    means, deviations = both.mean(0), [both.std(0), both.std(0, ddof=1)]
    return bool(np.abs(means).max() < CLOSE < 10 * CLOSE < np.abs(trained.mean(0)).max()
                and any(np.abs(d - 1).max() < CLOSE for d in deviations))


def farthest_column(trained: np.ndarray, tested: np.ndarray) -> float:
    """The mean of the test's column that is farthest from a training set of mean 0; else 0."""
    if trained.ndim > 2 or np.abs(trained.mean(0, dtype=float)).max() > CLOSE or not any(np.abs(
            trained.std(0, ddof=n, dtype=float) - 1).max() < 10 * CLOSE for n in (0, 1)):
        return 0.0
    means = tested.mean(0, dtype=float)
    far = float(means[np.abs(means).argmax()])
    return far if abs(far) > FAR else 0.0


def share_of_windows(trained: np.ndarray, tested: np.ndarray) -> float:
    """The share of windows that begin one step before, or after, a window of the training."""
    if trained.shape[1] < STEPS:
        return 0.0
    begun, ended = ({row.tobytes() for row in part} for part in (trained[:, :-1], trained[:, 1:]))
    several = [row for row in tested if len(np.unique(row)) > row.size // 2]
    overlap = [row[1:].tobytes() in begun or row[:-1].tobytes() in ended for row in several]
    return sum(overlap) / len(tested)


def line_of(where: Place, names: tuple[str, ...]) -> Place:
    """The first line of a file that calls one of these; the given one where there is none."""
    source = S.read(where.file)
    calls = [n for n in source.nodes if isinstance(n, ast.Call)
             and called_name(n) in names] if source is not None else []
    first = min(calls, key=lambda n: n.lineno, default=None)
    return where if first is None or source is None else source.place(S.statement(first))


CHECKS = (SharedSplit,)
