"""Renju, and its relatives without forbidden moves, on boards of 5×5 to 20×20.

A cell is y * size + x, x from 0 at the left, y from 0 at the top. An action below size * size puts a stone on that
cell; size * size is the pass.

    rule        black wins with     white wins with     black may not
    freestyle   five or more        five or more
    standard    exactly five        exactly five
    renju       exactly five        five or more        make an overline, two fours or two threes (`forbidden.py`)

Two packed fields:

    turn    bit 0       the colour to move: 0 black, 1 white
            bit 1       the seat to move: 0 or 1 (after a swap seat 0 has white)
            bits 2..    the step of an opening rule, 0 in ordinary play
    setup   bits 0-4    size
            bits 5-6    rule
            bit 7       black without a legal move passes (else the game is drawn)
            bits 8-10   opening rule
            bits 11-24  65536 / size, rounded up: it makes a division by the size a product
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.core import mix, next_bit, next_random, rules
from hansu.games.renju.chances import chances
from hansu.games.renju.stones import (
    LARGE,
    LARGEST_SMALL,
    SMALL,
    Words,
    exactly_five,
    five_or_more,
    has,
    row,
    stride,
    with_stone,
)

RULES = ("freestyle", "standard", "renju")
FREESTYLE, STANDARD, RENJU = range(3)
OPENINGS = ("free",)
BLACK, WHITE = 0, 1


class Renju(NamedTuple):
    """Boards up to 15×15."""

    mine: Words  # 4 words: stones of the colour to move
    theirs: Words
    placed: int  # stones on the board
    turn: int
    setup: int
    offers: Words  # fifth moves that black has offered so far


class LargeRenju(NamedTuple):
    """Boards from 16×16 to 20×20: a class of its own, because more words make every move slower."""

    mine: Words  # 7 words
    theirs: Words
    placed: int
    turn: int
    setup: int
    offers: Words


AnyRenju = Renju | LargeRenju


def start(rule: str = "renju", size: int = 15, opening: str = "free", no_move: str = "draw") -> AnyRenju:
    """The empty board."""
    setup = size | RULES.index(rule) << 5 | (no_move == "pass") << 7
    setup |= OPENINGS.index(opening) << 8 | (65535 // size + 1) << 11
    if size <= LARGEST_SMALL:
        return Renju(SMALL, SMALL, 0, 0, setup, SMALL)
    return LargeRenju(LARGE, LARGE, 0, 0, setup, LARGE)


def size_of(s: AnyRenju) -> int:
    return s.setup & 31


def rule_of(s: AnyRenju) -> int:
    return s.setup >> 5 & 3


def place_of(s: AnyRenju, cell: int) -> int:
    """The bit that stands for a cell."""
    y = cell * (s.setup >> 11) >> 16
    return cell + y * (stride(s.mine) - (s.setup & 31))


def black_of(s: AnyRenju) -> Words:
    return s.theirs if s.turn & 1 else s.mine


def white_of(s: AnyRenju) -> Words:
    return s.mine if s.turn & 1 else s.theirs


def five(s: AnyRenju) -> bool:
    """Has the colour that moved last won?"""
    if not five_or_more(s.theirs):
        return False
    rule = rule_of(s)
    if rule == STANDARD or (rule == RENJU and s.turn & 1 == WHITE):
        return exactly_five(s.theirs)
    return True


def over(s: AnyRenju) -> bool:
    return s.placed > 8 and (s.placed == size_of(s) * size_of(s) or five(s))


def score(s: AnyRenju) -> int:
    if not five(s):
        return 0
    return 1 if mover(s) else -1


def mover(s: AnyRenju) -> int:
    return s.turn >> 1 & 1


def evaluate(s: AnyRenju) -> float:
    """What can still become five, for the mover more than for the other: it is his turn."""
    value = chances(s.mine, s.theirs, size_of(s)) - 0.8 * chances(s.theirs, s.mine, size_of(s))
    value = value / (abs(value) + 200.0)
    return -value if mover(s) else value


def legal(s: AnyRenju, a: int) -> bool:
    if a < 0 or a >= size_of(s) * size_of(s):
        return False
    place = place_of(s, a)
    return not (has(s.mine, place) or has(s.theirs, place))


def next_action(s: AnyRenju, after: int) -> int:
    """Empty cells row by row."""
    size = size_of(s)
    y = (after + 1) * (s.setup >> 11) >> 16
    x = after - y * size  # -1 at the start of a row
    while y < size:
        x = next_bit(((1 << size) - 1) & ~(row(s.mine, y) | row(s.theirs, y)), x)
        if x >= 0:
            return y * size + x
        y += 1
    return -1


def random_cell(s: AnyRenju, seed: Any) -> int:
    """Any cell, taken or not."""
    size = size_of(s)
    drawn = next_random(seed) * size  # y in the upper bits; what is left over makes x
    return (drawn >> 31) * size + ((drawn & 0x7FFFFFFF) * size >> 31)


def random_action(s: AnyRenju, seed: Any) -> int:
    """Draws cells until one is legal."""
    while True:
        a = random_cell(s, seed)
        if legal(s, a):
            return a


def key(s: AnyRenju) -> int:
    return mix((s.mine, s.theirs, s.turn, s.offers))


def play(s: Renju, a: int) -> Renju:
    return Renju(s.theirs, with_stone(s.mine, place_of(s, a)), s.placed + 1, s.turn ^ 3, s.setup, s.offers)


def play_large(s: LargeRenju, a: int) -> LargeRenju:
    return LargeRenju(s.theirs, with_stone(s.mine, place_of(s, a)), s.placed + 1, s.turn ^ 3, s.setup, s.offers)


# The board's symmetries. Number k mirrors x if k & 1, then y if k & 2, then swaps x and y if k & 4. A swap does not
# commute with the mirrors, so 5 and 6 undo each other; every other symmetry undoes itself.

SYMMETRIES = 8


def turned_cell(cell: int, size: int, k: int) -> int:
    x, y = cell % size, cell // size
    if k & 1:
        x = size - 1 - x
    if k & 2:
        y = size - 1 - y
    return x * size + y if k & 4 else y * size + x


def turned(s: AnyRenju, words: Words, nothing: Words, k: int) -> Words:
    made = nothing
    for cell in range(size_of(s) * size_of(s)):
        if has(words, place_of(s, cell)):
            made = with_stone(made, place_of(s, turned_cell(cell, size_of(s), k)))
    return made


def symmetric(s: Renju, k: int) -> Renju:
    mine, theirs = turned(s, s.mine, SMALL, k), turned(s, s.theirs, SMALL, k)
    return Renju(mine, theirs, s.placed, s.turn, s.setup, turned(s, s.offers, SMALL, k))


def symmetric_large(s: LargeRenju, k: int) -> LargeRenju:
    mine, theirs = turned(s, s.mine, LARGE, k), turned(s, s.theirs, LARGE, k)
    return LargeRenju(mine, theirs, s.placed, s.turn, s.setup, turned(s, s.offers, LARGE, k))


def symmetric_action(s: AnyRenju, a: int, k: int) -> int:
    size = size_of(s)
    return turned_cell(a, size, k) if a < size * size else a


PLANES = 4


def planes(s: AnyRenju, out: Any) -> None:
    """out[0] the mover's stones, out[1] the other's, out[2] empty cells, out[3] all ones where black is to move, as
    [y, x]. A board that is smaller than `out` lies in its upper left corner, zeros around it."""
    size = size_of(s)
    for y in range(out.shape[1]):
        for x in range(out.shape[2]):
            inside = y < size and x < size
            mine = inside and row(s.mine, y) >> x & 1 == 1
            theirs = inside and row(s.theirs, y) >> x & 1 == 1
            out[0, y, x] = mine
            out[1, y, x] = theirs
            out[2, y, x] = inside and not mine and not theirs
            out[3, y, x] = s.turn & 1 == BLACK


def action_count(s: AnyRenju) -> int:
    return size_of(s) * size_of(s) + 1


SHARED: dict[str, Any] = {
    word.__name__: word
    for word in (
        legal, next_action, over, score, mover, evaluate, key, random_action, symmetric_action, planes, action_count,
    )
}  # fmt: skip
rules(Renju, play=play, symmetric=symmetric, **SHARED)
rules(LargeRenju, play=play_large, symmetric=symmetric_large, **SHARED)


def board(s: AnyRenju) -> Any:
    """The stones as a flat int8 array: 0 empty, 1 black, 2 white."""
    import numpy as np

    size = size_of(s)
    made = np.zeros(size * size, np.int8)
    for cell in range(size * size):
        place = place_of(s, cell)
        made[cell] = 1 if has(black_of(s), place) else 2 if has(white_of(s), place) else 0
    return made
