"""Points that fill a cube more evenly than random ones: Sobol sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _dtype
from ._random import randint
from ._tensor import Tensor, wrap
from .random import Generator

BITS = 30
WEIGHTS = 1 << np.arange(BITS, dtype=np.int64)


def direction_numbers(dimension: int) -> np.ndarray:
    """The table of Joe and Kuo (new-joe-kuo-6.21201), which SciPy ships.  # (dimension, BITS)"""
    try:
        from scipy.stats import qmc
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("SobolEngine: the direction numbers come with SciPy: "
                                  "pip install 'retrograd[scipy]'") from missing
    return qmc.Sobol(dimension, scramble=False, bits=BITS)._sv.astype(np.int64)


class SobolEngine:
    """A Sobol sequence in [0, 1)^dimension, the same points as PyTorch's.

    Point n is the exclusive or of the direction numbers that the bits of n's Gray code choose.
    `scramble` shifts them and multiplies them by random lower triangular bit matrices (Owen,
    "Scrambling Sobol' and Niederreiter-Xing points", 1998), drawn from `seed`.

    Needs SciPy for its direction numbers. Raises ValueError for a dimension outside 1..21201.

    >>> import retrograd as torch
    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError("Supported range of dimensionality for SobolEngine is "
                             f"[1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = wrap(direction_numbers(dimension))
        self.shift = wrap(np.zeros(dimension, np.int64))
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self.num_generated = 0

    def _scramble(self) -> None:
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        shift = randint(2, (self.dimension, BITS), generator=generator)
        self.shift = wrap(shift._data @ WEIGHTS)
        lower = np.tril(randint(2, (self.dimension, BITS, BITS), generator=generator)._data)
        lower[:, range(BITS), range(BITS)] = 1
        # bit p of a new number, from the top: the parity of row p times the old number's bits
        bits = self.sobolstate._data[:, None, :] >> np.arange(BITS)[:, None] & 1
        mixed = (lower[:, :, ::-1] @ bits) & 1           # (d, row, bit) @ (d, bit, column)
        self.sobolstate = wrap(np.einsum("drc,r->dc", mixed, WEIGHTS[::-1]))

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next n points, (n, dimension)."""
        dtype = _dtype.default.dtype if dtype is None else _dtype.as_dtype(dtype)
        points = self._advance(n)
        made = wrap((points.astype(np.float64) / 2**BITS).astype(dtype.np))
        return made if out is None else out.resize_as_(made).copy_(made)

    def _advance(self, n: int) -> np.ndarray:
        """The integers of the next n points, after which the sequence stands at the last."""
        first = self.num_generated
        start = self.quasi._data[None]
        if n <= 0:
            return np.empty((0, self.dimension), np.int64)
        numbers = np.arange(max(first, 1), first + n)
        lowest = np.bitwise_count((numbers & -numbers) - 1)        # zeros at the number's end
        steps = np.concatenate([start, self.sobolstate._data[:, lowest].T])
        points = np.bitwise_xor.accumulate(steps, axis=0)
        self.quasi = wrap(points[-1].copy())
        self.num_generated += n
        return points if first == 0 else points[1:]

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next 2^m points; ValueError unless a power of two will have been drawn."""
        n = 2 ** m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead.")
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Back to the first point."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next n points."""
        last = self.num_generated + n - 1
        gray = last ^ (last >> 1)
        chosen = [k for k in range(BITS) if gray >> k & 1]
        numbers = np.bitwise_xor.reduce(self.sobolstate._data[:, chosen], axis=1)
        self.quasi = wrap(self.shift._data ^ numbers)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        words = [f"dimension={self.dimension}"]
        words += ["scramble=True"] * self.scramble
        words += [f"seed={self.seed}"] * (self.seed is not None)
        return f"{type(self).__name__}({', '.join(words)})"
