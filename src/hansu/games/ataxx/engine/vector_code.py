"""The compiled twins of `evaluation.add_rows` and `evaluation.weigh`. Imported only for compilation."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hansu.compile.vector_intrinsics import WORD, at_least_0, at_most, data_of, load, place_of, store, summed, widened
from hansu.games.ataxx.engine.evaluation import HIDDEN, ONE

FIRST = ir.Constant(WORD, 0)


@intrinsic
def add_rows(typing_context: Any, target: Any, base: Any, table: Any, added: Any, removed: Any, count: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, base, table, added, removed = data_of(context, builder, signature.args[:5], args[:5])

        def row(data: Any, number: Any) -> Any:
            return load(builder, place_of(builder, data, number, HIDDEN))

        total = cgutils.alloca_once_value(builder, row(base, FIRST))
        with cgutils.for_range(builder, args[5]) as loop:
            plus = row(table, builder.load(builder.gep(added, [loop.index])))
            minus = row(table, builder.load(builder.gep(removed, [loop.index])))
            builder.store(builder.add(builder.load(total), builder.sub(plus, minus)), total)
        store(builder, builder.load(total), place_of(builder, target, FIRST, HIDDEN))
        return context.get_dummy_value()

    return types.void(target, base, table, added, removed, types.int64), code


@intrinsic
def weigh(typing_context: Any, sums: Any, head: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_of(context, builder, signature.args, args)
        row, weights = (load(builder, place_of(builder, each, FIRST, HIDDEN)) for each in data)
        row = at_most(builder, at_least_0(builder, row), ONE)
        product = builder.mul(row, weights)  # at most ONE * OUT: it fits
        return summed(builder, builder.mul(widened(builder, product), widened(builder, row)))

    return types.int64(sums, head), code
