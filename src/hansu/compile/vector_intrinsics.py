"""Rows of numbers in vector registers, for the intrinsics of games' networks.

Numba's loops do not keep their sums in registers. Imported only when something is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir
from numba.core import cgutils

from hansu.compile.lowering_types import Builder, Context, NumbaType, Value

WORD = ir.IntType(64)
BYTE = ir.IntType(8)
SHORT = ir.IntType(16)
LONG = ir.IntType(32)


def data_of(context: Context, builder: Builder, kinds: Iterable[NumbaType], values: Iterable[Value]) -> list[Value]:
    """Pointers to the first element of some arrays."""
    arrays = zip(kinds, values, strict=True)
    return [context.make_array(kind)(context, builder, value).data for kind, value in arrays]


def place_of(builder: Builder, data: Value, number: Value, width: int, kind: ir.Type = SHORT) -> Value:
    """A pointer to row `number` of an array with `width` columns, as a vector."""
    pointer = builder.gep(data, [builder.mul(number, ir.Constant(WORD, width))])
    return builder.bitcast(pointer, ir.VectorType(kind, width).as_pointer())


def load(builder: Builder, pointer: Value) -> Value:
    """Load a vector that need not be aligned."""
    row = builder.load(pointer)
    row.align = 1
    return row


def store(builder: Builder, value: Value, pointer: Value) -> None:
    """Store a vector that need not be aligned."""
    builder.store(value, pointer).align = 2


def constant(number: int, width: int, kind: ir.Type = SHORT) -> Value:
    """A vector of `width` equal numbers."""
    return ir.Constant(ir.VectorType(kind, width), [ir.Constant(kind, number)] * width)


def at_least_0(builder: Builder, row: Value) -> Value:
    """The greater of each number and 0 (ReLU)."""
    zero = constant(0, row.type.count)
    return builder.select(builder.icmp_signed(">", row, zero), row, zero)


def at_most(builder: Builder, row: Value, most: int) -> Value:
    """The smaller of each number and `most`."""
    bound = constant(most, row.type.count)
    return builder.select(builder.icmp_signed("<", row, bound), row, bound)


def widened(builder: Builder, row: Value) -> Value:
    """The numbers as int32."""
    return builder.sext(row, ir.VectorType(LONG, row.type.count))


def summed(builder: Builder, row: Value) -> Value:
    """The sum of a row of int32, as an int64."""
    kind = ir.FunctionType(LONG, [row.type])
    name = f"llvm.vector.reduce.add.v{row.type.count}i32"
    return builder.sext(builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [row]), WORD)
