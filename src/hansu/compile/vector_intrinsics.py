"""Rows of numbers in vector registers, for the intrinsics of games' networks: Numba's own loops do not keep what they
add up there. Imported only when something is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

WORD = ir.IntType(64)
BYTE = ir.IntType(8)
SHORT = ir.IntType(16)
LONG = ir.IntType(32)


def data_of(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """Where the numbers of some arrays begin."""
    arrays = zip(kinds, values, strict=True)
    return [context.make_array(kind)(context, builder, value).data for kind, value in arrays]


def place_of(builder: Any, data: Any, number: Any, width: int, kind: Any = SHORT) -> Any:
    """Where row `number` of rows of so many numbers begins, as a vector."""
    place = builder.gep(data, [builder.mul(number, ir.Constant(WORD, width))])
    return builder.bitcast(place, ir.VectorType(kind, width).as_pointer())


def load(builder: Any, place: Any) -> Any:
    found = builder.load(place)
    found.align = 1
    return found


def store(builder: Any, value: Any, place: Any) -> None:
    builder.store(value, place).align = 2


def constant(number: int, width: int, kind: Any = SHORT) -> Any:
    return ir.Constant(ir.VectorType(kind, width), [ir.Constant(kind, number)] * width)


def at_least_0(builder: Any, row: Any) -> Any:
    none = constant(0, row.type.count)
    return builder.select(builder.icmp_signed(">", row, none), row, none)


def at_most(builder: Any, row: Any, most: int) -> Any:
    bound = constant(most, row.type.count)
    return builder.select(builder.icmp_signed("<", row, bound), row, bound)


def widened(builder: Any, row: Any) -> Any:
    return builder.sext(row, ir.VectorType(LONG, row.type.count))


def summed(builder: Any, row: Any) -> Any:
    """All numbers of a widened row together, as an int64."""
    kind = ir.FunctionType(LONG, [row.type])
    name = f"llvm.vector.reduce.add.v{row.type.count}i32"
    return builder.sext(builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [row]), WORD)
