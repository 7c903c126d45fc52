"""Bit operations and small helpers for rules, interpreted and compiled.

Each function is plain Python. `compiled_as` names its counterpart: the intrinsic (one or two machine instructions) that
replaces it in compiled code. A word has 63 bits, because Numba's integers are signed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from hansu.core.types import Array, Board, Function, Int64Array, Seed, State, Words

F = TypeVar("F", bound=Function)

MASK = (1 << 63) - 1


def compiled_as(counterpart: Function | str) -> Callable[[F], F]:
    """Replace a function in compiled code by `counterpart`: a plain function, or `module:name` of an intrinsic."""

    def mark(function: F) -> F:
        function.counterpart = counterpart  # type: ignore[attr-defined]
        return function

    return mark


def in_parallel(function: F) -> F:
    """Distribute the iterations of this function's `prange` loops over Numba's threads (compiled code only).

    Decorate a thin function around the loop; the functions it calls are compiled as usual. Numba's threads spin for a
    moment between calls, so a thousand calls per second cost little. Python threads take ten times as long to wake up.
    """
    function.in_parallel = True  # type: ignore[attr-defined]
    return function


@compiled_as("numba:prange")
def prange(count: int) -> range:
    """`range` for loops whose iterations are independent of each other (see `in_parallel`)."""
    return range(count)


@compiled_as("hansu.compile.intrinsics:popcount")
def popcount(x: Board) -> int:
    """The number of set bits.

    >>> popcount(0b1011)
    3
    """
    return x.bit_count()  # type: ignore[no-any-return]


@compiled_as("hansu.compile.intrinsics:lowest")
def lowest(x: Board) -> int:
    """The index of the lowest set bit, or -1 if there is none.

    >>> lowest(0b1000), lowest(0)
    (3, -1)
    """
    return (x & -x).bit_length() - 1  # type: ignore[no-any-return]


def next_bit(mask: Board, after: int) -> int:
    """The index of the lowest set bit above bit `after`, or -1. Many games' `next_action` is just this.

    >>> next_bit(0b1010, 1), next_bit(0b1010, 3)
    (3, -1)
    """
    distance = lowest(mask >> (after + 1))
    return distance + after + 1 if distance >= 0 else -1


@compiled_as("hansu.compile.intrinsics:prefetch")
def prefetch(array: Array, i: int) -> None:
    """Ask the processor to load element `i` of an array (of its first row) into the cache, and go on."""


@compiled_as("hansu.compile.intrinsics:greatest")
def greatest(numbers: Int64Array, start: int, eights: int) -> int:
    """The index of the greatest of `8 * eights` numbers from index `start` on; the first one where several are equal.

    `numbers` is a contiguous int64[n].
    """
    return start + int(numbers[start : start + 8 * eights].argmax())


@compiled_as("hansu.compile.intrinsics:item")
def item(words: tuple[int, ...], i: int) -> int:
    """`words[i]`. In compiled code this is one load; Numba would branch for every possible index."""
    return words[i]


@compiled_as("hansu.compile.intrinsics:with_item")
def with_item(words: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    """A copy of the tuple with `value` at index `i`.

    >>> with_item((1, 2, 3), 1, 9)
    (1, 9, 3)
    """
    return words[:i] + (value,) + words[i + 1 :]


@compiled_as("hansu.compile.intrinsics:mix")
def mix(s: State) -> int:
    """A 63-bit hash of every int in a (nested) tuple: the default `key`."""
    h = 0
    for leaf in flat(s):
        h = (h ^ leaf) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        h = (h ^ h >> 29) & MASK
    h = (h ^ h >> 32) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF  # brings the high bits of the last word down
    return (h ^ h >> 32) & MASK


@compiled_as("hansu.compile.intrinsics:flat")
def flat(s: State) -> tuple[int, ...]:
    """Every int of a (nested) tuple, in order.

    >>> flat((1, (2, 3), 4))
    (1, 2, 3, 4)
    """
    if isinstance(s, tuple):
        return tuple(leaf for part in s for leaf in flat(part))
    return (int(s),)


@compiled_as("hansu.compile.intrinsics:pack")
def pack(s: State, row: Words) -> None:
    """Write every int of a (nested) tuple into `row`, int64[words]."""
    for i, leaf in enumerate(flat(s)):
        row[i] = leaf


@compiled_as("hansu.compile.intrinsics:unpack")
def unpack(like: State, row: Words) -> State:
    """The inverse of `pack`: a state of the same type as `like` from `row`, int64[words]."""
    return _built(like, iter(row))


def _built(like: Any, words: Iterator[Any]) -> Any:
    if not isinstance(like, tuple):
        return int(next(words))
    parts = [_built(part, words) for part in like]
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)


@compiled_as("hansu.compile.intrinsics:monotonic_ns")
def monotonic_ns() -> int:
    """`time.monotonic_ns` for compiled code, too. Compiled, it is 0 on systems without such a clock."""
    return time.monotonic_ns()


@compiled_as("hansu.compile.intrinsics:lcg_step")
def lcg_step(x: int) -> int:
    """The next state of a linear congruential generator.

    It has a counterpart because Numba assumes that products of ints do not overflow: of two draws in a row, the second
    one lost its mask.
    """
    return (x * 6364136223846793005 + 1442695040888963407) & MASK


def next_random(seed: Seed) -> int:
    """31 random bits. `seed` holds one word, which changes."""
    seed[0] = lcg_step(int(seed[0]))
    return int(seed[0]) >> 32


def pick(seed: Seed, count: int) -> int:
    """A random integer from 0 to `count - 1`."""
    return next_random(seed) * count >> 31


def random_bit(mask: Board, seed: Seed) -> int:
    """The index of a random set bit. Many games' `random_action` is just this."""
    for _ in range(pick(seed, popcount(mask))):
        mask &= mask - 1
    return lowest(mask)
