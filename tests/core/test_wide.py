"""Boards of several words against Python's ints, interpreted and compiled."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from hansu.compile import compiled
from hansu.core import (
    Bits,
    HansuError,
    bit,
    bits_in,
    flat,
    has_bit,
    key,
    lowest,
    next_bit,
    pack,
    popcount,
    random_bit,
    rules,
    shifted,
    unpack,
    wide,
)
from hansu.core.wide import MOST_WORDS, WORD


class Boards(NamedTuple):
    first: Any
    second: Any
    count: int


rules(
    Boards, play=lambda s, a: s, over=lambda s: True, score=lambda s: 0, mover=lambda s: 0, next_action=lambda s, a: -1
)


def both(s: Any) -> Any:
    """Every operator that returns a board."""
    x, y, n = s
    z = x & ~y
    z |= y << 1
    z ^= x >> 1
    z <<= n
    z >>= n
    z -= 1
    z &= x | y
    return x & y, x | y, x ^ y, ~x, x << n, x >> n, x - y, x - n, -x, z, shifted(x, n), shifted(x, -n), bit(x, n)


def queries(s: Any) -> Any:
    """Every function that returns a number or a bool."""
    x, y, n = s
    last, total = -1, 0
    for i in bits_in(x):
        last, total = i, total + i
    yes = 0
    if x:
        yes |= 1
    if not y:
        yes |= 2
    while y:
        y &= y - 1
        yes += 4
    same = x == s.second, x != s.second, not x, bool(x & s.second)
    return popcount(x), lowest(x), next_bit(x, n), has_bit(x, n), last, total, yes, same


def drawn(s: Any, seed: Any) -> int:
    return random_bit(s.first, seed)


def boards(words: int, chance: random.Random) -> Boards:
    """Full, sparse, equal and empty boards, so that every branch is reached."""
    room = words * WORD
    numbers: list[Callable[[], int]] = [
        lambda: chance.getrandbits(room), lambda: chance.getrandbits(room) & chance.getrandbits(room) >> 1,
        lambda: 1 << chance.randrange(room), lambda: (1 << room) - 1, lambda: 0,
        lambda: (1 << chance.randrange(room)) - 1,
    ]  # fmt: skip
    x, y = (wide(room, chance.choice(numbers)()) for _ in range(2))
    return Boards(x, x if chance.random() < 0.1 else y, chance.randrange(room))


@pytest.mark.parametrize("words", range(2, MOST_WORDS + 1))
def test_boards_agree_with_ints(words: int) -> None:
    chance, room = random.Random(words), words * WORD
    full = (1 << room) - 1
    for _ in range(200):
        s = boards(words, chance)
        x, y, n = int(s.first), int(s.second), s.count
        z = ((x & ~y | y << 1 & full) ^ x >> 1) << n & full
        z = (z >> n) - 1 & (x | y)
        expected = (
            x & y, x | y, x ^ y, ~x, x << n, x >> n, x - y, x - n, -x, z, x << n, x >> n, 1 << n,
        )  # fmt: skip
        assert [int(board) for board in both(s)] == [number & full for number in expected]
        cells = [i for i in range(room) if x >> i & 1]
        after = next((i for i in cells if i > n), -1)
        yes = (bool(x) | 2 * (not y)) + 4 * y.bit_count()
        same = x == y, x != y, not x, bool(x & y)
        first, last = (cells[0], cells[-1]) if cells else (-1, -1)
        assert queries(s) == (len(cells), first, after, n in cells, last, sum(cells), yes, same)
        assert flat(s) == (*s.first, *s.second, n) and all(0 <= word < 1 << 63 for word in flat(s))
        assert pickle.loads(pickle.dumps(s)) == s and type(pickle.loads(pickle.dumps(s)).first) is type(s.first)


def round_trip(s: Any, row: Any) -> Any:
    pack(s, row)
    return unpack(s, row)


def keyed(s: Any) -> int:
    return key(s)


@pytest.mark.parametrize("words", [1, 2, *(pytest.param(words, marks=pytest.mark.long) for words in (3, 8))])
def test_compiled_agrees_with_interpreted(words: int) -> None:
    chance = random.Random(words)
    for _ in range(200 if words > 1 else 0):
        s = boards(words, chance)
        assert compiled(both, Boards)(s) == both(s)
        assert all(isinstance(board, Bits) for board in compiled(both, Boards)(s))
    for _ in range(200):
        s = boards(words, chance)
        assert compiled(queries, Boards)(s) == queries(s)
        assert compiled(keyed, Boards)(s) == key(s)
        row = np.zeros(len(flat(s)), np.int64)
        assert compiled(round_trip, Boards)(s, row) == s == unpack(s, row)
        if s.first:
            seed, again = np.array([7]), [7]
            assert compiled(drawn, Boards)(s, seed) == drawn(s, again) and has_bit(s.first, drawn(s, again))


def test_number_of_words() -> None:
    assert wide(63, 5) == 5 and wide(1) == 0
    assert [len(wide(room)) for room in (64, 126, 127, 504)] == [2, 2, 3, 8]
    with pytest.raises(HansuError, match="505"):
        wide(505)


def test_boards_of_one_and_two_words_are_precompiled() -> None:
    """One state class has two types; each is compiled before a clock starts."""
    ready = compiled(keyed, Boards)
    for room in (63, 126):
        ready.precompile(Boards(wide(room, 3), wide(room, 4), 5))
        known = len(ready.dispatcher.signatures)
        ready(Boards(wide(room, 5), wide(room, 6), 7))
        assert len(ready.dispatcher.signatures) == known
