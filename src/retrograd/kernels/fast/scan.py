"""Running sums, products and extremes of rows, and the few largest elements of each."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..shape import contiguous, in_order
from .compiling import OPTIONS, Count, Part, kernel, scalar
from .elementwise import dense, orders
from .lazy import by_types, types
from .rows import WORK, chunk_of, largest, ordered_32, ordered_64, smallest
from .scalar import choose

NUMBERS = "fdlihbB"     # dtypes
WHOLE = "lihbB?"
FEW = 128               # elements kept in order while a row is read, or of a short row
LONG = 64               # elements of a row that are worth it
SHORT = 9               # elements of a row that are compared one after the other


def rows_of(a, dim):
    """The array as (rows, elements of the last dimension); None unless `dim` is that one."""
    if not a.ndim or dim not in (-1, a.ndim - 1) or a.dtype.char not in NUMBERS \
            or not a.flags.carray or not a.size:
        return None
    return a.reshape(-1, a.shape[-1])


@kernel
def running_sums(x, out):
    """out[i, j, k] = x[i, 0, k] + ... + x[i, j, k], in float64; x (rows, n, columns)"""
    if x.shape[2] == 1:
        # Each sum waits for the one before it: four rows at once take the time of one
        several = len(x) // 4 * 4
        for i in range(0, several, 4):
            a = b = c = d = 0.0
            for j in range(x.shape[1]):
                a += x[i, j, 0]
                b += x[i + 1, j, 0]
                c += x[i + 2, j, 0]
                d += x[i + 3, j, 0]
                out[i, j, 0], out[i + 1, j, 0] = a, b
                out[i + 2, j, 0], out[i + 3, j, 0] = c, d
        for i in range(several, len(x)):
            whole = 0.0
            for j in range(x.shape[1]):
                whole += x[i, j, 0]
                out[i, j, 0] = whole
    elif x.shape[2] == 2:                              # complex numbers
        for i in range(len(x)):
            real = imaginary = 0.0
            for j in range(x.shape[1]):
                real += x[i, j, 0]
                imaginary += x[i, j, 1]
                out[i, j, 0], out[i, j, 1] = real, imaginary
    else:
        totals = np.empty(x.shape[2])
        for i in range(len(x)):
            totals[:] = 0
            for j in range(x.shape[1]):
                for k in range(totals.size):
                    totals[k] += x[i, j, k]
                    out[i, j, k] = totals[k]


@kernel
def running_counts(x, out):
    """out[i, j] = x[i, 0] + ... + x[i, j], of whole numbers (rows, n)"""
    for i in range(len(x)):
        whole = 0
        for j in range(x.shape[1]):
            whole += x[i, j]
            out[i, j] = whole


@kernel
def running_products(x, out):
    if x.shape[2] == 1:
        several = len(x) // 4 * 4                      # as in running_sums()
        for i in range(0, several, 4):
            a = b = c = d = 1.0
            for j in range(x.shape[1]):
                a *= x[i, j, 0]
                b *= x[i + 1, j, 0]
                c *= x[i + 2, j, 0]
                d *= x[i + 3, j, 0]
                out[i, j, 0], out[i + 1, j, 0] = a, b
                out[i + 2, j, 0], out[i + 3, j, 0] = c, d
        for i in range(several, len(x)):
            whole = 1.0
            for j in range(x.shape[1]):
                whole *= x[i, j, 0]
                out[i, j, 0] = whole
    else:
        totals = np.empty(x.shape[2])
        for i in range(len(x)):
            totals[:] = 1
            for j in range(x.shape[1]):
                for k in range(totals.size):
                    totals[k] *= x[i, j, k]
                    out[i, j, k] = totals[k]


@scalar
def not_below(a, b):
    return a >= b


@scalar
def not_above(a, b):
    return a <= b


def running_extremes(name, reaches):
    """The kernels that find the best number so far, and where it was last reached; nan stays.

    Of rows (rows, n), and along the middle dimension of (rows, n, columns).
    """
    def of_rows(x, values, places):
        for i in range(len(x)):
            best, at = x[i, 0], 0
            for j in range(x.shape[1]):
                new = x[i, j]
                if new != new or best == best and reaches(new, best):
                    best, at = new, j
                values[i, j], places[i, j] = best, at

    def of_columns(x, values, places):
        for i in range(len(x)):
            for j in range(x.shape[1]):
                before = max(j - 1, 0)
                for k in range(x.shape[2]):
                    new, best = x[i, j, k], values[i, before, k] if j else x[i, 0, k]
                    ahead = (new != new) | (best == best) & reaches(new, best)
                    values[i, j, k] = choose(ahead, new, best)
                    places[i, j, k] = choose(ahead, j, places[i, before, k])
    of_rows.__name__, of_columns.__name__ = f"{name}_of_rows", f"{name}_of_columns"
    return kernel(of_rows), kernel(of_columns)


MAXIMA = running_extremes("running_maxima", not_below)
MINIMA = running_extremes("running_minima", not_above)


def cumsum(self, dim, dtype=None):
    if dtype is not None:
        return None
    return counted(self, dim) if self.dtype.char in WHOLE else scanned(running_sums, self, dim)


def counted(self, dim):
    """Running sums of long rows of whole numbers or bools, in int64."""
    if not self.flags.carray or not self.size or dim % self.ndim != self.ndim - 1 \
            or self.shape[-1] < LONG:
        return None
    out = np.empty(self.shape, np.int64)
    rows = self.reshape(-1, self.shape[-1])
    rows = rows.view(np.uint8) if rows.dtype.char == "?" else rows
    running_counts(rows, out.reshape(rows.shape), chunk=max(1, WORK // rows.shape[1]))
    return out


def cumprod(self, dim, dtype=None):
    return scanned(running_products, self, dim) if dtype is None else None


def scanned(loop, self, dim):
    """Running sums or products along any dimension; None for dtypes that `loop` does not take."""
    kinds = "fdFD" if loop is running_sums else "fd"
    if not self.ndim or self.dtype.char not in kinds or not self.size:
        return None
    self, dim = contiguous(self), dim % self.ndim
    real = np.dtype(self.dtype.char.lower())           # complex numbers are two columns
    rows = self.reshape(math.prod(self.shape[:dim]), self.shape[dim], -1).view(real)
    out = np.empty(self.shape, self.dtype)
    loop(rows, out.reshape(len(rows), rows.shape[1], -1).view(real),
         chunk=max(1, WORK // (rows.shape[1] * rows.shape[2])))
    return out


def cummax(self, dim):
    return running(self, dim, *MAXIMA)


def cummin(self, dim):
    return running(self, dim, *MINIMA)


def running(self, dim, of_rows, of_columns):
    """Running extremes and their places along `dim`, by the kernel of rows if it is the last."""
    if not self.ndim or self.dtype.char not in NUMBERS or not self.size:
        return None
    dim %= self.ndim
    shape = math.prod(self.shape[:dim]), self.shape[dim], math.prod(self.shape[dim + 1:])
    loop, chunk = of_columns, max(1, WORK // (shape[1] * shape[2]))
    if shape[2] == 1:
        loop, shape = of_rows, shape[:2]
    values, places = np.empty(self.shape, self.dtype), np.empty(self.shape, np.int64)
    loop(contiguous(self).reshape(shape), values.reshape(shape), places.reshape(shape),
         chunk=chunk)
    return values, places


# --------------------------------------------------------------------------- the largest

@kernel
def extremes_of_rows(x, values, places, least: Count):
    """The largest number of each row, or the smallest, and its first place; nan comes before all
    others."""
    for i in range(len(x)):
        row, k = x[i], 0
        if row.size < SHORT:                         # a loop that ends anywhere is guessed wrong
            best = row[0]
            for j in range(1, row.size):
                value = row[j]
                beyond = value < best if least else value > best
                found = beyond | ((value != value) & (best == best))
                best, k = choose(found, value, best), choose(found, j, k)
            values[i], places[i] = best, k
            continue
        best = smallest(row) if least else largest(row)
        if best == best:
            while row[k] != best:
                k += 1
        else:
            while row[k] == row[k]:
                k += 1
        values[i], places[i] = row[k], k


@kernel
def extremes_of_columns(x, values, places, least: Count):
    """The same of x (blocks, n, columns), for each column of a block."""
    for i in range(len(x)):
        best, at = values[i], places[i]
        for k in range(best.size):
            best[k], at[k] = x[i, 0, k], 0
        for j in range(1, x.shape[1]):
            row = x[i, j]
            for k in range(best.size):
                now, value = best[k], row[k]
                beyond = value < now if least else value > now
                found = beyond | ((value != value) & (now == now))
                best[k] = choose(found, value, now)
                at[k] = choose(found, j, at[k])


def max_dim(self, dim, keepdim=False):
    return extremes(self, dim, keepdim, 0)


def min_dim(self, dim, keepdim=False):
    return extremes(self, dim, keepdim, 1)


def extremes(self, dim, keepdim, least):
    """The extremes along `dim` and their places; None for the last dimension, if it is long.

    There NumPy looks for the place by vectors, while along others it copies columns to rows first.
    """
    if self.dtype.char not in "fd" or not self.size or not self.ndim:
        return None
    dim %= self.ndim
    if not self.flags.carray:
        return extremes_turned(self, dim, keepdim, least)
    count, inner = self.shape[dim], math.prod(self.shape[dim + 1:])
    if inner == 1 and count > FEW:
        return None
    outer = self.size // (count * inner)
    values, places = np.empty((outer, inner), self.dtype), np.empty((outer, inner), np.int64)
    chunk = max(1, WORK // (count * inner))
    if inner == 1:
        extremes_of_rows(self.reshape(outer, count), values.reshape(-1), places.reshape(-1), least,
                         chunk=chunk)
    else:
        extremes_of_columns(self.reshape(outer, count, inner), values, places, least, chunk=chunk)
    shape = self.shape[:dim] + (1,) * keepdim + self.shape[dim + 1:]
    return values.reshape(shape), places.reshape(shape)


def extremes_turned(self, dim, keepdim, least):
    """extremes() of an array that does not lie row by row, in its order in memory."""
    order, back = orders(self.strides)
    found = extremes(dense(self.transpose(order)), order.index(dim), True, least)
    if found is None:
        return None
    laid = [a.transpose(back) for a in found]
    return tuple(laid) if keepdim else tuple([a.squeeze(dim) for a in laid])


@partial(by_types, **OPTIONS)
def key_of(x):
    """An integer that orders like x, nan on top and -0 like 0. See NOTE [largest] in rows.py."""
    def single(x):
        return np.int64(ordered_32(np.float32(x + np.float32(0)).view(np.int32)))

    def double(x):
        return ordered_64(np.float64(x + 0.0).view(np.int64))
    def whole(x):
        return np.int64(x)
    return {types.float32: single, types.float64: double}.get(x, whole)


@kernel
def largest_of_rows(x, values, places, keys: Part, turn: Count):
    """The largest elements of each row in order, equal ones as they come, and their places; with
    turn -1 the smallest."""
    count = keys.size
    for i in range(len(x)):
        kept = 0
        for j in range(x.shape[1]):
            key = key_of(x[i, j])
            key = ~key if turn else key
            if kept == count and key <= keys[count - 1]:
                continue
            k = min(kept, count - 1)
            while k > 0 and keys[k - 1] < key:
                keys[k], places[i, k] = keys[k - 1], places[i, k - 1]
                k -= 1
            keys[k], places[i, k] = key, j
            kept = min(kept + 1, count)
        for k in range(count):
            values[i, k] = x[i, places[i, k]]


def topk(self, k, dim=-1, largest=True, sorted=True):
    """Where few elements are kept; of one NumPy's argmax makes use of vectors."""
    if k == 1 and largest:
        return None
    if self.ndim > 1 and dim not in (-1, self.ndim - 1):
        found = topk(in_order(np.moveaxis(self, dim, -1)), k, -1, largest, sorted)
        return found and tuple(in_order(np.moveaxis(a, -1, dim)) for a in found)
    rows = rows_of(self if 0 in self.strides else contiguous(self), dim)
    if rows is None or not 0 < k <= min(FEW, rows.shape[1]):
        return None
    # In a random order about `kept` of n elements are among the k largest so far when their turn
    # comes; each of these costs as much as NumPy takes to sort six.
    n = rows.shape[1]
    kept = k * (1 + math.log(n / k))
    if kept > n / 6 + 6 + 500 / len(rows):
        return None
    shape, chunk = (len(rows), k), chunk_of(rows)
    values, places = np.empty(shape, self.dtype), np.empty(shape, np.int64)
    largest_of_rows(rows, values, places, np.empty((-(-len(rows) // chunk), k), np.int64),
                    0 if largest else -1, chunk=chunk)
    shape = (*self.shape[:-1], k)
    return values.reshape(shape), places.reshape(shape)
