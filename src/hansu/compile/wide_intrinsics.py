"""The operators of `wide.Bits` in compiled code, word by word. Numba finds them by the type, once this is imported."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin

from hansu.core.bits import MASK
from hansu.core.wide import WORD, Bits

_WORD = ir.IntType(64)
Words = list[Any]  # LLVM values


def _const(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


def is_bits(kind: Any) -> bool:
    return isinstance(kind, types.NamedUniTuple) and issubclass(kind.instance_class, Bits)


def words_of(builder: Any, kind: Any, value: Any) -> Words:
    """The words of a `Bits`, the lowest first; an int is one."""
    return [builder.extract_value(value, i) for i in range(kind.count)] if is_bits(kind) else [value]


def _and(builder: Any, x: Words, y: Words) -> Words:
    return [builder.and_(a, b) for a, b in zip(x, y, strict=True)]


def _or(builder: Any, x: Words, y: Words) -> Words:
    return [builder.or_(a, b) for a, b in zip(x, y, strict=True)]


def _xor(builder: Any, x: Words, y: Words) -> Words:
    return [builder.xor(a, b) for a, b in zip(x, y, strict=True)]


def _invert(builder: Any, x: Words) -> Words:
    return [builder.xor(a, _const(MASK)) for a in x]


def _minus(builder: Any, x: Words, y: Words) -> Words:
    """Each word lends to the one below; a word that borrowed is below zero."""
    made, borrowed = [], _const(0)
    for i, a in enumerate(x):
        word = builder.sub(builder.sub(a, y[i] if i < len(y) else _const(0)), borrowed)
        borrowed = builder.lshr(word, _const(63))
        made.append(builder.and_(word, _const(MASK)))
    return made


def _negative(builder: Any, x: Words) -> Words:
    return _minus(builder, [_const(0)] * len(x), x)


def _moved(builder: Any, x: Words, words: int, up: Any, down: Any) -> Words:
    """So many whole words up (or down, where below zero), then each takes `up` bits and gets the rest of `down` from
    its neighbour."""
    nothing = [_const(0)] * (len(x) + 1)
    padded = [*nothing, *x, *nothing]  # padded[len(nothing) + i] is word i
    pairs = [(padded[i], padded[i - 1]) for i in range(len(nothing) - words, len(nothing) - words + len(x))]
    return [
        builder.and_(builder.or_(builder.shl(own, up), builder.lshr(below, down)), _const(MASK)) for own, below in pairs
    ]


def _shift(left: bool) -> Callable[..., Words]:
    """A shift by whole words is a renaming, so there is a branch for each number of them: which one is known where the
    count is a constant, and else nearly always the same."""

    def code(builder: Any, x: Words, count: Any) -> Words:
        count = count[0]
        whole = builder.udiv(count, _const(WORD))
        rest = builder.sub(count, builder.mul(whole, _const(WORD)))
        other = builder.sub(_const(WORD), rest)
        end = builder.append_basic_block("shifted")
        none = builder.append_basic_block("beyond")
        branch = builder.switch(whole, none)
        made = [([_const(0)] * len(x), none)]
        for words in range(len(x)):
            block = builder.append_basic_block("words")
            branch.add_case(_const(words), block)
            with builder.goto_block(block):
                moved = _moved(builder, x, words, rest, other) if left else _moved(builder, x, -words - 1, other, rest)
                made.append((moved, builder.block))
                builder.branch(end)
        with builder.goto_block(none):
            builder.branch(end)
        builder.position_at_end(end)
        found = []
        for i in range(len(x)):
            phi = builder.phi(_WORD)
            for moved, block in made:
                phi.add_incoming(moved[i], block)
            found.append(phi)
        return found

    return code


def popcounted(builder: Any, x: Words) -> Any:
    return reduce(builder.add, [builder.ctpop(word) for word in x])


def lowest_of(builder: Any, x: Words) -> Any:
    found = _const(-1)
    for i, word in reversed(list(enumerate(x))):
        zeros = builder.add(builder.cttz(word, ir.Constant(ir.IntType(1), 0)), _const(WORD * i))
        found = builder.select(builder.icmp_signed("==", word, _const(0)), found, zeros)
    return found


def _operator(words: tuple[Any, ...], code: Callable[..., Words], second: str = "") -> None:
    """Teach Numba an operator and its form in place. `second`: the other operand may be `bits`, an `int`, or both."""

    class Typed(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            x, *rest = args
            if not is_bits(x):
                return None
            if not rest:
                return signature(x, x)
            if "bits" in second and rest[0] == x:
                return signature(x, x, x)
            return signature(x, x, types.int64) if "int" in second and isinstance(rest[0], types.Integer) else None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        operands = [words_of(builder, kind, arg) for kind, arg in zip(sig.args, args, strict=True)]
        return context.make_tuple(builder, sig.return_type, code(builder, *operands))

    kinds = [(kind,) for name, kind in (("bits", types.NamedUniTuple), ("int", types.Integer)) if name in second]
    for word in words:
        infer_global(word)(type(f"bits_{word.__name__}", (Typed,), {"key": word}))
        for more in kinds or ((),):
            lower_builtin(word, types.NamedUniTuple, *more)(lower)


_operator((operator.and_, operator.iand), _and, "bits")
_operator((operator.or_, operator.ior), _or, "bits")
_operator((operator.xor, operator.ixor), _xor, "bits")
_operator((operator.sub, operator.isub), _minus, "bits, int")
_operator((operator.lshift, operator.ilshift), _shift(left=True), "int")
_operator((operator.rshift, operator.irshift), _shift(left=False), "int")
_operator((operator.invert,), _invert)
_operator((operator.neg,), _negative)


@lower_builtin(bool, types.NamedUniTuple)
def truth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """A `Bits` is true where it has a bit; any other tuple where it has an item, as Numba has it."""
    kind = sig.args[0]
    if not is_bits(kind):
        return context.get_constant(types.boolean, kind.count > 0)
    return builder.icmp_signed("!=", reduce(builder.or_, words_of(builder, kind, args[0])), _const(0))


@infer_global(operator.not_)
class Not(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.boolean, args[0]) if is_bits(args[0]) else None


@lower_builtin(operator.not_, types.NamedUniTuple)
def untruth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(truth(context, builder, sig, args))


@intrinsic
def bit(typing_context: Any, like: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not is_bits(like):
            return builder.shl(_const(1), args[1])
        one = [_const(1), *[_const(0)] * (like.count - 1)]
        return context.make_tuple(builder, like, _shift(left=True)(builder, one, [args[1]]))

    return (like if is_bits(like) else types.int64)(like, types.int64), code
