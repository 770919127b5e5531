"""Small matrix products in registers, from which the large ones are built.

A tile of results, ROWS rows of a few vectors, stays in registers while k runs. Numba's loops do not
compile to that, so the tile is written in LLVM's own language: for each k, load a few vectors of b,
and for each row multiply them by one number of a and add. With eight or more sums under way the
units that multiply and add are always busy; what remains is to keep the numbers close by.

Addresses are integers, offsets count bytes.
"""

from __future__ import annotations

import llvmlite.binding
import numpy as np
from llvmlite import ir

from .compiling import address_of, routine
from .lazy import cgutils, intrinsic, types

_FEATURES = llvmlite.binding.get_host_cpu_features()
WIDE = bool(_FEATURES.get("avx512f"))
ADDS_PAIRS = WIDE and bool(_FEATURES.get("avx512bf16"))     # see `add_pairs`
BYTES = 64 if WIDE else 32      # of a vector
ROWS, VECTORS = 4, 3            # of a tile
PANEL = 2                       # vectors of a row of a packed matrix's panel: recurrent.py
TALL = 8 if WIDE else 4         # rows of a tile, where there are as many: numbers of b serve more
POINTS = 8 if WIDE else 6       # rows of a tile whose rows lie anywhere: 12 lack a register
TAPS = 8 if WIDE else 4         # rows of a tile of one or two vectors
INT = ir.IntType(64)


class BFloat(ir.Type):
    """LLVM's bfloat16, which llvmlite lacks."""

    def _to_string(self):
        return "bfloat"


BFLOAT = BFloat()
PAIR = ir.LiteralStructType([BFLOAT, BFLOAT])


def llvm_type(number):
    """LLVM's type for one of Numba's types of numbers; an integer stands for a pair of bfloat16."""
    kinds = {types.float32: ir.FloatType(), types.float64: ir.DoubleType(), types.int32: PAIR}
    return kinds[number]


def lanes(dtype) -> int:
    """How many numbers a vector holds."""
    return BYTES // np.dtype(dtype).itemsize


def gather_tile(vectors, rows=ROWS):
    """The intrinsic below, for a number of vectors."""
    @intrinsic
    def tile_of(typingctx, like, out, step, a, hop, b, offsets, count):
        """out = a b: `rows` numbers of a for each k, `hop` apart; row k of b is at b + offsets[k].

        Rows of out lie `step` apart. `like` has the numbers' dtype.
        """
        def codegen(context, builder, signature, args):
            _, out, step, a, hop, b, offsets, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)

            def terms(k):
                first = builder.add(a, builder.mul(k, hop))
                at = builder.add(b, tile.load(INT, builder.add(offsets, scaled(builder, k, 8))))
                return [tile.number(first, r * tile.size) for r in range(rows)], tile.vectors_at(at)
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            for r in range(rows):
                row = builder.add(out, scaled(builder, step, r))
                tile.store(row, tile.sums[r * vectors:(r + 1) * vectors])
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 7), codegen
    return tile_of


def adding_tile(rows, vectors):
    """The intrinsic below, for a number of rows and of vectors."""
    @intrinsic
    def tile_of(typingctx, like, out, step, start, pitch, a, hop, b, offsets, count):
        """out = start + a b: as `gather_tile`; rows of start lie `pitch` apart."""
        def codegen(context, builder, signature, args):
            _, out, step, start, pitch, a, hop, b, offsets, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)

            def terms(k):
                first = builder.add(a, builder.mul(k, hop))
                at = builder.add(b, tile.load(INT, builder.add(offsets, scaled(builder, k, 8))))
                return [tile.number(first, r * tile.size) for r in range(rows)], tile.vectors_at(at)
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            for r in range(rows):
                begin = tile.vectors_at(builder.add(start, scaled(builder, pitch, r)))
                tile.store(builder.add(out, scaled(builder, step, r)), tile.plus_sums(begin, r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 9), codegen
    return tile_of


def point_tile(rows, vectors):
    """The intrinsic below, for a number of rows and of vectors."""
    @intrinsic
    def tile_of(typingctx, like, out, step, places, start, pitch, a, sources, offsets, b, count):
        """out = start + a b: row r is read from a + sources[r] + offsets[k], for each k.

        It goes to row places[r] of out, and the same row of start is added; their rows lie `step`
        and `pitch` apart. Rows of b follow on each other. sources, places and offsets are addresses
        of integers.
        """
        def codegen(context, builder, signature, args):
            _, out, step, places, start, pitch, *rest = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            tile.run_points(*rest, [tile.zero] * (rows * vectors))
            for r in range(rows):
                place = tile.load(INT, plus(builder, places, 8 * r))
                begin = tile.vectors_at(builder.add(start, builder.mul(place, pitch)))
                tile.store(builder.add(out, builder.mul(place, step)),
                           tile.plus_sums(begin, r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 10), codegen
    return tile_of


def point_sums_tile(rows, vectors):
    """The intrinsic below, for a number of rows and of vectors."""
    @intrinsic
    def tile_of(typingctx, like, out, a, sources, offsets, b, count):
        """out += a b: a and b as in `point_tile`; rows of out follow on each other."""
        def codegen(context, builder, signature, args):
            _, out, *rest = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            tile.run_points(*rest, [tile.zero] * (rows * vectors))
            for r in range(rows):
                to = plus(builder, out, r * vectors * BYTES)
                tile.store(to, tile.plus_sums(tile.vectors_at(to), r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 6), codegen
    return tile_of


def dots_tile(rows):
    """The intrinsic below, for a number of rows."""
    @intrinsic
    def tile_of(typingctx, like, out, a, offsets, b, count):
        """Row r of out, a vector, += the sums of a times b, from a + offsets[r] on, of `count`
        vectors, lane by lane."""
        def codegen(context, builder, signature, args):
            _, out, a, offsets, b, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, 1)
            starts = [builder.add(a, tile.load(INT, plus(builder, offsets, 8 * r)))
                      for r in range(rows)]

            def terms(k):
                along = scaled(builder, k, BYTES)
                rows_of_a = [tile.vectors_at(builder.add(start, along))[0] for start in starts]
                return rows_of_a, tile.vectors_at(builder.add(b, along))
            tile.run(count, [tile.zero] * rows, terms)
            for r in range(rows):
                to = plus(builder, out, r * BYTES)
                tile.store(to, tile.plus_sums(tile.vectors_at(to), r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 5), codegen
    return tile_of


def panel_tile(vectors, rows):
    """The intrinsic below, for a number of vectors and of rows."""
    @intrinsic
    def tile_of(typingctx, like, out, step, a, hop, b, count):
        """out = a b: `rows` rows of a, `hop` apart; rows of b follow on each other.

        Rows of out lie `step` apart.
        """
        def codegen(context, builder, signature, args):
            _, out, step, a, hop, b, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            starts = [builder.add(a, scaled(builder, hop, r)) for r in range(rows)]

            def terms(k):
                along = scaled(builder, k, tile.size)
                numbers = [tile.number(builder.add(start, along), 0) for start in starts]
                return numbers, tile.vectors_at(builder.add(b, scaled(builder, k, vectors * BYTES)))
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            for r in range(rows):
                row = builder.add(out, scaled(builder, step, r))
                tile.store(row, tile.sums[r * vectors:(r + 1) * vectors])
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 6), codegen
    return tile_of


panel_tall, panel_low, panel_one = (panel_tile(PANEL, rows) for rows in (TAPS, TAPS // 2, 1))
tall_one, tall_two, tall_three = (adding_tile(TALL, n) for n in (1, 2, 3))
eight_vectors, four_vectors = (gather_tile(n, rows=1) for n in (8, 4))
(points_two, points_one), (some_two, some_one), (pair_two, pair_one), (point_two, point_one) = (
    [point_tile(rows, n) for n in (2, 1)] for rows in (POINTS, ROWS, 2, 1))
(sums_two, sums_one), (few_two, few_one), (sum_two, sum_one) = (
    [point_sums_tile(rows, n) for n in (2, 1)] for rows in (POINTS, ROWS, 1))
one_dot, three_dots, nine_dots = (dots_tile(n) for n in (1, 3, 9))
low_one, low_two, low_three = (adding_tile(ROWS, n) for n in (1, 2, 3))


@intrinsic
def copy(typingctx, into, source, count):
    """Copy `count` bytes from one address to another."""
    def codegen(context, builder, signature, args):
        into, source = (builder.inttoptr(x, ir.IntType(8).as_pointer()) for x in args[:2])
        cgutils.raw_memcpy(builder, into, source, args[2], 1)
        return context.get_dummy_value()
    return types.void(*[types.int64] * 3), codegen


@intrinsic
def copy_some(typingctx, like, to, source, number, count):
    """The first `count` numbers of a vector, plus one number, to another address: no others are
    read or written."""
    def codegen(context, builder, signature, args):
        _, to, source, number, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(count)
        value = builder.fadd(tile.load_some(source, mask), tile.in_every_lane(number))
        tile.store_some(to, value, mask)
        return context.get_dummy_value()
    return types.void(like, types.int64, types.int64, like, types.int64), codegen


@intrinsic
def copy_words(typingctx, like, to, source, count):
    """The first `count` words of a vector, as they are, to another address."""
    def codegen(context, builder, signature, args):
        _, to, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(count)
        tile.store_some(to, tile.load_some(source, mask), mask)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


@intrinsic
def copy_even(typingctx, like, to, source, count):
    """`count` numbers, a vector of them or less, of which every second is skipped."""
    def codegen(context, builder, signature, args):
        _, to, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        size = tile.vector.count
        some = tile.first_lanes(count)
        last = builder.sub(scaled(builder, count, 2), ir.Constant(INT, 1))
        rest = builder.sub(last, ir.Constant(INT, size))
        halves = [tile.load_some(source, tile.first_lanes(last)),
                  tile.load_some(plus(builder, source, BYTES), tile.first_lanes(rest))]
        even = ir.Constant(ir.VectorType(ir.IntType(32), size), list(range(0, 2 * size, 2)))
        tile.store_some(to, builder.shuffle_vector(*halves, even), some)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


@routine
def product(rows, panels, out, count):
    """out = rows @ the packed matrix; `count` rows (n, K), out (n, N or more)."""
    zero, item, width = rows.dtype.type(0), rows.itemsize, panels.shape[2]
    hop, step, depth = rows.shape[1] * item, out.shape[1] * item, rows.shape[1]
    for p in range(panels.shape[0]):
        panel = address_of(panels) + p * panels.shape[1] * width * item
        to, at, left = address_of(out) + p * width * item, address_of(rows), count
        while left > 0:
            if left >= TAPS:
                taken = TAPS
                panel_tall(zero, to, step, at, hop, panel, depth)
            elif left >= TAPS // 2:
                taken = TAPS // 2
                panel_low(zero, to, step, at, hop, panel, depth)
            else:
                taken = 1
                panel_one(zero, to, step, at, hop, panel, depth)
            to, at, left = to + taken * step, at + taken * hop, left - taken


@intrinsic
def transpose(typingctx, like, to, step, source, distance, width, height):
    """A square of `source`, as many rows and columns as a vector has numbers, the other way round.

    Rows lie `distance` and `step` apart. `height` rows of `width` numbers are read, for the others
    zeros; all of the square is written.
    """
    def codegen(context, builder, signature, args):
        _, to, step, source, distance, width, height = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        size = ir.Constant(INT, tile.vector.count)
        tile.transpose(source, distance, width, height, tile.rows_at(to, step), size, size)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 6), codegen


@intrinsic
def transpose_some(typingctx, like, to, step, source, distance, width, height):
    """As `transpose`, but only `width` rows of `height` numbers are written."""
    def codegen(context, builder, signature, args):
        _, to, step, source, distance, width, height = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        tile.transpose(source, distance, width, height, tile.rows_at(to, step), height, width)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 6), codegen


@intrinsic
def transpose_to(typingctx, like, to, step, places, source, distance, width, height):
    """As `transpose`, but only `width` rows are written, where the integers at `places` say."""
    def codegen(context, builder, signature, args):
        _, to, step, places, source, distance, width, height = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        size = tile.vector.count
        rows = [builder.add(to, builder.mul(tile.load(INT, plus(builder, places, 8 * r)), step))
                for r in range(size)]
        tile.transpose(source, distance, width, height, rows, ir.Constant(INT, size), width)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 7), codegen


class Tile:
    """The instructions of a tile: sums of products of `rows` numbers and `vectors` vectors.

    Pairs of bfloat16 are moved as if each were a float32, in which their products are added.
    """

    def __init__(self, builder, number, rows, vectors):
        self.add = self.add_pairs if number is PAIR else self.add_product
        number = ir.FloatType() if number is PAIR else number
        self.builder, self.kind, self.rows, self.vectors = builder, number, rows, vectors
        self.size = 4 if number == ir.FloatType() else 8
        self.vector = ir.VectorType(number, BYTES // self.size)
        self.zero = ir.Constant(self.vector, None)
        self.align = ir.Constant(ir.IntType(32), self.size)

    def load(self, kind, address):
        pointer = self.builder.inttoptr(address, kind.as_pointer())
        return self.builder.load(pointer, align=self.size)

    def vectors_at(self, address):
        return [self.load(self.vector, plus(self.builder, address, v * BYTES))
                for v in range(self.vectors)]

    def number(self, address, offset):
        """The number there, in every lane of a vector."""
        return self.in_every_lane(self.load(self.kind, plus(self.builder, address, offset)))

    def in_every_lane(self, number):
        """A vector of one number, of any type."""
        none = ir.Constant(ir.VectorType(number.type, self.vector.count), ir.Undefined)
        one = self.builder.insert_element(none, number, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), self.vector.count), None)
        return self.builder.shuffle_vector(one, none, lanes)

    def first_lanes(self, count):
        """A mask of the first `count` lanes."""
        limit = self.in_every_lane(self.builder.trunc(count, ir.IntType(32)))
        lanes = ir.Constant(limit.type, list(range(self.vector.count)))
        return self.builder.icmp_signed("<", lanes, limit)

    def lanes_of_row(self, r, width, height):
        """The mask of row r of a square of which `height` rows of `width` numbers are meant."""
        there = self.builder.icmp_signed("<", ir.Constant(INT, r), height)
        return self.first_lanes(self.builder.select(there, width, ir.Constant(INT, 0)))

    def rows_at(self, first, step):
        """Addresses of the rows of a square."""
        return [self.builder.add(first, scaled(self.builder, step, r))
                for r in range(self.vector.count)]

    def transpose(self, source, distance, width, height, targets, long, high):
        """The columns of a square of which `height` rows of `width` numbers are read; of these
        columns `high` of `long` numbers are written."""
        builder, size = self.builder, ir.Constant(INT, self.vector.count)
        sources = self.rows_at(source, distance)
        full = builder.and_(builder.icmp_signed(">=", width, size),
                            builder.icmp_signed(">=", height, size))
        with builder.if_else(full) as (whole, partly):
            with whole:                              # masks take longer than all the rest
                rows = [self.load(self.vector, at) for at in sources]
                for to, row in zip(targets, self.turned(rows), strict=True):
                    self.store(to, [row])
            with partly:
                rows = [self.load_some(at, self.lanes_of_row(r, width, height))
                        for r, at in enumerate(sources)]
                for r, (to, row) in enumerate(zip(targets, self.turned(rows), strict=True)):
                    self.store_some(to, row, self.lanes_of_row(r, long, high))

    def load_some(self, address, mask):
        """A vector of which only the masked lanes are read; the others are 0."""
        pointer = self.builder.inttoptr(address, self.vector.as_pointer())
        return self.masked("load", self.vector, [pointer, self.align, mask, self.zero])

    def picked(self, plane, indices):
        """Numbers of a plane at the indices that lie there, as many as a vector holds and as large
        as its numbers."""
        count, pointer = self.vector.count, self.kind.as_pointer()
        indices = self.load(ir.VectorType(ir.IntType(8 * self.size), count), indices)
        at = self.builder.gep(self.builder.inttoptr(plane, pointer), [indices],
                              source_etype=self.kind)
        at.type = ir.VectorType(pointer, count)         # as LLVM has it; llvmlite says: a pointer
        every = ir.Constant(ir.VectorType(ir.IntType(1), count), [1] * count)
        return self.masked("gather", self.vector, [at, self.align, every, self.zero],
                           f"v{count}p0")

    def numbers_apart(self, address, step, mask):
        """The masked ones of a vector of numbers that lie `step` bytes apart; the others are 0."""
        count = self.vector.count
        lanes = ir.Constant(ir.VectorType(INT, count), list(range(count)))
        steps = self.builder.mul(self.in_every_lane(step), lanes)
        return self.gathered(self.builder.add(self.in_every_lane(address), steps), mask)

    def gathered(self, addresses, mask):
        count = self.vector.count
        at = self.builder.inttoptr(addresses, ir.VectorType(self.kind.as_pointer(), count))
        return self.masked("gather", self.vector, [at, self.align, mask, self.zero], f"v{count}p0")

    def store_some(self, address, value, mask):
        pointer = self.builder.inttoptr(address, self.vector.as_pointer())
        self.masked("store", ir.VoidType(), [value, pointer, self.align, mask])

    def masks(self, count):
        """For each vector of a row a mask of those that are among its first `count` numbers."""
        builder, lanes = self.builder, self.vector.count
        return [self.first_lanes(builder.sub(count, ir.Constant(INT, v * lanes)))
                for v in range(self.vectors)]

    def load_masked(self, address, masks):
        return [self.load_some(plus(self.builder, address, v * BYTES), mask)
                for v, mask in enumerate(masks)]

    def store_masked(self, address, values, masks):
        for v, (value, mask) in enumerate(zip(values, masks, strict=True)):
            self.store_some(plus(self.builder, address, v * BYTES), value, mask)

    def masked(self, name, result, args, address="p0"):
        name = f"llvm.masked.{name}.v{self.vector.count}f{self.size * 8}.{address}"
        kind = ir.FunctionType(result, [a.type for a in args])
        return self.builder.call(self.builder.module.declare_intrinsic(name, fnty=kind), args)

    def fetch(self, address):
        """Let the processor fetch a row at this address, which will be written."""
        hints = [ir.Constant(ir.IntType(32), n) for n in (1, 3, 1)]
        for v in range(self.vectors):
            at = plus(self.builder, address, v * BYTES)
            args = [self.builder.inttoptr(at, ir.IntType(8).as_pointer()), *hints]
            kind = ir.FunctionType(ir.VoidType(), [a.type for a in args])
            self.builder.call(self.builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=kind),
                              args)

    def turned(self, rows):
        """The columns of a square of n rows, by riffling its rows log2(n) times."""
        size = self.vector.count
        pairs = [[half + i + size * k for i in range(size // 2) for k in (0, 1)]
                 for half in (0, size // 2)]
        pairs = [ir.Constant(ir.VectorType(ir.IntType(32), size), pair) for pair in pairs]
        for _ in range(size.bit_length() - 1):
            rows = [self.builder.shuffle_vector(rows[i], rows[i + size // 2], pair)
                    for i in range(size // 2) for pair in pairs]
        return rows

    def store(self, address, values):
        for v, value in enumerate(values):
            at = plus(self.builder, address, v * BYTES)
            self.builder.store(value, self.builder.inttoptr(at, self.vector.as_pointer()),
                               align=self.size)

    def plus_sums(self, values, r):
        """A row of the sums, added to as many vectors."""
        sums = self.sums[r * self.vectors:(r + 1) * self.vectors]
        return [self.builder.fadd(v, s) for v, s in zip(values, sums, strict=True)]

    def add_product(self, total, number, vector):
        contract = ("contract",)
        product = self.builder.fmul(number, vector, flags=contract)
        return self.builder.fadd(total, product, flags=contract)

    def add_pairs(self, total, number, vector):
        """The sums, and to each both products of a pair: one instruction where ADDS_PAIRS."""
        halves = ir.VectorType(BFLOAT, 2 * self.vector.count)
        args = [total, *(self.builder.bitcast(x, halves) for x in (number, vector))]
        kind = ir.FunctionType(total.type, [x.type for x in args])
        name = "llvm.x86.avx512bf16.dpbf16ps.512"
        return self.builder.call(self.builder.module.declare_intrinsic(name, fnty=kind), args)

    def run_points(self, a, sources, offsets, b, count, start):
        """Rows of a from a + sources[r] + offsets[k], times rows of b that follow on each other."""
        builder = self.builder
        starts = [builder.add(a, self.load(INT, plus(builder, sources, 8 * r)))
                  for r in range(self.rows)]

        def terms(k):
            offset = self.load(INT, builder.add(offsets, scaled(builder, k, 8)))
            numbers = [self.number(builder.add(row, offset), 0) for row in starts]
            return numbers, self.vectors_at(
                builder.add(b, scaled(builder, k, self.vectors * BYTES)))
        self.run(count, start, terms)

    def run(self, count, start, terms):
        """Add, for k < count (at least once), the products of terms(k) = (numbers, vectors)."""
        builder, before = self.builder, self.builder.block
        loop, after = (builder.append_basic_block(name) for name in ("tile", "tile.end"))
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(INT)
        k.add_incoming(ir.Constant(INT, 0), before)
        sums = [builder.phi(self.vector) for _ in start]
        for total, first in zip(sums, start, strict=True):
            total.add_incoming(first, before)
        numbers, vectors = terms(k)
        factors = [(n, v) for n in numbers for v in vectors]
        self.sums = [self.add(total, *pair) for total, pair in zip(sums, factors, strict=True)]
        for total, result in zip(sums, self.sums, strict=True):
            total.add_incoming(result, loop)
        following = plus(builder, k, 1)
        k.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        builder.position_at_end(after)


def plus(builder, value, number):
    return builder.add(value, ir.Constant(INT, number)) if number else value


def scaled(builder, value, number):
    return builder.mul(value, ir.Constant(INT, number))
