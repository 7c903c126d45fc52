"""The compiled twins of `bits` and `tables`: a few LLVM instructions each. Imported only when something is compiled."""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hansu.compile.columns import APART
from hansu.compile.wide_intrinsics import is_bits, lowest_of, popcounted, words_of

_WORD = ir.IntType(64)


def _const(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


@intrinsic
def popcount(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return popcounted(builder, words_of(builder, signature.args[0], args[0]))

    return types.int64(x if is_bits(x) else types.int64), code


@intrinsic
def lowest(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return lowest_of(builder, words_of(builder, signature.args[0], args[0]))

    return types.int64(x if is_bits(x) else types.int64), code


def _in_memory(builder: Any, words: Any) -> Any:
    """The tuple in a stack slot, so that a varying index is one load instead of a branch for every element."""
    slot = cgutils.alloca_once(builder, words.type)
    builder.store(words, slot)
    return slot


@intrinsic
def item(typing_context: Any, words: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        slot = _in_memory(builder, args[0])
        return builder.load(builder.gep(slot, [_const(0), args[1]]))

    if not isinstance(words, types.UniTuple):
        return None
    return words.dtype(words, types.int64), code


@intrinsic
def with_item(typing_context: Any, words: Any, i: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        slot = _in_memory(builder, args[0])
        builder.store(args[2], builder.gep(slot, [_const(0), args[1]]))
        return builder.load(slot)

    if not isinstance(words, types.UniTuple):
        return None
    return words(words, types.int64, words.dtype), code


def _leaves(context: Any, builder: Any, value: Any, kind: Any) -> list[Any]:
    """Every int of a nested tuple, as LLVM values."""
    if isinstance(kind, types.BaseTuple):
        parts = [(builder.extract_value(value, i), part) for i, part in enumerate(kind)]
        return [leaf for part_value, part in parts for leaf in _leaves(context, builder, part_value, part)]
    return [context.cast(builder, value, kind, types.int64)]


def _count(kind: Any) -> int:
    return sum(_count(part) for part in kind) if isinstance(kind, types.BaseTuple) else 1


@intrinsic
def flat(typing_context: Any, s: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        leaves = _leaves(context, builder, args[0], signature.args[0])
        return context.make_tuple(builder, signature.return_type, leaves)

    return types.UniTuple(types.int64, _count(s))(s), code


def _places(context: Any, builder: Any, kind: Any, row: Any, count: int) -> list[Any]:
    """Pointers to the first words of a one-dimensional array of int64."""
    array = context.make_array(kind)(context, builder, row)
    step = _const(8) if kind.layout == "C" else builder.extract_value(array.strides, 0)
    start = builder.ptrtoint(array.data, _WORD)
    return [
        builder.inttoptr(builder.add(start, builder.mul(step, _const(i))), _WORD.as_pointer()) for i in range(count)
    ]


def _is_row(kind: Any) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.dtype == types.int64


@intrinsic
def pack(typing_context: Any, s: Any, row: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        leaves = _leaves(context, builder, args[0], signature.args[0])
        for leaf, place in zip(leaves, _places(context, builder, signature.args[1], args[1], len(leaves)), strict=True):
            builder.store(leaf, place)
        return context.get_dummy_value()

    return (types.void(s, row), code) if _is_row(row) else None


@intrinsic
def unpack(typing_context: Any, pattern: Any, row: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = iter(_places(context, builder, signature.args[1], args[1], _count(pattern)))

        def built(kind: Any) -> Any:
            if not isinstance(kind, types.BaseTuple):
                return context.cast(builder, builder.load(next(words)), types.int64, kind)
            made = context.get_constant_undef(kind)
            for i, part in enumerate(kind):
                made = builder.insert_value(made, built(part), i)
            return made

        return built(pattern)

    return (pattern(pattern, row), code) if _is_row(row) else None


@intrinsic
def mix(typing_context: Any, s: Any) -> Any:
    """Must give what `bits.mix` gives: the same steps on every leaf, in order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        h = _const(0)
        for leaf in _leaves(context, builder, args[0], signature.args[0]):
            h = builder.mul(builder.xor(h, leaf), _const(0x9E3779B97F4A7C15))
            h = builder.xor(h, builder.lshr(h, _const(29)))
            h = builder.and_(h, _const((1 << 63) - 1))
        h = builder.mul(builder.xor(h, builder.lshr(h, _const(32))), _const(0x9E3779B97F4A7C15))
        return builder.and_(builder.xor(h, builder.lshr(h, _const(32))), _const((1 << 63) - 1))

    return types.int64(s), code


@intrinsic
def scrambled(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        grown = builder.add(builder.mul(args[0], _const(6364136223846793005)), _const(1442695040888963407))
        return builder.and_(grown, _const((1 << 63) - 1))

    return types.int64(types.int64), code


@intrinsic
def like(typing_context: Any, pattern: Any, value: Any) -> Any:
    """`value` with every leaf turned into the type it has in `pattern` (a rule may build a field from a bool)."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def convert(value: Any, kind: Any, wanted: Any) -> Any:
            if not isinstance(wanted, types.BaseTuple):
                return context.cast(builder, value, kind, wanted)
            made = context.get_constant_undef(wanted)
            for i, (part, part_wanted) in enumerate(zip(kind, wanted, strict=True)):
                made = builder.insert_value(made, convert(builder.extract_value(value, i), part, part_wanted), i)
            return made

        return convert(args[1], signature.args[1], signature.return_type)

    return pattern(pattern, value), code


@intrinsic
def table(typing_context: Any, handle: Any) -> Any:
    """The words at an address, as an array without a reference count (its owner is the Game; see `tables`)."""
    array_type = types.Array(types.int64, 1, "C", readonly=True)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        length = builder.load(builder.gep(data, [_const(-1)]))
        made = context.make_array(array_type)(context, builder)
        context.populate_array(
            made,
            data=data,
            shape=cgutils.pack_array(builder, [length]),
            strides=cgutils.pack_array(builder, [_const(8)]),
            itemsize=_const(8),
            meminfo=None,
        )
        return made._getvalue()

    return array_type(types.int64), code


def _place(context: Any, builder: Any, kind: Any, columns: Any, column: Any, i: Any) -> Any:
    """A pointer to number `i` of an array whose address is a word of the row `columns`. The column is a constant, so
    that only the load and one sum are left of this."""
    words = builder.inttoptr(columns, _WORD.as_pointer())
    start = builder.load(builder.gep(words, [builder.and_(column, _const(APART - 1))]))
    place = builder.shl(i, builder.lshr(column, _const(APART.bit_length() - 1)))
    return builder.gep(builder.inttoptr(start, context.get_data_type(kind).as_pointer()), [place])


def _reading(kind: Any, given: Any) -> Any:
    @intrinsic
    def read(typing_context: Any, columns: Any, column: Any, i: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.cast(builder, builder.load(_place(context, builder, kind, *args)), kind, given)

        return given(types.int64, types.int64, types.int64), code

    return read


def _writing(kind: Any, given: Any) -> Any:
    @intrinsic
    def write(typing_context: Any, columns: Any, column: Any, i: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _place(context, builder, kind, *args[:3])
            builder.store(context.cast(builder, args[3], given, kind), place)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, given), code

    return write


whole, real, double = (
    _reading(kind, given)
    for kind, given in (
        (types.int32, types.int64), (types.float32, types.float64), (types.float64, types.float64),
    )
)  # fmt: skip
set_whole, set_real = _writing(types.int32, types.int64), _writing(types.float32, types.float64)


def ask_for(builder: Any, place: Any, to_write: bool) -> None:
    """Ask the processor for the line of memory of a place, and go on."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    values = (int(to_write), 3, 1)  # to keep, data
    builder.call(call, [builder.bitcast(place, byte), *(ir.Constant(number, value) for value in values)])


@intrinsic
def prefetch(typing_context: Any, array: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        ask_for(builder, builder.gep(data, [args[1]]), False)
        return context.get_dummy_value()

    return types.void(array, types.int64), code


@intrinsic
def greatest(typing_context: Any, numbers: Any, start: Any, eights: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row, number = ir.VectorType(_WORD, 8), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data

        def all_of(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(row, None), value, ir.Constant(number, 0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(number, 8), None))

        def one_of(values: Any, kind: str) -> Any:
            function = ir.FunctionType(_WORD, [row])
            name = f"llvm.vector.reduce.{kind}.v8i64"
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [values])

        def eight_at(i: Any) -> Any:
            seen = builder.load(builder.bitcast(builder.gep(data, [i]), row.as_pointer()))
            seen.align = 8
            return seen

        places = builder.add(all_of(args[1]), ir.Constant(row, [_const(i) for i in range(8)]))
        end = builder.add(args[1], builder.shl(args[2], _const(3)))
        best, before = eight_at(args[1]), builder.block
        loop = builder.append_basic_block("loop")
        builder.branch(loop)
        builder.position_at_end(loop)
        i, tops, wheres, heres = builder.phi(_WORD), builder.phi(row), builder.phi(row), builder.phi(row)
        seen = eight_at(i)
        better = builder.icmp_signed(">", seen, tops)
        new_tops, new_wheres = builder.select(better, seen, tops), builder.select(better, heres, wheres)
        new_i, new_heres = builder.add(i, _const(8)), builder.add(heres, all_of(_const(8)))
        for phi, first, later in (
            (i, args[1], new_i), (tops, best, new_tops), (wheres, places, new_wheres), (heres, places, new_heres)
        ):  # fmt: skip
            phi.add_incoming(first, before)
            phi.add_incoming(later, loop)
        after = builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed("<", new_i, end), loop, after)
        builder.position_at_end(after)
        top = builder.icmp_signed("==", new_tops, all_of(one_of(new_tops, "smax")))
        return one_of(builder.select(top, new_wheres, all_of(_const((1 << 63) - 1))), "smin")

    return types.int64(numbers, types.int64, types.int64), code


@intrinsic
def fetch(typing_context: Any, columns: Any, column: Any, i: Any) -> Any:
    """Ask the processor for the line of memory of number `i` of a column, and go on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ask_for(builder, _place(context, builder, types.int32, *args), True)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), code


@intrinsic
def words_at(typing_context: Any, address: Any, length: Any) -> Any:
    """So many words at an address, as an array without a reference count."""
    array_type = types.Array(types.int64, 1, "C")

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = context.make_array(array_type)(context, builder)
        context.populate_array(
            made,
            data=builder.inttoptr(args[0], _WORD.as_pointer()),
            shape=cgutils.pack_array(builder, [args[1]]),
            strides=cgutils.pack_array(builder, [_const(8)]),
            itemsize=_const(8),
            meminfo=None,
        )
        return made._getvalue()

    return array_type(types.int64, types.int64), code


@intrinsic
def word(typing_context: Any, address: Any, i: Any) -> Any:
    """Word `i` of the array of int64 at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        return builder.load(builder.gep(data, [args[1]]))

    return types.int64(types.int64, types.int64), code


@intrinsic
def set_word(typing_context: Any, address: Any, i: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = builder.inttoptr(args[0], _WORD.as_pointer())
        builder.store(args[2], builder.gep(data, [args[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), code


@intrinsic
def raised(typing_context: Any, address: Any) -> Any:
    """Is the word at an address set? Read afresh each time: another thread may have done it."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        flag = builder.load(builder.inttoptr(args[0], _WORD.as_pointer()))
        flag.volatile = True
        return builder.icmp_signed("!=", flag, _const(0))

    return types.boolean(types.int64), code


@intrinsic
def monotonic_ns(typing_context: Any) -> Any:
    """The clock of `time.monotonic_ns`, by a call into the C library; 0 on systems without clock_gettime."""
    clock = {"linux": 1, "darwin": 6}.get(sys.platform)  # CLOCK_MONOTONIC, as each system numbers it

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if clock is None:
            return _const(0)
        number = ir.IntType(32)
        slot = cgutils.alloca_once(builder, ir.ArrayType(_WORD, 2))
        seconds, rest = (builder.gep(slot, [_const(0), _const(i)]) for i in (0, 1))
        kind = ir.FunctionType(number, [number, _WORD.as_pointer()])
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(read, [ir.Constant(number, clock), seconds])
        return builder.add(builder.mul(builder.load(seconds), _const(1_000_000_000)), builder.load(rest))

    return types.int64(), code


@intrinsic
def float_bits(typing_context: Any, value: Any) -> Any:
    """The bits of a float, so that it can lie in an array of words."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], _WORD)

    return types.int64(types.float64), code
