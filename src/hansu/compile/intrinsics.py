"""Intrinsics: the counterparts of `core.bits`, `core.tables` and `columns`, a few LLVM instructions each.

A function's docstring is at its plain counterpart. Imported only when something is compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hansu.compile.columns import APART
from hansu.compile.lowering_types import Builder, Context, Intrinsic, NumbaType, Signature, Typed, TypingContext, Value
from hansu.compile.wide_intrinsics import is_bits, lowest_of, popcounted, words_of

_WORD = ir.IntType(64)


def _const(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


@intrinsic
def popcount(typing_context: TypingContext, x: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        return popcounted(builder, words_of(builder, signature.args[0], args[0]))

    return types.int64(x if is_bits(x) else types.int64), code


@intrinsic
def lowest(typing_context: TypingContext, x: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        return lowest_of(builder, words_of(builder, signature.args[0], args[0]))

    return types.int64(x if is_bits(x) else types.int64), code


def _in_memory(builder: Builder, words: Value) -> Value:
    """Store a tuple in a stack slot, so that a variable index is one load instead of a branch for every element."""
    slot = cgutils.alloca_once(builder, words.type)
    builder.store(words, slot)
    return slot


@intrinsic
def item(typing_context: TypingContext, words: NumbaType, i: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        slot = _in_memory(builder, args[0])
        return builder.load(builder.gep(slot, [_const(0), args[1]]))

    if not isinstance(words, types.UniTuple):
        return None
    return words.dtype(words, types.int64), code


@intrinsic
def with_item(typing_context: TypingContext, words: NumbaType, i: NumbaType, value: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        slot = _in_memory(builder, args[0])
        builder.store(args[2], builder.gep(slot, [_const(0), args[1]]))
        return builder.load(slot)

    if not isinstance(words, types.UniTuple):
        return None
    return words(words, types.int64, words.dtype), code


def _leaves(context: Context, builder: Builder, value: Value, kind: NumbaType) -> list[Value]:
    """Every int of a nested tuple, as LLVM values."""
    if isinstance(kind, types.BaseTuple):
        parts = [(builder.extract_value(value, i), part) for i, part in enumerate(kind)]
        return [leaf for part_value, part in parts for leaf in _leaves(context, builder, part_value, part)]
    return [context.cast(builder, value, kind, types.int64)]


def _count(kind: NumbaType) -> int:
    """The number of ints in a (nested) tuple."""
    return sum(_count(part) for part in kind) if isinstance(kind, types.BaseTuple) else 1


@intrinsic
def flat(typing_context: TypingContext, s: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        leaves = _leaves(context, builder, args[0], signature.args[0])
        return context.make_tuple(builder, signature.return_type, leaves)

    return types.UniTuple(types.int64, _count(s))(s), code


def _pointers(context: Context, builder: Builder, kind: NumbaType, row: Value, count: int) -> list[Value]:
    """Pointers to the first `count` words of an int64[n]."""
    array = context.make_array(kind)(context, builder, row)
    step = _const(8) if kind.layout == "C" else builder.extract_value(array.strides, 0)
    start = builder.ptrtoint(array.data, _WORD)
    return [
        builder.inttoptr(builder.add(start, builder.mul(step, _const(i))), _WORD.as_pointer()) for i in range(count)
    ]


def _is_row(kind: NumbaType) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.dtype == types.int64


@intrinsic
def pack(typing_context: TypingContext, s: NumbaType, row: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        leaves = _leaves(context, builder, args[0], signature.args[0])
        pointers = _pointers(context, builder, signature.args[1], args[1], len(leaves))
        for leaf, pointer in zip(leaves, pointers, strict=True):
            builder.store(leaf, pointer)
        return context.get_dummy_value()

    return (types.void(s, row), code) if _is_row(row) else None


@intrinsic
def unpack(typing_context: TypingContext, pattern: NumbaType, row: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        words = iter(_pointers(context, builder, signature.args[1], args[1], _count(pattern)))

        def built(kind: NumbaType) -> Value:
            if not isinstance(kind, types.BaseTuple):
                return context.cast(builder, builder.load(next(words)), types.int64, kind)
            value = context.get_constant_undef(kind)
            for i, part in enumerate(kind):
                value = builder.insert_value(value, built(part), i)
            return value

        return built(pattern)

    return (pattern(pattern, row), code) if _is_row(row) else None


@intrinsic
def mix(typing_context: TypingContext, s: NumbaType) -> Typed:
    """The same steps as in `bits.mix`, on every leaf in order: both must return the same hash."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        h = _const(0)
        for leaf in _leaves(context, builder, args[0], signature.args[0]):
            h = builder.mul(builder.xor(h, leaf), _const(0x9E3779B97F4A7C15))
            h = builder.xor(h, builder.lshr(h, _const(29)))
            h = builder.and_(h, _const((1 << 63) - 1))
        h = builder.mul(builder.xor(h, builder.lshr(h, _const(32))), _const(0x9E3779B97F4A7C15))
        return builder.and_(builder.xor(h, builder.lshr(h, _const(32))), _const((1 << 63) - 1))

    return types.int64(s), code


@intrinsic
def lcg_step(typing_context: TypingContext, x: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        product = builder.add(builder.mul(args[0], _const(6364136223846793005)), _const(1442695040888963407))
        return builder.and_(product, _const((1 << 63) - 1))

    return types.int64(types.int64), code


@intrinsic
def like(typing_context: TypingContext, pattern: NumbaType, value: NumbaType) -> Typed:
    """`value` with every leaf converted to its type in `pattern` (rules may build a field from a bool)."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        def convert(value: Value, source: NumbaType, target: NumbaType) -> Value:
            if not isinstance(target, types.BaseTuple):
                return context.cast(builder, value, source, target)
            converted = context.get_constant_undef(target)
            for i, (part, part_target) in enumerate(zip(source, target, strict=True)):
                leaf = convert(builder.extract_value(value, i), part, part_target)
                converted = builder.insert_value(converted, leaf, i)
            return converted

        return convert(args[1], signature.args[1], signature.return_type)

    return pattern(pattern, value), code


@intrinsic
def table(typing_context: TypingContext, handle: NumbaType) -> Typed:
    """The words at a handle, as an array without a reference count (its owner is the Game; see `core.tables`)."""
    array_type = types.Array(types.int64, 1, "C", readonly=True)

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        length = builder.load(builder.gep(data, [_const(-1)]))
        array = context.make_array(array_type)(context, builder)
        context.populate_array(
            array,
            data=data,
            shape=cgutils.pack_array(builder, [length]),
            strides=cgutils.pack_array(builder, [_const(8)]),
            itemsize=_const(8),
            meminfo=None,
        )
        return array._getvalue()

    return array_type(types.int64), code


def _element(context: Context, builder: Builder, kind: NumbaType, columns: Value, column: Value, i: Value) -> Value:
    """A pointer to element `i` of a column. The column is a constant, so only a load and an addition remain."""
    words = builder.inttoptr(columns, _WORD.as_pointer())
    start = builder.load(builder.gep(words, [builder.and_(column, _const(APART - 1))]))
    offset = builder.shl(i, builder.lshr(column, _const(APART.bit_length() - 1)))
    return builder.gep(builder.inttoptr(start, context.get_data_type(kind).as_pointer()), [offset])


def _reader(kind: NumbaType, result: NumbaType) -> Intrinsic:
    """An intrinsic that reads an element of a column of `kind` as `result`."""

    @intrinsic
    def read(typing_context: TypingContext, columns: NumbaType, column: NumbaType, i: NumbaType) -> Typed:
        def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
            return context.cast(builder, builder.load(_element(context, builder, kind, *args)), kind, result)

        return result(types.int64, types.int64, types.int64), code

    return read


def _writer(kind: NumbaType, argument: NumbaType) -> Intrinsic:
    """An intrinsic that writes an `argument` to an element of a column of `kind`."""

    @intrinsic
    def write(
        typing_context: TypingContext, columns: NumbaType, column: NumbaType, i: NumbaType, value: NumbaType
    ) -> Typed:
        def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
            pointer = _element(context, builder, kind, *args[:3])
            builder.store(context.cast(builder, args[3], argument, kind), pointer)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, argument), code

    return write


whole, real, double = (
    _reader(kind, result)
    for kind, result in (
        (types.int32, types.int64), (types.float32, types.float64), (types.float64, types.float64),
    )
)  # fmt: skip
set_whole, set_real = _writer(types.int32, types.int64), _writer(types.float32, types.float64)


def ask_for(builder: Builder, pointer: Value, to_write: bool) -> None:
    """Prefetch the cache line of a pointer."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    values = (int(to_write), 3, 1)  # high locality, data cache
    builder.call(call, [builder.bitcast(pointer, byte), *(ir.Constant(number, value) for value in values)])


@intrinsic
def prefetch(typing_context: TypingContext, array: NumbaType, i: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        ask_for(builder, builder.gep(data, [args[1]]), False)
        return context.get_dummy_value()

    return types.void(array, types.int64), code


@intrinsic
def greatest(typing_context: TypingContext, numbers: NumbaType, start: NumbaType, eights: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        row, number = ir.VectorType(_WORD, 8), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data

        def broadcast(value: Value) -> Value:
            one = builder.insert_element(ir.Constant(row, None), value, ir.Constant(number, 0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(number, 8), None))

        def reduced(values: Value, kind: str) -> Value:
            function = ir.FunctionType(_WORD, [row])
            name = f"llvm.vector.reduce.{kind}.v8i64"
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [values])

        def eight_at(i: Value) -> Value:
            eight = builder.load(builder.bitcast(builder.gep(data, [i]), row.as_pointer()))
            eight.align = 8
            return eight

        indices = builder.add(broadcast(args[1]), ir.Constant(row, [_const(i) for i in range(8)]))
        end = builder.add(args[1], builder.shl(args[2], _const(3)))
        first_eight, before = eight_at(args[1]), builder.block
        loop = builder.append_basic_block("loop")
        builder.branch(loop)
        builder.position_at_end(loop)
        # Eight lanes: each keeps its greatest number so far and the index of that number.
        i, greatest, argmax, here = builder.phi(_WORD), builder.phi(row), builder.phi(row), builder.phi(row)
        numbers_here = eight_at(i)
        better = builder.icmp_signed(">", numbers_here, greatest)
        new_greatest = builder.select(better, numbers_here, greatest)
        new_argmax = builder.select(better, here, argmax)
        new_i, new_here = builder.add(i, _const(8)), builder.add(here, broadcast(_const(8)))
        for phi, first, later in (
            (i, args[1], new_i), (greatest, first_eight, new_greatest), (argmax, indices, new_argmax),
            (here, indices, new_here),
        ):  # fmt: skip
            phi.add_incoming(first, before)
            phi.add_incoming(later, loop)
        after = builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed("<", new_i, end), loop, after)
        builder.position_at_end(after)
        is_greatest = builder.icmp_signed("==", new_greatest, broadcast(reduced(new_greatest, "smax")))
        return reduced(builder.select(is_greatest, new_argmax, broadcast(_const((1 << 63) - 1))), "smin")

    return types.int64(numbers, types.int64, types.int64), code


@intrinsic
def fetch(typing_context: TypingContext, columns: NumbaType, column: NumbaType, i: NumbaType) -> Typed:
    """Prefetch the cache line of element `i` of a column, for writing."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        ask_for(builder, _element(context, builder, types.int32, *args), True)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), code


@intrinsic
def words_at(typing_context: TypingContext, address: NumbaType, length: NumbaType) -> Typed:
    """`length` words at an address, as an array without a reference count."""
    array_type = types.Array(types.int64, 1, "C")

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        array = context.make_array(array_type)(context, builder)
        context.populate_array(
            array,
            data=builder.inttoptr(args[0], _WORD.as_pointer()),
            shape=cgutils.pack_array(builder, [args[1]]),
            strides=cgutils.pack_array(builder, [_const(8)]),
            itemsize=_const(8),
            meminfo=None,
        )
        return array._getvalue()

    return array_type(types.int64, types.int64), code


@intrinsic
def word(typing_context: TypingContext, address: NumbaType, i: NumbaType) -> Typed:
    """Word `i` of the int64 array at an address."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        return builder.load(builder.gep(data, [args[1]]))

    return types.int64(types.int64, types.int64), code


@intrinsic
def set_word(typing_context: TypingContext, address: NumbaType, i: NumbaType, value: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        builder.store(args[2], builder.gep(data, [args[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), code


@intrinsic
def raised(typing_context: TypingContext, address: NumbaType) -> Typed:
    """Is the word at an address nonzero? A volatile read: another thread may have set it."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        flag = builder.load(builder.inttoptr(args[0], _WORD.as_pointer()))
        flag.volatile = True
        return builder.icmp_signed("!=", flag, _const(0))

    return types.boolean(types.int64), code


@intrinsic
def monotonic_ns(typing_context: TypingContext) -> Typed:
    """The clock of `time.monotonic_ns` by a call of the C library; 0 on systems without clock_gettime."""
    clock = {"linux": 1, "darwin": 6}.get(sys.platform)  # the system's number of CLOCK_MONOTONIC

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        if clock is None:
            return _const(0)
        number = ir.IntType(32)
        slot = cgutils.alloca_once(builder, ir.ArrayType(_WORD, 2))
        seconds, nanoseconds = (builder.gep(slot, [_const(0), _const(i)]) for i in (0, 1))
        kind = ir.FunctionType(number, [number, _WORD.as_pointer()])
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(read, [ir.Constant(number, clock), seconds])
        return builder.add(builder.mul(builder.load(seconds), _const(1_000_000_000)), builder.load(nanoseconds))

    return types.int64(), code


@intrinsic
def float_bits(typing_context: TypingContext, value: NumbaType) -> Typed:
    """The bits of a float, so that it fits into an array of words."""

    def code(context: Context, builder: Builder, signature: Signature, args: Sequence[Value]) -> Value:
        return builder.bitcast(args[0], _WORD)

    return types.int64(types.float64), code
