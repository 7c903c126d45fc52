"""Bit tricks and small helpers that rules may use, interpreted and compiled alike.

Each function is plain Python, and names a *twin* in `intrinsics` that compiled code gets in its place (one or
two machine instructions). Words have at most 63 bits: Numba's integers are signed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

MASK = (1 << 63) - 1


def compiled_as(twin: Callable[..., Any] | str) -> Callable[[F], F]:
    """In compiled code, use `twin` for this function: another plain function, or `module:name` of an intrinsic."""

    def mark(function: F) -> F:
        function.twin = twin  # type: ignore[attr-defined]
        return function

    return mark


def in_parallel(function: F) -> F:
    """In compiled code, the turns of this function's `prange` loops are shared out among Numba's threads. For a thin
    outer function: what it calls is compiled as ever. (Numba's threads wait by turning in circles for a moment, so
    that a thousand such calls a second cost little; threads of Python take ten times as long to wake.)"""
    function.in_parallel = True  # type: ignore[attr-defined]
    return function


@compiled_as("numba:prange")
def prange(count: int) -> range:
    """`range`, for loops whose turns do not depend on each other (see `in_parallel`)."""
    return range(count)


@compiled_as("hansu.compile.intrinsics:popcount")
def popcount(x: int) -> int:
    """How many bits are set."""
    return x.bit_count()


@compiled_as("hansu.compile.intrinsics:lowest")
def lowest(x: int) -> int:
    """The number of the lowest set bit, or -1 if there is none."""
    return (x & -x).bit_length() - 1


def next_bit(mask: int, after: int) -> int:
    """The number of the lowest set bit above bit `after`, or -1: the body of many a `next_action`."""
    found = lowest(mask >> (after + 1))
    return found + after + 1 if found >= 0 else -1


@compiled_as("hansu.compile.intrinsics:prefetch")
def prefetch(array: Any, i: int) -> None:
    """Element `i` of an array (of its first row) will be read soon: ask the processor for it, and go on."""


@compiled_as("hansu.compile.intrinsics:greatest")
def greatest(numbers: Any, start: int, eights: int) -> int:
    """Where the greatest of eight (or so many eights of) numbers from `start` on lies, int64s side by side; the first
    of equals."""
    return start + int(numbers[start : start + 8 * eights].argmax())


@compiled_as("hansu.compile.intrinsics:item")
def item(words: tuple[int, ...], i: int) -> int:
    """`words[i]`, in compiled code without the chain of branches that Numba makes of a varying index."""
    return words[i]


@compiled_as("hansu.compile.intrinsics:with_item")
def with_item(words: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    """The same tuple with `value` at `i`."""
    return words[:i] + (value,) + words[i + 1 :]


@compiled_as("hansu.compile.intrinsics:mix")
def mix(s: Any) -> int:
    """63 well-mixed bits of every int in a (nested) tuple: the default `key`."""
    h = 0
    for leaf in flat(s):
        h = (h ^ leaf) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        h = (h ^ h >> 29) & MASK
    h = (h ^ h >> 32) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF  # brings the high bits of the last word down
    return (h ^ h >> 32) & MASK


@compiled_as("hansu.compile.intrinsics:flat")
def flat(s: Any) -> tuple[int, ...]:
    """Every int of a (nested) tuple, in order."""
    if isinstance(s, tuple):
        return tuple(leaf for part in s for leaf in flat(part))
    return (int(s),)


@compiled_as("hansu.compile.intrinsics:pack")
def pack(s: Any, row: Any) -> None:
    """Write every int of a (nested) tuple into a row of an int64 array: how states lie in arrays."""
    for i, leaf in enumerate(flat(s)):
        row[i] = leaf


@compiled_as("hansu.compile.intrinsics:unpack")
def unpack(like: Any, row: Any) -> Any:
    """The state with the ints of a row, of the type of `like`."""
    return _built(like, iter(row))


def _built(like: Any, words: Iterator[Any]) -> Any:
    if not isinstance(like, tuple):
        return int(next(words))
    parts = [_built(part, words) for part in like]
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)


@compiled_as("hansu.compile.intrinsics:monotonic_ns")
def monotonic_ns() -> int:
    """`time.monotonic_ns`, which compiled code can read too; 0 there where the system has no such clock."""
    return time.monotonic_ns()


@compiled_as("hansu.compile.intrinsics:scrambled")
def scrambled(x: int) -> int:
    """The next state of a linear congruential generator. (A twin, because Numba takes it that products of ints do not
    overflow: of two draws in a row the second lost its mask.)"""
    return (x * 6364136223846793005 + 1442695040888963407) & MASK


def next_random(seed: Any) -> int:
    """31 random bits; `seed` is an int64 array or list of one word, and moves on."""
    seed[0] = scrambled(int(seed[0]))
    return int(seed[0]) >> 32


def pick(seed: Any, count: int) -> int:
    """A random number below `count`."""
    return next_random(seed) * count >> 31


def random_bit(mask: int, seed: Any) -> int:
    """The number of a set bit drawn by chance: the body of many a `random_action`."""
    for _ in range(pick(seed, popcount(mask))):
        mask &= mask - 1
    return lowest(mask)
