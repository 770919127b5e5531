"""What an operator costs beyond NumPy's own call, in the same run: a guard of the hot path.

Each number is the least of many short measurements of this thread's own time, over that of
np.multiply on the same four numbers. The limits are about a third above what was measured.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

import retrograd as torch

CALLS, ROUNDS = 200, 40


def least(run):
    """The least time of one of CALLS calls that run() makes."""
    run()
    times = []
    for _ in range(ROUNDS):
        begin = time.thread_time()
        run()
        times.append(time.thread_time() - begin)
    return min(times) / CALLS


def numpy_call():
    a, b = np.ones(4, np.float32), np.full(4, 0.5, np.float32)
    for _ in range(CALLS):
        np.multiply(a, b)


def plain():
    a, b = torch.ones(4), torch.full((4,), 0.5)
    for _ in range(CALLS):
        a * b


def chain():
    y, b = torch.ones(4, requires_grad=True), torch.full((4,), 0.5)
    for _ in range(CALLS):
        y = y * b
    return y


def both_ways():
    chain().backward(torch.ones(4))


@pytest.mark.parametrize("run, limit", [(plain, 3.4), (chain, 5.5), (both_ways, 10.8)])
def test_cost_over_numpy(run, limit):
    ratio = limit
    for _ in range(4):                      # another program may have disturbed one of the two
        ratio = min(ratio, least(run) / least(numpy_call))
        if ratio < limit:
            return
    pytest.fail(f"{run.__name__} costs {ratio:.1f} times np.multiply and more")
