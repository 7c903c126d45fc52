"""The compiled twin of `evaluation.add_rows`: the sum stays in vector registers over all rows, which Numba's own loops
do not manage. Imported only when something is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

ROW_WIDTH = 32  # numbers in a row: evaluation.HIDDEN

_WORD = ir.IntType(64)
_ROW = ir.VectorType(ir.IntType(16), ROW_WIDTH)


@intrinsic
def add_rows(typing_context: Any, target: Any, base: Any, table: Any, added: Any, removed: Any, count: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = zip(signature.args[:5], args[:5], strict=True)
        target, base, table, added, removed = (
            context.make_array(kind)(context, builder, value).data for kind, value in arrays
        )

        def row(data: Any, number: Any) -> Any:
            place = builder.gep(data, [builder.mul(number, ir.Constant(_WORD, ROW_WIDTH))])
            load = builder.load(builder.bitcast(place, _ROW.as_pointer()))
            load.align = 2
            return load

        total = cgutils.alloca_once_value(builder, row(base, ir.Constant(_WORD, 0)))
        with cgutils.for_range(builder, args[5]) as loop:
            plus = row(table, builder.load(builder.gep(added, [loop.index])))
            minus = row(table, builder.load(builder.gep(removed, [loop.index])))
            builder.store(builder.add(builder.load(total), builder.sub(plus, minus)), total)
        store = builder.store(builder.load(total), builder.bitcast(target, _ROW.as_pointer()))
        store.align = 2
        return context.get_dummy_value()

    return types.void(target, base, table, added, removed, types.int64), code
