"""Vector instructions for `board.py` and `network.py`: LLVM code for the functions marked `compiled_as` there. Imported
only when something is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hansu.compile.vector_intrinsics import (
    BYTE,
    LONG,
    SHORT,
    WORD,
    at_least_0,
    constant,
    data_of,
    load,
    place_of,
    store,
    summed,
    widened,
)
from hansu.games.renju.engine.board import CODE_DIGITS, WINDOW
from hansu.games.renju.engine.network import WIDTH
from hansu.games.renju.engine.patterns import CODES, REACH, URGENT


def word(number: int) -> Any:
    """A constant of 64 bits."""
    return ir.Constant(WORD, number)


def window_at(builder: Any, data: Any, first: Any, kind: Any) -> Any:
    """A pointer to the WINDOW elements of a line from `first` on, as a vector."""
    return builder.bitcast(builder.gep(data, [first]), ir.VectorType(kind, WINDOW).as_pointer())


def window_change(builder: Any, change: Any) -> Any:
    """The vector that a stone adds to the codes of a window."""
    kind = ir.VectorType(LONG, WINDOW)
    one = builder.insert_element(ir.Constant(kind, None), builder.trunc(change, LONG), ir.Constant(LONG, 0))
    same = builder.shuffle_vector(one, one, ir.Constant(kind, None))
    return builder.mul(same, ir.Constant(kind, [ir.Constant(LONG, int(power)) for power in CODE_DIGITS]))


def both_codes(builder: Any, both: Any) -> tuple[Any, Any]:
    """Black's and white's code, as 64-bit words."""
    both = builder.zext(both, WORD)
    return builder.and_(both, word(0xFFFF)), builder.lshr(both, word(16))


@intrinsic
def advance(
    typing_context: Any, codes: Any, pairs: Any, old: Any, number: Any, classes: Any, first: Any, change: Any
) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        chosen = (0, 1, 2, 4)
        data = data_of(context, builder, [kinds[i] for i in chosen], [args[i] for i in chosen])
        place = window_at(builder, data[0], args[5], LONG)
        updated = builder.add(load(builder, place), window_change(builder, args[6]))
        builder.store(updated, place).align = 4
        here = window_at(builder, data[1], args[5], BYTE)
        before = load(builder, here)
        builder.store(before, place_of(builder, data[2], args[3], WINDOW, BYTE)).align = 1
        after = before
        for i in range(2 * REACH + 1):
            if i != REACH:
                black, white = both_codes(builder, builder.extract_element(updated, ir.Constant(LONG, i)))
                parts = (builder.gep(data[3], [black]), builder.gep(data[3], [builder.add(white, word(CODES))]))
                pair = builder.or_(*(builder.load(part) for part in parts))
                after = builder.insert_element(after, pair, ir.Constant(LONG, i))
        builder.store(after, here).align = 1
        urgent = builder.and_(builder.or_(before, after), constant(URGENT * 17, WINDOW, BYTE))
        urgent = builder.icmp_unsigned("!=", urgent, constant(0, WINDOW, BYTE))
        changed = builder.and_(builder.icmp_unsigned("!=", before, after), urgent)
        return builder.zext(builder.bitcast(changed, ir.IntType(WINDOW)), WORD)

    return types.int64(codes, pairs, old, types.int64, classes, types.int64, types.int64), code


@intrinsic
def retreat(typing_context: Any, codes: Any, pairs: Any, old: Any, number: Any, first: Any, change: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_of(context, builder, signature.args[:3], args[:3])
        place = window_at(builder, data[0], args[4], LONG)
        builder.store(builder.sub(load(builder, place), window_change(builder, args[5])), place).align = 4
        before = load(builder, place_of(builder, data[2], args[3], WINDOW, BYTE))
        builder.store(before, window_at(builder, data[1], args[4], BYTE)).align = 1
        return context.get_dummy_value()

    return types.void(codes, pairs, old, types.int64, types.int64, types.int64), code


def each_bit(builder: Any, bits: Any, number: Any, carried: Any, body: Any) -> tuple[Any, Any]:
    """A loop over the set bits: `body(i, number, carried)` returns the next `carried`, and `number` grows by one each
    time. Returns the final values of both."""
    begin, again, end = builder.block, builder.append_basic_block("again"), builder.append_basic_block("end")
    builder.cbranch(builder.icmp_unsigned("!=", bits, word(0)), again, end)
    builder.position_at_end(again)
    left, place, value = builder.phi(WORD), builder.phi(WORD), builder.phi(carried.type)
    lowest = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(WORD, [WORD, ir.IntType(1)]), "llvm.cttz.i64"
    )
    new = body(builder.call(lowest, [left, ir.Constant(ir.IntType(1), 1)]), place, value)
    next_left = builder.and_(left, builder.sub(left, word(1)))
    next_place = builder.add(place, word(1))
    last = builder.block
    builder.cbranch(builder.icmp_unsigned("!=", next_left, word(0)), again, end)
    for phi, at_first, later in ((left, bits, next_left), (place, number, next_place), (value, carried, new)):
        phi.add_incoming(at_first, begin)
        phi.add_incoming(later, last)
    builder.position_at_end(end)
    place_after, value_after = builder.phi(WORD), builder.phi(carried.type)
    for phi, none, some in ((place_after, number, next_place), (value_after, carried, new)):
        phi.add_incoming(none, begin)
        phi.add_incoming(some, last)
    return place_after, value_after


def window_point(builder: Any, point: Any, step: Any, i: Any) -> Any:
    """Point number `i` of the window around a point."""
    return builder.add(point, builder.mul(builder.sub(i, word(REACH)), step))


@intrinsic
def update_features(
    typing_context: Any, features: Any, pooled: Any, old: Any, number: Any, rows: Any, codes: Any, first: Any,
    change: Any, free: Any, point: Any, step: Any,
) -> Any:  # fmt: skip
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        chosen = (0, 1, 2, 4, 5)
        data = data_of(context, builder, [kinds[i] for i in chosen], [args[i] for i in chosen])
        place = window_at(builder, data[4], args[6], LONG)
        spots = []
        changed = load(builder, place)
        for codes_then in (changed, builder.add(changed, window_change(builder, args[7]))):
            spot = cgutils.alloca_once(builder, ir.ArrayType(LONG, WINDOW))
            builder.store(codes_then, builder.bitcast(spot, place.type)).align = 4
            spots.append(builder.bitcast(spot, LONG.as_pointer()))
            changed = codes_then
        builder.store(changed, place).align = 4
        total = place_of(builder, data[1], word(0), WIDTH, LONG)

        def row(number: Any, colour: int) -> Any:
            number = builder.add(number, word(colour * CODES))
            row = load(builder, place_of(builder, data[3], number, WIDTH, BYTE))
            return builder.sext(row, ir.VectorType(SHORT, WIDTH))

        def body(i: Any, number: Any, grown: Any) -> Any:
            here = place_of(builder, data[0], window_point(builder, args[9], args[10], i), WIDTH)
            before = load(builder, here)
            store(builder, before, place_of(builder, data[2], number, WIDTH))
            then, now = (both_codes(builder, builder.load(builder.gep(spot, [i]))) for spot in spots)
            after = before
            for colour in range(2):
                after = builder.add(after, builder.sub(row(now[colour], colour), row(then[colour], colour)))
            store(builder, after, here)
            return builder.add(grown, builder.sub(at_least_0(builder, after), at_least_0(builder, before)))

        # Two int8 rows replace two others, so a feature grows by at most 510, and the sum over ten points fits into 16
        # bits.
        number, grown = each_bit(builder, args[8], args[3], constant(0, WIDTH), body)
        store(builder, builder.add(load(builder, total), widened(builder, grown)), total)
        return number

    return types.int64(features, pooled, old, types.int64, rows, codes, *[types.int64] * 5), code


@intrinsic
def restore(
    typing_context: Any, features: Any, old: Any, number: Any, codes: Any, first: Any, change: Any, free: Any,
    point: Any, step: Any,
) -> Any:  # fmt: skip
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        data = data_of(context, builder, [kinds[i] for i in (0, 1, 3)], [args[i] for i in (0, 1, 3)])
        place = window_at(builder, data[2], args[4], LONG)
        builder.store(builder.sub(load(builder, place), window_change(builder, args[5])), place).align = 4

        def body(i: Any, number: Any, nothing: Any) -> Any:
            before = load(builder, place_of(builder, data[1], number, WIDTH))
            store(builder, before, place_of(builder, data[0], window_point(builder, args[7], args[8], i), WIDTH))
            return nothing

        number, _ = each_bit(builder, args[6], args[2], word(0), body)
        return number

    return types.int64(features, old, types.int64, codes, *[types.int64] * 5), code


@intrinsic
def pool(typing_context: Any, features: Any, point: Any, pooled: Any, sign: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = data_of(context, builder, (signature.args[0], signature.args[2]), (args[0], args[2]))
        here = load(builder, place_of(builder, places[0], args[1], WIDTH))
        total = place_of(builder, places[1], ir.Constant(WORD, 0), WIDTH, LONG)
        change = widened(builder, at_least_0(builder, here))
        positive = builder.icmp_signed(">", args[3], ir.Constant(WORD, 0))
        old = load(builder, total)
        store(builder, builder.select(positive, builder.add(old, change), builder.sub(old, change)), total)
        return context.get_dummy_value()

    return types.void(features, types.int64, pooled, types.int64), code


@intrinsic
def weigh(typing_context: Any, features: Any, point: Any, heads: Any, side: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = data_of(context, builder, (signature.args[0], signature.args[2]), (args[0], args[2]))
        here = at_least_0(builder, load(builder, place_of(builder, places[0], args[1], WIDTH)))
        head = load(builder, place_of(builder, places[1], args[3], WIDTH))
        return summed(builder, builder.mul(widened(builder, here), widened(builder, head)))

    return types.int64(features, types.int64, heads, types.int64), code
