"""Orthogonal polynomials: a block of numbers goes through the recurrence together.

Each number has a degree of its own; its value is taken at the step that reaches it. See
kernels/polynomials.py for the recurrences and for what is done about large degrees.
"""

from __future__ import annotations

import numpy as np

from .. import polynomials
from .compiling import Count, Kernel, scalar
from .elementwise import LANES, of_two
from .half import in_single
from .scalar import ONE, TWO, choose

# Where a block's values lie. They share one array, so that the compiler sees that the loops, which
# are all of LANES steps, write to nothing that they read elsewhere.
AT, DEGREE, BEFORE, CURRENT, VALUE, ROOM = range(0, 6 * LANES, LANES)


def kernel_of(name, first, step):
    """A kernel of (x, n, whether x is shifted): p0 = 1, p1 = first(x), then step()."""
    first, step = scalar(first), scalar(step)

    def loop(x, n, out, shifted: Count):
        room = np.zeros(ROOM)
        for start in range(0, out.size, LANES):
            stop, last = min(start + LANES, out.size), 0
            ours, degrees, res = x[start:stop], n[start:stop], out[start:stop]
            for i in range(res.size):
                a, d = ours[i], np.int64(degrees[i])
                last = max(last, d)
                room[AT + i] = choose(shifted != 0, TWO * a - ONE, a)
                room[DEGREE + i] = d
            for i in range(LANES):
                p1 = first(room[AT + i])
                room[BEFORE + i], room[CURRENT + i] = 1.0, p1
                d = room[DEGREE + i]
                room[VALUE + i] = choose(d == 0, 1.0, choose(d == 1, p1, 0.0))
            for k in range(1, last):
                for i in range(LANES):
                    p = step(room[AT + i], k, room[CURRENT + i], room[BEFORE + i])
                    room[BEFORE + i], room[CURRENT + i] = room[CURRENT + i], p
                    room[VALUE + i] = choose(room[DEGREE + i] == k + 1, p, room[VALUE + i])
            for i in range(res.size):
                res[i] = room[VALUE + i]
    loop.__name__ = loop.__qualname__ = name
    loop.__module__ = __name__
    return Kernel(loop)


def twin_of(name, loop, shifted):
    """The twin of the kernel `name`; x and the degrees may broadcast."""
    def run(x, n):
        if x.itemsize == 2:
            return in_single(run, x, n)
        if not x.size or not n.size or not n.max() <= polynomials.MANY:
            return None
        return of_two(loop, x, n, shifted)
    run.__name__ = name
    return run


for _name, _recurrence in polynomials.RECURRENCES.items():
    _loop = kernel_of(_name, *_recurrence)
    globals()[_name] = twin_of(_name, _loop, 0)
    if _name.startswith("chebyshev"):
        globals()[f"shifted_{_name}"] = twin_of(f"shifted_{_name}", _loop, 1)
