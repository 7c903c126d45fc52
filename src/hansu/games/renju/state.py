"""The states of renju, standard and freestyle gomoku.

Two fields are packed:

    turn    bit 0       the colour to move: 0 black, 1 white
            bit 1       the seat to move: 0 or 1 (after a swap seat 0 has white)
            bits 2-7    the step of an opening rule (`openings.py`), 0 in ordinary play
            bits 8-11   number of fifth moves that black must offer
    setup   bits 0-4    size
            bits 5-6    rule
            bit 7       1: black passes without a legal move; 0: the game is a draw then
            bits 8-10   opening rule
            bits 11-24  65536 / size, rounded up: turns a division by the size into a multiplication
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.games.renju.stones import LARGE, LARGEST_SMALL, SMALL, Words, has, stride

RULES = ("freestyle", "standard", "renju")
FREESTYLE, STANDARD, RENJU = range(3)
OPENINGS = ("free", "rif", "taraguchi10", "soosorv8", "swap2")
BLACK, WHITE = 0, 1
HARMLESS_STONES = 3  # with so few stones on the board no move is forbidden


class Renju(NamedTuple):
    """Any rule and any opening rule, on boards up to 15×15."""

    mine: Words  # 4 words: stones of the colour to move
    theirs: Words
    placed: int  # stones on the board
    turn: int
    setup: int
    offers: Words  # fifth moves that black has offered so far


class LargeRenju(NamedTuple):
    """Boards from 16×16 to 20×20."""

    mine: Words  # 7 words
    theirs: Words
    placed: int
    turn: int
    setup: int
    offers: Words


class Gomoku(NamedTuple):
    """Freestyle and standard up to 15×15 without an opening rule. A separate class, because code for forbidden moves
    and opening steps would slow down every move."""

    mine: Words
    theirs: Words
    placed: int
    turn: int
    setup: int


AnyRenju = Renju | LargeRenju | Gomoku


def empty_board(rule: str, size: int, opening: str, no_move: str) -> AnyRenju:
    """The first state, with black to move."""
    setup = size | RULES.index(rule) << 5 | (no_move == "pass") << 7
    setup |= OPENINGS.index(opening) << 8 | (65535 // size + 1) << 11
    if size > LARGEST_SMALL:
        return LargeRenju(LARGE, LARGE, 0, 0, setup, LARGE)
    if rule != "renju" and opening == "free":
        return Gomoku(SMALL, SMALL, 0, 0, setup)
    return Renju(SMALL, SMALL, 0, 0, setup, SMALL)


def size_of(s: AnyRenju) -> int:
    """Rows and columns of the board."""
    return s.setup & 31


def rule_of(s: AnyRenju) -> int:
    """FREESTYLE, STANDARD or RENJU."""
    return s.setup >> 5 & 3


def colour(s: AnyRenju) -> int:
    """The colour to move: BLACK or WHITE."""
    return s.turn & 1


def mover(s: AnyRenju) -> int:
    """The seat to move."""
    return s.turn >> 1 & 1


def step_of(s: AnyRenju) -> int:
    """The step of the opening rule; 0 in ordinary play."""
    return s.turn >> 2 & 63


def row_of(s: AnyRenju, cell: int) -> int:
    """cell // size, without a division."""
    return cell * (s.setup >> 11) >> 16


def place_of(s: AnyRenju, cell: int) -> int:
    """The bit of a cell in the words of stones (stones.py)."""
    return cell + row_of(s, cell) * (stride(s.mine) - size_of(s))


def vacant(s: AnyRenju, cell: int) -> bool:
    """Is the cell empty?"""
    place = place_of(s, cell)
    return not (has(s.mine, place) or has(s.theirs, place))


def black_of(s: AnyRenju) -> Words:
    """Black's stones."""
    return s.theirs if s.turn & 1 else s.mine


def white_of(s: AnyRenju) -> Words:
    """White's stones."""
    return s.mine if s.turn & 1 else s.theirs


def board(s: AnyRenju) -> Any:
    """int8[size * size]: the stones, 0 empty, 1 black, 2 white."""
    import numpy as np

    size = size_of(s)
    stones = np.zeros(size * size, np.int8)
    for cell in range(size * size):
        place = place_of(s, cell)
        stones[cell] = 1 if has(black_of(s), place) else 2 if has(white_of(s), place) else 0
    return stones
