"""torch.utils.benchmark: how long a statement takes, and tables of such times.

Times are the clock's, of one number of threads; every measurement warms up first.
"""

from __future__ import annotations

import math
import statistics
import textwrap
import timeit
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import retrograd as torch

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "set_torch_threads",
           "timer", "unit_to_english"]

timer = timeit.default_timer
_UNITS = {"ns": (1e-9, "nanosecond"), "us": (1e-6, "microsecond"), "ms": (1e-3, "millisecond"),
          "s": (1, "second")}


def select_unit(t: float) -> tuple[str, float]:
    """The unit that suits `t` seconds, and its seconds.

    >>> from retrograd.utils.benchmark import select_unit
    >>> select_unit(3e-5)
    ('us', 1e-06)
    """
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(math.floor(math.log10(t)) // 3 if t else 0, "s")
    return unit, _UNITS[unit][0]


def unit_to_english(u: str) -> str:
    """"us" in full.

    >>> from retrograd.utils.benchmark import unit_to_english
    >>> unit_to_english("us")
    'microsecond'
    """
    return _UNITS[u][1]


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A block in which operators use `n` threads.

    >>> import retrograd as torch
    >>> from retrograd.utils.benchmark import set_torch_threads
    >>> with set_torch_threads(1):
    ...     torch.get_num_threads()
    1
    """
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True)
class TaskSpec:
    """What was timed, and what tables call it.

    >>> from retrograd.utils.benchmark import TaskSpec
    >>> TaskSpec("x + 1", "pass", label="sums", sub_label="of floats").title
    'sums: of floats'
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement."""
        name = self.label or (self.stmt if "\n" not in self.stmt else
                              "stmt:\n" + textwrap.indent(self.stmt, "  ") + "\n")
        return f"{name}: {self.sub_label}" if self.sub_label else name


@dataclass(repr=False)
class Measurement:
    """The seconds of `number_per_run` runs, measured some times.

    >>> from retrograd.utils.benchmark import Measurement, TaskSpec
    >>> Measurement(10, [0.5, 0.25, 0.75], TaskSpec("x + 1", "pass")).median
    0.05
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict | None = field(default=None)

    def __getattr__(self, name: str) -> Any:
        if name == "task_spec" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def times(self) -> list[float]:
        """The seconds of a single run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return statistics.mean(self.times)

    @property
    def median(self) -> float:
        """The median of `times`."""
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """The difference of the upper and the lower quartile."""
        low, high = np.quantile(self.times, (0.25, 0.75))
        return float(high - low)

    @property
    def has_warnings(self) -> bool:
        """Whether the times scatter too much: by more than a tenth between quartiles."""
        return len(self.times) > 3 and self.iqr > 0.1 * self.median

    @property
    def as_row_name(self) -> str:
        """What a table calls the row."""
        return self.sub_label or self.stmt or "[Unknown]"

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One Measurement of all times of each task."""
        found: dict[TaskSpec, list[float]] = {}
        for one in measurements:
            found.setdefault(one.task_spec, []).extend(one.times)
        return [Measurement(1, times, spec) for spec, times in found.items()]

    def __repr__(self) -> str:
        spec, unit = self.task_spec, select_unit(self.median)
        scaled = [f"{t / unit[1]:.2f}" for t in (
            self.median, self.iqr, *np.quantile(self.times, (0.25, 0.75)))]
        setup = ""
        if spec.setup and spec.setup != "pass":
            inner = spec.setup.rstrip()
            setup = ("setup:\n" + textwrap.indent(inner, "  ") + "\n" if "\n" in inner
                     else f"setup: {inner}")
        count = len(self.raw_times)
        if count == 1:
            numbers = [f"  {scaled[0]} {unit[0]}"]
        else:
            numbers = [f"  Median: {scaled[0]} {unit[0]}"]
            if count > 3:
                numbers += [f"  IQR:    {scaled[1]} {unit[0]} ({scaled[2]} to {scaled[3]})"]
        runs = f"{self.number_per_run} runs {'per measurement' if count > 1 else ''}"
        numbers += [f"  {count} measurement{'s' * (count > 1)}, {runs}, {spec.num_threads} "
                    f"thread{'s' * (spec.num_threads > 1)}"]
        if self.has_warnings:
            share = self.iqr / self.median
            numbers += [f"  WARNING: Interquartile range is {share * 100:.1f}% of the median "
                        "measurement.", "           This "
                        + ("suggests significant environmental influence." if share > 0.25
                           else "could indicate system fluctuation.")]
        shown = [f"{object.__repr__(self)}", spec.title, spec.description, setup, *numbers]
        return "\n".join(line for line in shown if line)


class Timer:
    """Times `stmt`, after `setup`, with the names of `globals` and torch.

    >>> import retrograd as torch
    >>> from retrograd.utils.benchmark import Timer
    >>> x = torch.ones(3)
    >>> Timer("x + 1", globals={"x": x}).timeit(10).number_per_run
    10

    Raises:
        NotImplementedError: a language other than Python.
    """

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
                 timer: Callable[[], float] = timer, globals: dict[str, Any] | None = None,
                 label: str | None = None, sub_label: str | None = None,
                 description: str | None = None, env: str | None = None, num_threads: int = 1,
                 language: Any = "python") -> None:
        if str(language).lower() not in ("python", "py"):
            raise NotImplementedError(f"Timer: language={language!r}; retrograd times Python")
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip()
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env,
                                   num_threads)
        names = {"torch": torch, **(globals or {})}
        self._timer = timeit.Timer(stmt, setup or "pass", timer, names)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One measurement of `number` runs."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timer.timeit(max(number // 100, 2))
            return self._measured(number, [self._timer.timeit(number)])

    def blocked_autorange(self, callback: Callable | None = None,
                          min_run_time: float = 0.2) -> Measurement:
        """Blocks of runs, each too long for the clock to matter, for at least `min_run_time`."""
        return self._blocks(lambda found: sum(found.raw_times) >= min_run_time, callback,
                            min_run_time)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01,
                           max_run_time: float = 10.0,
                           callback: Callable | None = None) -> Measurement:
        """Blocks of runs until the quartiles are within `threshold` of the median."""

        def enough(found: Measurement) -> bool:
            total = sum(found.raw_times)
            return total >= max_run_time or (total >= min_run_time and len(found.times) > 3
                                             and found.iqr < threshold * found.median)

        return self._blocks(enough, callback, min_run_time)

    def _blocks(self, enough: Callable, callback: Callable | None, run_time: float) -> Measurement:
        with set_torch_threads(self._task_spec.num_threads):
            number = 1
            while (taken := self._timer.timeit(number)) < min(1e-4, run_time) or taken < 1e-5:
                number *= 10
            found = self._measured(number, [])
            while not found.raw_times or not enough(found):
                found.raw_times.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, found.raw_times[-1])
        return found


class Compare:
    """Tables of Measurements: a table a label, a row a sub_label, a column a description.

    >>> from retrograd.utils.benchmark import Compare, Measurement, TaskSpec
    >>> spec = TaskSpec("x + 1", "pass", label="sums", sub_label="of floats", description="here")
    >>> Compare([Measurement(10, [0.5], spec)]).print()
    [-------- sums --------]
                     |  here
    1 threads: -------------
          of floats  |  50.0
    <BLANKLINE>
    Times are in milliseconds (ms).
    <BLANKLINE>
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results = list(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Further Measurements."""
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Nothing to trim: tables show one decimal."""

    def colorize(self, rowwise: bool = False) -> None:
        """Tables are plain text."""

    highlight_warnings = trim_significant_figures

    def print(self) -> None:
        """Print the tables."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        titles = dict.fromkeys(one.label or one.stmt for one in merged)
        return "\n".join(_table(title, [one for one in merged if (one.label or one.stmt) == title])
                         for title in titles)


def _table(title: str, results: list[Measurement]) -> str:
    unit, seconds = select_unit(min(one.median for one in results))
    columns = list(dict.fromkeys(one.description for one in results))
    rows = dict.fromkeys((one.num_threads, one.env, one.as_row_name) for one in results)
    cells = {(one.num_threads, one.env, one.as_row_name, one.description):
             f"{one.median / seconds:.1f}" for one in results}
    first = max(len(name) for _, _, name in rows)
    widths = [max(len(column or ""), *(len(cells.get((*row, column), "")) for row in rows))
              for column in columns]

    def line(name: str, texts: Iterable[str]) -> str:
        return "  |  ".join([" " * 6 + name.ljust(first),
                             *(t.center(w) for t, w in zip(texts, widths, strict=True))])

    head = line("", [column or "" for column in columns])
    lines = ["[" + f" {title} ".center(len(head) - 2, "-") + "]", head]
    threads = None
    for row in sorted(rows, key=lambda row: row[0]):
        if row[0] != threads:
            threads = row[0]
            lines.append(f"{threads} threads: ".ljust(len(head), "-"))
        lines.append(line(row[2], [cells.get((*row, column), "") for column in columns]))
    return "\n".join([*lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", ""])
