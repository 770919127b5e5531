"""Copies that NumPy makes an element at a time, or on one thread: turned arrays, reversed rows,
triangles, borders.

Of any dtype, by bits.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import fast, resize
from ..layout import channels_last
from ..shape import contiguous
from .compiling import Count, Whole, address_of, array_at, data, kernel, scalar, turns
from .elementwise import CHUNK, many_short_rows
from .rows import chunk_of
from .tile import BYTES, copy, copy_words, transpose_some
from .ufuncs import merged

BITS = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}
LANES = {4: np.dtype("f4"), 8: np.dtype("f8")}       # what a vector holds, whatever it means
HIGH = 64                # rows of a result that are turned at a time
MANY = 1 << 12           # of a few columns, or apart
FEW = 4                  # columns, as the colours of a picture: too few to turn squares of them
WORD = np.float32(0)     # as rows are copied, whatever they hold
JOINED = 1 << 15         # bytes of a chunk of rows that are joined
ROW = 1 << 10            # bytes of a row up to which NumPy takes longer to begin than to copy it


@scalar
def turn(zero, item, out, row, x, column, rows, columns):
    """out (rows, columns) of x (columns, rows), by squares; rows of each so many bytes apart."""
    vector = BYTES // item
    for i in range(0, rows, vector):
        for j in range(0, columns, vector):
            transpose_some(zero, out + i * row + j * item, row, x + i * item + j * column, column,
                           min(vector, rows - i), min(vector, columns - j))


@kernel
def turned_blocks(blocks, out: Whole, x: Count, down: Count, rows: Count, columns: Count,
                  row: Count, column: Count, inner: Count, steps: Whole):
    """The blocks of these numbers of matrices, HIGH rows each. Columns lie next to each other in
    out, rows in x; rows of out are `row` bytes apart, columns of x `column`. steps: from matrix to
    matrix, of which each group has `inner`, and from group to group, in out and in x."""
    zero, item = out.dtype.type(0), out.itemsize
    for block in blocks:
        at, first = block // down, block % down * HIGH
        group, at = at // inner, at % inner
        into = address_of(out) + group * steps[0] + at * steps[2] + first * row
        source = data(x) + group * steps[1] + at * steps[3] + first * item
        turn(zero, item, into, row, source, column, min(HIGH, rows - first), columns)


@kernel
def interleaved_rows(blocks, out: Whole, x: Count, down: Count, rows: Count, columns: Count,
                     column: Count, inner: Count, steps: Whole):
    """As turned_blocks, MANY rows each of a few columns, with no gaps between rows of out."""
    item = out.itemsize
    for block in blocks:
        at, first = block // down, block % down * MANY
        group, at, count = at // inner, at % inner, min(MANY, rows - first)
        source = data(x) + group * steps[1] + at * steps[3] + first * item
        begin = (group * steps[0] + at * steps[2]) // item + first * columns
        into = out[begin:begin + count * columns]
        if columns == 3:                            # as a loop of its own: in a third of the time
            red = array_at(source, (count,), out.dtype)
            green = array_at(source + column, (count,), out.dtype)
            blue = array_at(source + 2 * column, (count,), out.dtype)
            for i in range(count):
                into[3 * i], into[3 * i + 1], into[3 * i + 2] = red[i], green[i], blue[i]
        else:
            for j in range(columns):
                line = array_at(source + j * column, (count,), out.dtype)
                for i in range(count):
                    into[i * columns + j] = line[i]


@kernel
def copied_rows(rows, size: Count, outer: Count, inner: Count,
                out: Count, to_first: Count, to_outer: Count, to_inner: Count,
                x: Count, x_first: Count, x_outer: Count, x_inner: Count):
    """The rows of these numbers of x and out, (first, outer, inner, size bytes)."""
    words, row, group = size >> 2, rows[0] % inner, rows[0] // inner
    first, group = group // outer, group % outer
    into = data(out) + first * to_first + group * to_outer + row * to_inner
    source = data(x) + first * x_first + group * x_outer + row * x_inner
    for _ in rows:
        if size <= BYTES:
            copy_words(WORD, into, source, words)
        else:
            copy(into, source, size)
        into, source, row = into + to_inner, source + x_inner, row + 1
        if row == inner:
            row, group = 0, group + 1
            into, source = into + to_outer - inner * to_inner, source + x_outer - inner * x_inner
            if group == outer:
                group = 0
                into += to_first - outer * to_outer
                source += x_first - outer * x_outer


def copies_rows(out, a, groups):
    """Copy `a` into `out` if both have whole rows, as the groups of their dimensions tell; whether
    they have."""
    *groups, (size, *steps) = groups
    item = a.itemsize
    if steps != [item, item] or len(groups) > 3 or size * item <= BYTES and item not in LANES:
        return False
    groups = [(1, 0, 0)] * (3 - len(groups)) + groups
    sizes, to, by = zip(*groups, strict=True)
    copied_rows(turns(a.size // size), size * item, *sizes[1:], id(out), *to, id(a), *by,
                chunk=max(1, CHUNK // size))
    return True


@kernel
def same_words(out, x):
    for i in range(out.size):
        out[i] = x[i]


@kernel
def one_word(out, value: Whole):
    for i in range(out.size):
        out[i] = value[0]


def duplicate(a):
    """A copy of an array without gaps, by threads."""
    if fast.threads == 1 or a.itemsize not in BITS or not a.flags.c_contiguous:
        return None
    return copied_whole(np.empty(a.shape, a.dtype), a)


def copied_whole(out, a):
    same_words(*(x.reshape(-1).view(BITS[a.itemsize]) for x in (out, a)), chunk=CHUNK)
    return out


def filled(out, number):
    """out.fill(number), by threads."""
    if fast.threads == 1 or out.itemsize not in BITS or not out.flags.carray:
        return None
    bits = BITS[out.itemsize]
    value = np.empty(1, out.dtype)
    value.fill(number)
    one_word(out.reshape(-1).view(bits), value.view(bits), chunk=CHUNK)
    return out


def overwrite(out, a):
    """out[...] = a, where `out` is many rows of a wider array, or both have no gaps and are worth
    threads; None for others."""
    if out.shape != a.shape or out.dtype is not a.dtype or not out.size or 0 in a.strides \
            or not (out.flags.behaved and a.flags.aligned):
        return None
    if (out.flags.c_contiguous and a.flags.c_contiguous and fast.threads > 1
            and out.size >= fast.SHARED and out.itemsize in BITS):
        return copied_whole(out, a)
    if not many_short_rows(out, ROW):
        return None
    groups = merged(a.shape, [out.strides, a.strides])
    return out if copies_rows(out, a, groups) else None


def clone_contiguous(a):
    """A copy in ordinary order."""
    if a.size and not any(a.strides):
        return filled(np.empty(a.shape, a.dtype), a[(0,) * a.ndim])       # one number expanded
    if (a.ndim and a.strides[-1] == a.itemsize and (fast.threads == 1 or a.size < fast.SHARED)
            and not many_short_rows(a)):
        return None                                 # NumPy copies rows as fast
    out = np.empty(a.shape, a.dtype)
    return out if fills(out, a) else None


def fills(out, a):
    """Copy `a` into `out`, which lies in ordinary order: whole rows where they lie so in `a`, else
    by squares turned in registers. Whether it applies."""
    item = a.itemsize
    if item not in BITS or not a.size or not a.ndim or not a.strides[-1] or not a.flags.aligned:
        return False
    groups = merged(a.shape, [out.strides, a.strides]) or [(1, item, item)]
    return copies_rows(out, a, groups) or turns_squares(out, a, groups)


def turns_squares(out, a, groups):
    """Copy `a` into `out` if columns of `a` lie beside each other; whether they do."""
    *groups, (size, _, step) = groups
    kind, item = LANES.get(a.itemsize), a.itemsize
    beside = [k for k, group in enumerate(groups) if group[2] == item]
    if step == item or not beside or len(groups) > 3:
        return False
    rows, row, _ = groups.pop(beside[0])
    if 2 * rows * item < BYTES:                     # hardly anything to turn
        return False
    (_, *outer), (count, *inner) = [(1, 0, 0)] * (2 - len(groups)) + groups
    if size <= FEW and row == size * item:
        down = -(-rows // MANY)
        interleaved_rows(turns(a.size // (rows * size) * down),
                         out.reshape(-1).view(BITS[item]), id(a), down, rows, size, step, count,
                         np.array(outer + inner), chunk=max(1, CHUNK // (MANY * size)))
        return True
    if kind is None:
        return False
    down = -(-rows // HIGH)
    turned_blocks(turns(a.size // (rows * size) * down), out.reshape(-1).view(kind), id(a), down,
                  rows, size, row, step, count, np.array(outer + inner),
                  chunk=max(1, CHUNK // (HIGH * size)))
    return True


@kernel
def joined_rows(rows, out: Whole, parts: Whole, width: Count):
    """The rows of these numbers of all parts, side by side; a part is (array, bytes of a row)."""
    first, count = rows[0], rows.size
    to, step = address_of(out) + first * width, width >> 2
    for p in range(len(parts)):
        size = parts[p, 1]
        source = data(parts[p, 0]) + first * size
        if size == 4 and width % 4 == 0:      # a call for each number would take twice as long
            numbers = array_at(source, (count,), np.uint32)
            column = array_at(to, (count * step,), np.uint32)
            for r in range(count):
                column[r * step] = numbers[r]
        else:
            for r in range(count):
                copy(to + r * width, source + r * size, size)
        to += size


def joined(arrays, dim):
    """np.concatenate along another dimension than the first: of whole arrays, or of a few that have
    whole rows."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    dim = dim % len(shape) if shape else 0
    rows = math.prod(shape[:dim])
    if rows < 2 or not all(a.flags.aligned and a.dtype is dtype and a.ndim == len(shape)
                           and a.shape[:dim] == shape[:dim]
                           and a.shape[dim + 1:] == shape[dim + 1:] for a in arrays):
        return None
    whole = all(a.flags.c_contiguous for a in arrays)
    if not whole and (len(arrays) > FEW or rows < MANY
                      or any(a.strides[-1] != a.itemsize for a in arrays)):
        return None
    out = np.empty((*shape[:dim], sum([a.shape[dim] for a in arrays]), *shape[dim + 1:]), dtype)
    if not whole:
        return out if joins(out, arrays, dim) else None
    width = out.nbytes // rows
    joined_rows(turns(rows), out.reshape(-1).view(np.uint8),
                np.array([(id(a), a.nbytes // rows) for a in arrays]), width,
                chunk=max(1, JOINED // max(1, width)))
    return out


def joins(out, arrays, dim):
    """Copy arrays into `out`, beside each other, if their rows can be copied; whether they can."""
    start = 0
    for a in arrays:
        stop = start + a.shape[dim]
        part = out[(*[slice(None)] * dim, slice(start, stop))]
        if a.size and not copies_rows(part, a, merged(a.shape, [part.strides, a.strides])):
            return False
        start = stop
    return True


@kernel
def interleaved(x, y, out):
    for i in range(len(x)):
        out[i, 0], out[i, 1] = x[i], y[i]


def make_complex(a, b):
    """x + iy of arrays of one shape."""
    if (a.dtype.char not in "fd" or b.dtype is not a.dtype or a.shape != b.shape
            or not (a.flags.carray and b.flags.carray and a.size)):
        return None
    out = np.empty(a.shape, np.result_type(a.dtype, np.complex64))
    interleaved(a.reshape(-1), b.reshape(-1), out.reshape(-1, 1).view(a.dtype), chunk=CHUNK)
    return out


@kernel
def reversed_rows(x, out):
    last = np.uintp(x.shape[1] - 1)          # unsigned: no place counts from the end
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i, j] = x[i, last - np.uintp(j)]


@kernel
def lower_rows(turns, x, out, height: Count, diagonal: Count):
    """The elements up to the diagonal; `height` rows make a matrix."""
    for i in range(len(x)):
        end = min(max(turns[i] % height + diagonal + 1, 0), x.shape[1])
        for j in range(end):
            out[i, j] = x[i, j]
        for j in range(end, x.shape[1]):
            out[i, j] = 0


@kernel
def upper_rows(turns, x, out, height: Count, diagonal: Count):
    """The elements from the diagonal on."""
    for i in range(len(x)):
        start = min(max(turns[i] % height + diagonal, 0), x.shape[1])
        for j in range(start):
            out[i, j] = 0
        for j in range(start, x.shape[1]):
            out[i, j] = x[i, j]


def rows_of(a):
    """The bits of `a` as a matrix of its last dimension, or None."""
    if not a.flags.carray or not a.size or a.ndim < 1 or a.itemsize not in BITS:
        return None
    return a.view(BITS[a.itemsize]).reshape(-1, a.shape[-1])


def flip(a, dims):
    """Along the last dimension alone; others are copied whole rows at a time anyhow."""
    rows = rows_of(a)
    if rows is None or tuple(dims) not in ((-1,), (a.ndim - 1,)):
        return None
    out = np.empty(a.shape, a.dtype)
    reversed_rows(rows, rows_of(out), chunk=chunk_of(rows))
    return out


def tril(a, diagonal=0):
    return triangle(lower_rows, a, diagonal)


def triu(a, diagonal=0):
    return triangle(upper_rows, a, diagonal)


def triangle(loop, a, diagonal):
    rows = rows_of(contiguous(a)) if a.ndim > 1 else None
    if rows is None:
        return None
    out = np.empty(a.shape, a.dtype)
    loop(np.arange(len(rows)), rows, rows_of(out), a.shape[-2], int(diagonal),
         chunk=chunk_of(rows))
    return out


@kernel
def padded_planes(x, y, rows: Whole, columns: Whole, left: Count):
    """(n, h, w) -> (n, H, W): rows and columns say what is shown, the middle in order."""
    width = x.shape[2]
    for i in range(len(x)):
        for r in range(rows.size):
            source, line = x[i, rows[r]], y[i, r]
            middle, end = line[left:left + width], line[left + width:]
            for j in range(left):
                line[j] = source[columns[j]]
            for j in range(width):
                middle[j] = source[j]
            for j in range(end.size):
                end[j] = source[columns[left + width + j]]


@lru_cache(64)
def shown(sizes, pads, mode):
    """Which rows and columns a padded plane of these sizes shows; None where it is a crop."""
    if not resize.reaches(sizes, pads, mode):
        return None
    rows, columns = (resize.padded_places(n, *pair, mode)
                     for n, pair in zip(sizes, pads, strict=True))
    return rows, columns.astype(np.uintp)


KEPT = 1 << 12          # elements of a row or column whose places are kept for the next call


def padded(mode):
    """The twin of the paddings of one or two dimensions."""
    def pad(x, pads):
        count = len(pads)
        sizes = x.shape[x.ndim - count:]
        if x.dtype.kind == "b" or x.itemsize not in BITS or not x.size or channels_last(x):
            return None
        if count == 1:
            sizes, pads = (1, *sizes), ((0, 0), *pads)
        found = (shown if max(sizes) <= KEPT else shown.__wrapped__)(sizes, pads, mode)
        if found is None:
            return None
        rows, columns = found
        y = np.empty((*x.shape[:x.ndim - count], *(rows.size, columns.size)[2 - count:]), x.dtype)
        bits = BITS[x.itemsize]
        padded_planes(np.ascontiguousarray(x).view(bits).reshape(-1, *sizes),
                      y.view(bits).reshape(-1, rows.size, columns.size), rows, columns,
                      pads[1][0], chunk=max(1, CHUNK // (rows.size * columns.size)))
        return y
    return pad


reflect_1d = reflect_2d = padded("reflect")
replicate_1d = replicate_2d = padded("replicate")
