"""The operators of `wide.Bits` in compiled code, word by word. Importing this module registers them with Numba."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin

from hansu.compile.lowering_types import Builder, Context, NumbaType, Signature, Typed, TypingContext, Value
from hansu.core.bits import MASK
from hansu.core.wide import WORD, Bits

_WORD = ir.IntType(64)
Words: TypeAlias = list[Value]


def _const(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


def is_bits(kind: NumbaType) -> bool:
    return isinstance(kind, types.NamedUniTuple) and issubclass(kind.instance_class, Bits)


def words_of(builder: Builder, kind: NumbaType, value: Value) -> Words:
    """The words of a `Bits`, the lowest first. An int is one word."""
    return [builder.extract_value(value, i) for i in range(kind.count)] if is_bits(kind) else [value]


def _and(builder: Builder, x: Words, y: Words) -> Words:
    return [builder.and_(a, b) for a, b in zip(x, y, strict=True)]


def _or(builder: Builder, x: Words, y: Words) -> Words:
    return [builder.or_(a, b) for a, b in zip(x, y, strict=True)]


def _xor(builder: Builder, x: Words, y: Words) -> Words:
    return [builder.xor(a, b) for a, b in zip(x, y, strict=True)]


def _invert(builder: Builder, x: Words) -> Words:
    return [builder.xor(a, _const(MASK)) for a in x]


def _minus(builder: Builder, x: Words, y: Words) -> Words:
    """Subtraction with borrow: a negative word borrows from the next one."""
    words, borrow = [], _const(0)
    for i, a in enumerate(x):
        word = builder.sub(builder.sub(a, y[i] if i < len(y) else _const(0)), borrow)
        borrow = builder.lshr(word, _const(63))
        words.append(builder.and_(word, _const(MASK)))
    return words


def _negative(builder: Builder, x: Words) -> Words:
    return _minus(builder, [_const(0)] * len(x), x)


def _moved(builder: Builder, x: Words, words: int, up: Value, down: Value) -> Words:
    """Move by whole words (down if negative). Then shift each word up by `up` bits, and shift in its neighbour's bits
    from `down` on."""
    nothing = [_const(0)] * (len(x) + 1)
    padded = [*nothing, *x, *nothing]  # padded[len(nothing) + i] is word i
    pairs = [(padded[i], padded[i - 1]) for i in range(len(nothing) - words, len(nothing) - words + len(x))]
    return [
        builder.and_(builder.or_(builder.shl(own, up), builder.lshr(below, down)), _const(MASK)) for own, below in pairs
    ]


def _shift(left: bool) -> Callable[..., Words]:
    """A shift operator.

    A shift by whole words only renames them, so there is a branch for each number of words. The branch is known at
    compile time if the count is a constant; otherwise it is nearly always the same one.
    """

    def code(builder: Builder, x: Words, counts: Words) -> Words:
        count = counts[0]
        whole = builder.udiv(count, _const(WORD))
        rest = builder.sub(count, builder.mul(whole, _const(WORD)))
        other = builder.sub(_const(WORD), rest)
        end = builder.append_basic_block("shifted")
        none = builder.append_basic_block("beyond")
        branch = builder.switch(whole, none)
        results = [([_const(0)] * len(x), none)]
        for words in range(len(x)):
            block = builder.append_basic_block("words")
            branch.add_case(_const(words), block)
            with builder.goto_block(block):
                moved = _moved(builder, x, words, rest, other) if left else _moved(builder, x, -words - 1, other, rest)
                results.append((moved, builder.block))
                builder.branch(end)
        with builder.goto_block(none):
            builder.branch(end)
        builder.position_at_end(end)
        shifted = []
        for i in range(len(x)):
            phi = builder.phi(_WORD)
            for moved, block in results:
                phi.add_incoming(moved[i], block)
            shifted.append(phi)
        return shifted

    return code


def popcounted(builder: Builder, x: Words) -> Value:
    """The number of set bits."""
    return reduce(builder.add, [builder.ctpop(word) for word in x])


def lowest_of(builder: Builder, x: Words) -> Value:
    """The index of the lowest set bit, or -1."""
    lowest = _const(-1)
    for i, word in reversed(list(enumerate(x))):
        zeros = builder.add(builder.cttz(word, ir.Constant(ir.IntType(1), 0)), _const(WORD * i))
        lowest = builder.select(builder.icmp_signed("==", word, _const(0)), lowest, zeros)
    return lowest


def _operator(functions: tuple[Any, ...], code: Callable[..., Words], second: str = "") -> None:
    """Register an operator and its in-place form. `second`: the second operand may be `bits`, an `int`, or both."""

    class OperatorTemplate(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Sequence[NumbaType], kws: object) -> Signature | None:
            x, *rest = args
            if not is_bits(x):
                return None
            if not rest:
                return signature(x, x)
            if "bits" in second and rest[0] == x:
                return signature(x, x, x)
            return signature(x, x, types.int64) if "int" in second and isinstance(rest[0], types.Integer) else None

    def lower(context: Context, builder: Builder, sig: Signature, args: Sequence[Value]) -> Value:
        operands = [words_of(builder, kind, arg) for kind, arg in zip(sig.args, args, strict=True)]
        return context.make_tuple(builder, sig.return_type, code(builder, *operands))

    kinds = [(kind,) for name, kind in (("bits", types.NamedUniTuple), ("int", types.Integer)) if name in second]
    for function in functions:
        infer_global(function)(type(f"bits_{function.__name__}", (OperatorTemplate,), {"key": function}))
        for second_kind in kinds or ((),):
            lower_builtin(function, types.NamedUniTuple, *second_kind)(lower)


_operator((operator.and_, operator.iand), _and, "bits")
_operator((operator.or_, operator.ior), _or, "bits")
_operator((operator.xor, operator.ixor), _xor, "bits")
_operator((operator.sub, operator.isub), _minus, "bits, int")
_operator((operator.lshift, operator.ilshift), _shift(left=True), "int")
_operator((operator.rshift, operator.irshift), _shift(left=False), "int")
_operator((operator.invert,), _invert)
_operator((operator.neg,), _negative)


@lower_builtin(bool, types.NamedUniTuple)
def truth(context: Context, builder: Builder, sig: Signature, args: Sequence[Value]) -> Value:
    """A `Bits` is true if a bit is set. Other tuples keep Numba's meaning: true if not empty."""
    kind = sig.args[0]
    if not is_bits(kind):
        return context.get_constant(types.boolean, kind.count > 0)
    return builder.icmp_signed("!=", reduce(builder.or_, words_of(builder, kind, args[0])), _const(0))


@infer_global(operator.not_)
class Not(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[NumbaType], kws: object) -> Signature | None:
        return signature(types.boolean, args[0]) if is_bits(args[0]) else None


@lower_builtin(operator.not_, types.NamedUniTuple)
def not_(context: Context, builder: Builder, sig: Signature, args: Sequence[Value]) -> Value:
    return builder.not_(truth(context, builder, sig, args))


@intrinsic
def bit(typing_context: TypingContext, like: NumbaType, i: NumbaType) -> Typed:
    def code(context: Context, builder: Builder, sig: Signature, args: Sequence[Value]) -> Value:
        if not is_bits(like):
            return builder.shl(_const(1), args[1])
        one = [_const(1), *[_const(0)] * (like.count - 1)]
        return context.make_tuple(builder, like, _shift(left=True)(builder, one, [args[1]]))

    return (like if is_bits(like) else types.int64)(like, types.int64), code
