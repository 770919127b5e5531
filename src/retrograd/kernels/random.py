"""PyTorch's random kernels on plain arrays: same stream, same numbers.

Every function takes as many words from the stream as PyTorch's kernel of that name does, so that
mixed sequences of calls stay in step. Where PyTorch on Intel processors takes bernoulli and
exponential values from MKL, the portable stream is used.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from retrograd.kernels.checks import as_int64
from retrograd.kernels.fma import fma_f32, scale_shift
from retrograd.kernels.half import is_half
from retrograd.kernels.layout import dense_order
from retrograd.kernels.normal_fill import normal_blocks
from retrograd.kernels.stream import BOOL, grid32
from retrograd.kernels.sums import number

if TYPE_CHECKING:
    from retrograd.kernels.stream import Stream

FLOAT32 = np.dtype(np.float32)
LARGEST_32 = 1 - 2.0**-24   # the largest uniform of float32
# Constants as arrays, as in stream.py
LEAST_64, MOST_64, HALF, PI = map(np.array, (2.0**-52, 1 - 2.0**-52, 0.5, math.pi))
UNSHARED = 1 << 14           # normals, and words, that one thread makes alone
PREDICTED = 512              # the most normals of a small draw
PREDICTED_WORDS = 1 << 11    # about as many words are turned into normals at once,
PREDICTED_STRETCH = 1 << 14  # and are searched for among so many
PREDICTED_SIZES = 8          # the most sizes of draws that are remembered
WIDE_RANGE = 1 << 28  # integer ranges from here on take two words a value
WIDE_PERMUTATION = (2**32 - 1) // 20


def _libm(name, x, dtype):
    """A function of doubles, the C library's if the result stays a double, else NumPy's."""
    if np.dtype(dtype).char != "d":
        return getattr(np, name)(x)
    return np.fromiter(map(getattr(math, name), x.tolist()), np.float64, x.size)


def _real(dtype):
    """The dtype of a complex dtype's parts."""
    return np.dtype(f"f{dtype.itemsize // 2}")


def _rounded(values, dtype):
    """Computed values in the dtype asked for; the 16-bit ones are rounded by way of float32."""
    if is_half(np.dtype(dtype)):
        values = values.astype(np.float32)
    return values.astype(dtype, copy=False)


def in_memory_order(x, draw, *arrays):
    """draw(shape, *arrays), the values in the order in which x's elements lie in memory."""
    if x.flags.c_contiguous:
        return draw(x.shape, *arrays)
    order = dense_order(x)
    shape = tuple(x.shape[axis] for axis in order)
    return draw(shape, *(a.transpose(order) for a in arrays)).transpose(np.argsort(order))


def uniform(stream: Stream, shape, dtype, low=0.0, high=1.0, out=None) -> np.ndarray:
    """Uniform values in [low, high), rounded from float32 for 16-bit dtypes; complex: parts.

    `out`: dense memory of the shape and dtype, which gets and is the result.
    """
    n = math.prod(shape)
    if dtype is FLOAT32 and low == 0 and high == 1:
        return stream.uniform32(n).reshape(shape) if out is None else stream.uniform32(n, out)
    if out is not None:
        out[...] = uniform(stream, shape, dtype, low, high)
        return out
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return uniform(stream, (2 * n,), _real(dtype), low, high).view(dtype).reshape(shape)
    values = stream.uniform64(n) if dtype.char == "d" else stream.uniform32(n)
    if low == 0 and high == 1 and values.dtype is dtype:
        return values.reshape(shape)
    if dtype.char == "f":
        scale, shift, below_high = _range32(low, high)
        if below_high:
            return fma_f32(values, scale, shift).reshape(shape)
    low, high = values.dtype.type(low), values.dtype.type(high)
    values = scale_shift(values, high - low, low).astype(dtype, copy=False)
    ends = values == dtype.type(high)
    if np.count_nonzero(ends):
        values[ends] = low  # rounded up to the open end
    return values.reshape(shape)


@lru_cache(64)
def _rounded32(number):
    """A number rounded to float32, as an array for fma_f32: beside an array NumPy takes less time
    than beside a scalar."""
    return np.array(np.float32(number), np.float64)


@lru_cache(64)
def _range32(low, high):
    """high - low and low as float32 has them, and whether the largest uniform stays below high."""
    low, high = np.float32(low), np.float32(high)
    scale = high - low
    return (_rounded32(scale), _rounded32(low),
            np.float32(LARGEST_32 * float(scale) + float(low)) < high)


def normal(stream: Stream, shape, dtype, mean=0.0, std=1.0, contiguous=True) -> np.ndarray:
    """Normal values: 16 or more for contiguous memory in blocks of 16, others one after the other.

    Complex values have independent parts, each of variance std^2 / 2 around mean.
    """
    n = math.prod(shape)
    dtype = np.dtype(dtype)
    if dtype is FLOAT32:
        if n < 16 and mean == 0 and std == 1:
            return stream.normal64(n, FLOAT32).reshape(shape)
        if 16 <= n <= UNSHARED and contiguous:
            values = _standard_normals(stream, n)
            if mean or std != 1:
                values = fma_f32(values, _rounded32(std), _rounded32(mean)) if mean \
                    else scale_shift(values, std, mean)
            return values.reshape(shape)
    if dtype.kind == "c":
        parts = normal(stream, (2 * n,), _real(dtype), mean, std / math.sqrt(2), contiguous)
        return parts.view(dtype).reshape(shape)
    if n < 16 or not contiguous:
        values = scale_shift(stream.normal64(n), std, mean)
    else:
        values = _normal_in_blocks(stream, n, dtype, mean, std)
    return _rounded(values, dtype).reshape(shape)


def _standard_normals(stream, n):
    """float32 in blocks of 16: by a compiled kernel, if there is one."""
    values = stream.normal32(n)
    if values is None:
        values = _predicted(stream, n) if n <= PREDICTED \
            else _normal_in_blocks(stream, n, FLOAT32, 0, 1)
    return values


def _normal_in_blocks(stream, n, dtype, mean, std):
    """n normals in blocks of 16; if n is not a multiple, 16 more uniforms replace the last 16."""
    draw = stream.uniform64 if dtype == np.float64 else stream.uniform32
    full = n // 16 * 16
    if n == full:
        return normal_blocks(draw(n), mean, std)
    # float32 and float64 draw uniforms for the odd elements too, and do not use them
    unused = 0 if is_half(dtype) else n - full
    uniforms = draw(full + unused + 16)
    blocks = np.concatenate([uniforms[:full], uniforms[-16:]])
    normals = normal_blocks(blocks, mean, std)
    return np.concatenate([normals[: n - 16], normals[full:]])


def _predicted(stream, n):
    """n float32 standard normals, some such draws made at once where the program repeats itself.

    Making the blocks of one small draw takes as long as making those of ten, and programs draw
    noise of one size again and again, with the same number of other words in between (`gap`). A
    prediction is used only if the stream's next words are those that it was made of, so that other
    draws or a new seed merely cost time.
    """
    size = n if n % 16 == 0 else n + 16
    with stream.lock:
        end, last_gap, rows = stream.predicted.pop(n, (-1, 0, []))
        gap = stream.drawn - end
        again = gap == last_gap and end >= 0
        if not again or not rows:
            times = PREDICTED_STRETCH // (size + gap) if again else 0
            rows = _next_draws(stream, n, size, gap, min(times, PREDICTED_WORDS // size))
        made_of, values = rows.pop() if rows else (None, None)
        if made_of is not None and gap == 0:
            stream.skip(size)
        else:
            uniforms = grid32(stream.words(size))
            if made_of is None or made_of.tobytes() != uniforms.tobytes():
                rows, values = [], _rows_of_normals(uniforms.reshape(1, size), n)[0]
                gap = gap if made_of is None else -1     # predict no more until it fits again
        if len(stream.predicted) == PREDICTED_SIZES:
            stream.predicted.clear()
        stream.predicted[n] = stream.drawn, gap if end >= 0 else 0, rows
        return values.copy()


def _next_draws(stream, n, size, gap, times):
    """The next `times` draws with `gap` words in between, last first: (uniforms, normals) pairs."""
    if times < 2:
        return []
    with stream.peeking():
        uniforms = stream.uniform32(times * (size + gap)).reshape(times, -1)[:, :size]
    return [*zip(uniforms, _rows_of_normals(uniforms.copy(), n), strict=True)][::-1]


def _rows_of_normals(uniforms, n):
    """A draw of n normals for each row of uniforms, as in _normal_in_blocks."""
    full = n // 16 * 16
    if n == full:
        return normal_blocks(uniforms.reshape(-1), 0, 1).reshape(-1, n)
    blocks = np.concatenate([uniforms[:, :full], uniforms[:, -16:]], 1)
    normals = normal_blocks(blocks.reshape(-1), 0, 1).reshape(blocks.shape)
    return np.concatenate([normals[:, :n - 16], normals[:, full:]], 1)


def log_normal(stream: Stream, shape, dtype, mean=1.0, std=2.0) -> np.ndarray:
    """exp of normal values, those of the one-after-the-other kind."""
    values = scale_shift(stream.normal64(math.prod(shape)), std, mean)
    return _libm("exp", values, dtype).astype(dtype, copy=False).reshape(shape)


def integers(stream: Stream, shape, dtype, low: int, high: int) -> np.ndarray:
    """Integers in [low, high), as any dtype; low and high may span all 64 bits."""
    n, span = math.prod(shape), high - low
    if span < WIDE_RANGE:
        values = stream.remainders(n, span)
        if low == 0:
            return values.astype(dtype, copy=False).reshape(shape)
        values = values.view(np.uint64)
    elif span < 2**64:
        values = stream.words64(n) % number(span, np.uint64)
    else:
        return _as_signed(stream.words64(n), dtype).reshape(shape)
    values += number(low % 2**64, np.uint64)  # wraps as two's complement does
    return _as_signed(values, dtype).reshape(shape)


def _as_signed(values, dtype):
    dtype = np.dtype(dtype)
    values = values if dtype == np.uint64 else values.view(np.int64)
    return values.astype(dtype, copy=False)


def any_integer(stream: Stream, shape, dtype) -> np.ndarray:
    """Integers over the dtype's range: [0, max], for floating dtypes [0, 2^digits]."""
    dtype = np.dtype(dtype)
    draw = stream.words64 if dtype.itemsize == 8 else stream.words
    values = draw(math.prod(shape))
    values %= number(_span(dtype), values.dtype)
    return values.astype(dtype).reshape(shape)


@lru_cache
def _span(dtype):
    """How many integers any_integer() chooses from."""
    if dtype.kind == "b":
        return 2
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max) + 1
    return 2 ** {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[dtype.name] + 1


def permutation(stream: Stream, n: int, dtype=np.int64) -> np.ndarray:
    """0 .. n-1 in random order (Fisher and Yates)."""
    if n < WIDE_PERMUTATION:
        order = stream.shuffled(n)
        if order is not None:
            return order.astype(dtype, copy=False)
    steps = max(n - 1, 0)
    words = stream.words(steps) if n < WIDE_PERMUTATION else stream.words64(steps)
    start = np.arange(steps)
    targets = start + (words % (n - start).astype(np.uint64)).astype(np.int64)
    order = np.arange(n, dtype=dtype)
    done = _swap_blocks(order, targets)
    tail = order[done:].tolist()
    for i, j in enumerate((targets[done:] - done).tolist()):
        tail[i], tail[j] = tail[j], tail[i]
    order[done:] = tail
    return order


def _swap_blocks(order, targets):
    """Swap order[i] with order[targets[i]] for i = 0, 1, ..., 256 at once, until 65,536 are left.

    A block whose targets are distinct and lie beyond it is one exchange; another goes step by step.
    """
    start = 0
    while len(order) - start > 1 << 16:
        stop = start + 256
        hit = targets[start:stop]
        ordered = np.sort(hit)
        if ordered[0] >= stop and (ordered[1:] != ordered[:-1]).all():
            here = order[start:stop].copy()
            order[start:stop] = order[hit]
            order[hit] = here
        else:
            for i, j in enumerate(hit.tolist(), start):
                order[i], order[j] = order[j], order[i]
        start = stop
    return start


def bernoulli(stream: Stream, shape, p, dtype=BOOL, one=1) -> np.ndarray:
    """1 with probability p, a number or an array that broadcasts to shape, else 0.

    Beside a number `one` may stand for 1. A number or a float64 array is compared with float64
    uniforms, other arrays with float32 ones.
    """
    n = math.prod(shape)
    if not isinstance(p, np.ndarray):
        return stream.below(n, p, dtype, one).reshape(shape)
    if p.dtype == np.float64:
        found = stream.uniform64(n).reshape(shape) < p
    else:
        found = stream.uniform32(n).reshape(shape) < p.astype(np.float32)
    return found.astype(dtype, copy=False)


def exponential(stream: Stream, shape, dtype, rate=1.0) -> np.ndarray:
    """-log(1 - u) / rate, with float64 uniforms u."""
    u = stream.uniform64(math.prod(shape))
    values = _libm("log1p", np.negative(u, u), dtype)
    values *= np.array(-1.0 / rate)
    return _rounded(values, dtype).reshape(shape)


def geometric(stream: Stream, shape, dtype, p: float) -> np.ndarray:
    """Trials up to the first success: ceil(log u / log(1 - p)), with float64 uniforms u."""
    u = stream.uniform64(math.prod(shape))
    with np.errstate(divide="ignore"):
        values = np.ceil(np.log(u) / math.log1p(-p))
    return values.astype(dtype).reshape(shape)


def cauchy(stream: Stream, shape, dtype, median=0.0, sigma=1.0) -> np.ndarray:
    """median + sigma tan(pi (u - 1/2)), with float64 uniforms u kept away from 0 and 1."""
    u = stream.uniform64(math.prod(shape))
    np.maximum(u, LEAST_64, out=u)
    np.minimum(u, MOST_64, out=u)
    u -= HALF
    u *= PI
    values = scale_shift(_libm("tan", u, dtype), sigma, median)
    return _rounded(values, dtype).reshape(shape)


def first_in(race, count):
    """Where the largest of each row are, in order; of equal ones those that come first."""
    n = race.shape[-1]
    if n < SORTED or 4 * count > n or np.isnan(race.max()):
        return np.argsort(-race, axis=-1, kind="stable")[..., :count]
    rows = race.reshape(-1, n)
    found = np.empty((len(rows), count), np.int64)
    for row, places, least in zip(rows, found, np.partition(rows, n - count)[:, n - count],
                                  strict=True):
        ahead = np.flatnonzero(row >= least)
        places[:] = ahead[np.argsort(-row[ahead], kind="stable")[:count]]
    return found.reshape(*race.shape[:-1], count)


SORTED = 256         # rows of up to so many elements are sorted as a whole


def multinomial(
    stream: Stream, probs: np.ndarray, num_samples: int, replacement: bool
) -> np.ndarray:
    """Indices drawn from the last axis of non-negative weights, shape (n,) or (rows, n).

    Without replacement, or for one sample: the largest of weight / exponential. With replacement:
    where a float64 uniform falls in the cumulative weights.
    """
    if num_samples == 1 or not replacement:
        race = probs / in_memory_order(probs, lambda s: exponential(stream, s, probs.dtype))
        if num_samples == 1:
            return as_int64(race.argmax(-1, keepdims=True))
        return as_int64(first_in(race, num_samples))
    cumulative = probs.cumsum(-1, probs.dtype)
    cumulative /= cumulative[..., -1:]
    cumulative[..., -1] = 1
    cumulative = cumulative.astype(np.float64)
    draws = stream.uniform64(probs.size // probs.shape[-1] * num_samples)
    if probs.ndim == 1:
        return as_int64(cumulative.searchsorted(draws))
    draws = draws.reshape(len(probs), num_samples)
    if probs.size * num_samples < SORTED * SORTED:          # quicker than a search in each row
        return np.count_nonzero(cumulative[:, None, :] < draws[:, :, None], -1)
    picks = [row.searchsorted(u) for row, u in zip(cumulative, draws, strict=True)]
    return np.array(picks, np.int64)
