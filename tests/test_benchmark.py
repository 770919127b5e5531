"""torch.utils.benchmark: measurements and tables read as PyTorch's."""

from __future__ import annotations

import itertools
import re

import pytest

import retrograd as torch
from retrograd.utils import benchmark

TASKS = [
    ([1e-6] * 5, {}),
    ([1e-6, 1.3e-6, 2e-6, 5e-6, 1e-6], {"label": "L", "description": "d"}),
    ([1e-6, 1e-6, 1.1e-6, 1.2e-6, 1.3e-6], {"setup": "a = 1\nb = 2", "num_threads": 2}),
    ([2.5], {"stmt": "a\nb", "num_threads": 4}),
    ([123.456, 130.0], {"sub_label": "S", "setup": "import a"}),
]
CELLS = [([1e-6], "L", "[1, 2]", "mul", 1), ([3.33e-3], "L", "[1, 2]", "bmm", 1),
         ([2e-6], "L", "[64, 64]", "mul", 1), ([5e-3] * 3, "L", "[64, 64]", "bmm", 1),
         ([5e-3], "L", "[64, 64]", "bmm", 2), ([4.0], "other", None, "x", 1)]


def measurements(module):
    for times, options in TASKS:
        spec = module.TaskSpec(**{"stmt": "f(x)", "setup": "pass"} | options)
        yield module.Measurement(2, times, spec)


def table(module):
    return str(module.Compare([
        module.Measurement(1, times, module.TaskSpec(
            stmt="f(x)", setup="pass", label=label, sub_label=sub, description=description,
            num_threads=threads))
        for times, label, sub, description, threads in CELLS]))


def test_a_timer_runs_its_statement_with_its_names():
    x, threads = torch.ones(3), torch.get_num_threads()
    found = benchmark.Timer("y = x + torch.ones(3)", globals={"x": x}).timeit(10)
    assert found.number_per_run == 10 and len(found.times) == 1 and found.median > 0
    assert torch.get_num_threads() == threads
    with pytest.raises(NotImplementedError, match="language"):
        benchmark.Timer("x;", language="c++")


def test_a_timer_repeats_blocks_until_they_took_long_enough():
    ticks = itertools.count(0, 2**-10)  # a clock that every look moves on: a block takes 1/1024 s
    timer = benchmark.Timer("pass", timer=lambda: next(ticks), num_threads=1)
    found = timer.blocked_autorange(min_run_time=2**-8)
    assert (found.number_per_run, found.raw_times) == (1, [2**-10] * 4)
    assert len(timer.adaptive_autorange(min_run_time=2**-7).times) == 8
    assert len(timer.adaptive_autorange(min_run_time=2**-9).times) == 4  # quartiles of four


def test_measurements_of_a_task_are_merged():
    spec = benchmark.TaskSpec("f(x)", "pass")
    merged = benchmark.Measurement.merge([benchmark.Measurement(2, [2.0], spec),
                                          benchmark.Measurement(1, [3.0], spec)])
    assert [one.times for one in merged] == [[1.0, 3.0]]


@pytest.mark.live
def test_texts_are_pytorchs():
    real = pytest.importorskip("torch.utils.benchmark")
    for ours, theirs in zip(measurements(benchmark), measurements(real), strict=True):
        first, other = (re.sub("<.*>", "", repr(one)) for one in (ours, theirs))
        assert first == other
        assert ours.iqr == pytest.approx(theirs.iqr) and ours.has_warnings == theirs.has_warnings
    assert table(benchmark) == table(real)
    for t in (3e-10, 2e-9, 9.99e-7, 2e-6, 0.5, 60.0):
        assert benchmark.select_unit(t) == real.select_unit(t)
