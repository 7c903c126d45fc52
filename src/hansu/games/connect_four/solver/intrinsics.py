"""Intrinsics for the solver's kernels: memory access by address, and bit instructions.

The recursion passes arrays as plain addresses, because a Numba array takes seven words on the stack. Imported only with
the solver."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hansu.compile.intrinsics import ask_for

_WORD = ir.IntType(64)


def _pointer(builder: Any, address: Any, index: Any) -> Any:
    byte = builder.add(address, builder.shl(index, ir.Constant(_WORD, 3)))
    return builder.inttoptr(byte, _WORD.as_pointer())


@intrinsic
def bit_length(typing_context: Any, word: Any) -> Any:
    """Same as int.bit_length."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(_WORD, 64), zeros)

    return types.int64(types.int64), code


@intrinsic
def square_of(typing_context: Any, word: Any) -> Any:
    """The number of the lowest set bit of a word that is not 0."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def peek(typing_context: Any, address: Any, index: Any) -> Any:
    """Reads the word at an index atomically."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_pointer(builder, *args), "monotonic", 8)

    return types.int64(types.int64, types.int64), code


@intrinsic
def poke(typing_context: Any, address: Any, index: Any, word: Any) -> Any:
    """Writes the word at an index atomically."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _pointer(builder, *args[:2]), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), code


@intrinsic
def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
    """Prefetches the cache line of an index."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ask_for(builder, _pointer(builder, *args), False)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code
