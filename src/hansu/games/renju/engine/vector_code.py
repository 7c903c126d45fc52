"""The compiled twins of what `network.py` does to rows of numbers. Imported only when something is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hansu.core.vectors import BYTE, LONG, SHORT, WORD, at_least_0, data_of, load, place_of, store, summed, widened
from hansu.games.renju.engine.network import WIDTH
from hansu.games.renju.engine.patterns import CODES


@intrinsic
def exchange(
    typing_context: Any, features: Any, point: Any, pooled: Any, rows: Any, black: Any, old_black: Any, white: Any,
    old_white: Any, counts: Any,
) -> Any:  # fmt: skip
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        places = data_of(context, builder, (kinds[0], kinds[2], kinds[3]), (args[0], args[2], args[3]))
        first = ir.Constant(WORD, 0)
        here, total = place_of(builder, places[0], args[1], WIDTH), place_of(builder, places[1], first, WIDTH, LONG)

        def row(number: Any, colour: int) -> Any:
            number = builder.add(number, ir.Constant(WORD, colour * CODES))
            row = load(builder, place_of(builder, places[2], number, WIDTH, BYTE))
            return builder.sext(row, ir.VectorType(SHORT, WIDTH))

        before = load(builder, here)
        after = builder.add(before, builder.sub(row(args[4], 0), row(args[5], 0)))
        after = builder.add(after, builder.sub(row(args[6], 1), row(args[7], 1)))
        store(builder, after, here)
        with builder.if_then(builder.icmp_signed("!=", args[8], ir.Constant(args[8].type, 0))):
            change = builder.sub(at_least_0(builder, after), at_least_0(builder, before))
            store(builder, builder.add(load(builder, total), widened(builder, change)), total)
        return context.get_dummy_value()

    return types.void(features, types.int64, pooled, rows, *[types.int64] * 5), code


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
