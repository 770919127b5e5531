"""Vectors of numbers picked from a plane, at places that a table lists.

A table has a row for each tap: the index (int32) at which each result finds it. What a window is
(its stride, padding, spacing, whether it is adaptive) is all in the table, and results of short
rows fill whole vectors. The numbers of a vector are loaded one by one: processors' own gathers are
no faster. Where channels lie innermost, a vector has neighbouring channels of one result, and its
table a place for each tap.

Addresses are integers, steps count bytes.
"""

from __future__ import annotations

from llvmlite import ir

from .lazy import intrinsic, types
from .tile import BYTES, INT, llvm_type, plus, scaled

INT32 = ir.IntType(32)


class Picker:
    """The instructions that walk down a table at `table`, whose rows lie `step` apart."""

    def __init__(self, builder, number, plane, table, step):
        self.builder, self.number, self.plane = builder, number, plane
        self.table, self.step = table, step
        self.size = 4 if number == ir.FloatType() else 8
        self.lanes = BYTES // self.size
        self.vector = ir.VectorType(number, self.lanes)
        self.places = ir.VectorType(INT32, self.lanes)

    def load(self, kind, address, align):
        return self.builder.load(self.builder.inttoptr(address, kind.as_pointer()), align=align)

    def store(self, value, address, align):
        pointer = self.builder.inttoptr(address, value.type.as_pointer())
        self.builder.store(value, pointer, align=align)

    def row(self, tap):
        """A tap's places and the numbers there."""
        builder, at = self.builder, self.builder.add(self.table, self.builder.mul(tap, self.step))
        numbers = ir.Constant(self.vector, ir.Undefined)
        for lane in range(self.lanes):
            place = builder.sext(self.load(INT32, plus(builder, at, 4 * lane), 4), INT)
            place = builder.mul(place, ir.Constant(INT, self.size))
            value = self.load(self.number, builder.add(self.plane, place), self.size)
            numbers = builder.insert_element(numbers, value, ir.Constant(INT32, lane))
        return self.load(self.places, at, 4), numbers

    def weight(self, weights, tap):
        """A tap's weights, which lie as the table does, in elements."""
        at = self.builder.mul(self.builder.mul(tap, self.step), ir.Constant(INT, self.size // 4))
        return self.load(self.vector, self.builder.add(weights, at), self.size)

    def maxima(self, taps, best, which):
        """Store a vector of maxima, or nan, at `best`, and their places (int64) at `which`."""
        builder = self.builder

        def keep_larger(tap, kept):
            places, numbers = self.row(tap)
            better = builder.or_(builder.fcmp_ordered(">", numbers, kept[0]),
                                 builder.fcmp_unordered("uno", numbers, numbers))
            return builder.select(better, numbers, kept[0]), builder.select(better, places, kept[1])
        places, numbers = self.row(ir.Constant(INT, 0))
        numbers, places = self.fold(1, taps, (numbers, places), keep_larger)
        self.store(numbers, best, self.size)
        self.store(builder.zext(places, ir.VectorType(INT, self.lanes)), which, 8)

    def fold(self, first, taps, start, combine):
        """What combine(tap, values) makes of `start` from tap `first` on, row after row."""
        builder, before = self.builder, self.builder.block
        loop, after = (builder.append_basic_block(name) for name in ("taps", "taps.end"))
        first = ir.Constant(INT, first)
        builder.cbranch(builder.icmp_signed("<", first, taps), loop, after)
        builder.position_at_end(loop)
        tap, *values = (builder.phi(v.type) for v in (first, *start))
        results = combine(tap, values)
        following = plus(builder, tap, 1)
        for phi, begin, end in zip((tap, *values), (first, *start), (following, *results),
                                   strict=True):
            phi.add_incoming(begin, before)
            phi.add_incoming(end, loop)
        builder.cbranch(builder.icmp_signed("<", following, taps), loop, after)
        builder.position_at_end(after)
        merged = [builder.phi(v.type) for v in start]
        for phi, begin, end in zip(merged, start, results, strict=True):
            phi.add_incoming(begin, before)
            phi.add_incoming(end, loop)
        return merged


class ChannelPicker(Picker):
    """The same for a vector of neighbouring channels; those of a place are `step` from the next."""

    def row(self, tap):
        builder = self.builder
        place = self.load(INT32, builder.add(self.table, scaled(builder, tap, 4)), 4)
        at = builder.add(self.plane, builder.mul(builder.sext(place, INT), self.step))
        return self.everywhere(place), self.load(self.vector, at, self.size)

    def weight(self, weights, tap):
        at = self.builder.add(weights, scaled(self.builder, tap, self.size))
        return self.everywhere(self.load(self.number, at, self.size))

    def everywhere(self, value):
        """A vector of one value."""
        kind = ir.VectorType(value.type, self.lanes)
        first = self.builder.insert_element(ir.Constant(kind, ir.Undefined), value,
                                            ir.Constant(INT32, 0))
        return self.builder.shuffle_vector(first, first, ir.Constant(self.places, None))


def maxima_by(picker):
    """The intrinsic below, by a kind of picker."""
    @intrinsic
    def largest(typingctx, like, plane, table, step, taps, best, which):
        """A vector of maxima, or nan, stored at `best`; their places (int64) at `which`."""
        def codegen(context, builder, signature, args):
            _, plane, table, step, taps, best, which = args
            pick = picker(builder, llvm_type(signature.args[0]), plane, table, step)
            pick.maxima(taps, best, which)
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 6), codegen
    return largest


largest_of, largest_of_channels = maxima_by(Picker), maxima_by(ChannelPicker)


def sums_by(picker):
    """The intrinsic below, by a kind of picker."""
    @intrinsic
    def sum_of(typingctx, like, plane, table, weights, step, taps, out):
        """A vector of sums of numbers times weights, stored at `out`; weights of nan mean: no such
        tap. The weights lie as the table's places do, in elements."""
        def codegen(context, builder, signature, args):
            _, plane, table, weights, step, taps, out = args
            pick = picker(builder, llvm_type(signature.args[0]), plane, table, step)
            zero, contract = ir.Constant(pick.vector, None), ("contract",)

            def add(tap, total):
                weight = pick.weight(weights, tap)
                more = builder.fadd(total[0], builder.fmul(pick.row(tap)[1], weight,
                                                           flags=contract), flags=contract)
                return builder.select(builder.fcmp_unordered("uno", weight, weight), total[0],
                                      more),
            total, = pick.fold(0, taps, (zero,), add)
            pick.store(total, out, pick.size)
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 6), codegen
    return sum_of


sum_of, sum_of_channels = sums_by(Picker), sums_by(ChannelPicker)
