"""A player for Kaggle's ConnectX, exported by hansu: the board in plain Python.

A position is two words, the mover's stones and all stones. A column has seven bits; the seventh is always empty, so
that shifted lines never run into the next column:

     5 12 19 26 33 40 47      row 6 (even)
     4 11 18 25 32 39 46      row 5 (odd)
     ...
     0  7 14 21 28 35 42      row 1 (odd)

X moves first.
"""

from __future__ import annotations

from typing import Any

SECONDS = 1.6  # per move; Kaggle allows 2 s

BOTTOM = 0b0000001_0000001_0000001_0000001_0000001_0000001_0000001
BOARD = BOTTOM * 0b111111
ODD, EVEN = BOTTOM * 0b010101, BOTTOM * 0b101010
COLUMN = 0b111111
CENTRE_FIRST = sorted(range(49), key=lambda square: abs(square // 7 - 3))


def wins(stones: int) -> int:
    """The squares, occupied ones included, where one more stone completes four."""
    squares = stones << 1 & stones << 2 & stones << 3
    for step in (6, 7, 8):
        right, left = stones << step, stones >> step
        two_right, two_left = right & stones << 2 * step, left & stones >> 2 * step
        squares |= two_right & stones << 3 * step | two_right & left | two_left & right | two_left & stones >> 3 * step
    return squares & BOARD


def safe_moves(mask: int, threats: int) -> int:
    """The moves that do not lose at once; the opponent wins on the squares `threats`."""
    moves = mask + BOTTOM & BOARD
    forced = moves & threats
    if forced:
        if forced & forced - 1:
            return 0
        moves = forced
    return moves & ~(threats >> 1)


def column_of(squares: int) -> int:
    return ((squares & -squares).bit_length() - 1) // 7


def read_observation(observation: Any) -> tuple[int, int]:
    """(mover, mask) of Kaggle's observation: the board row by row from the top, 1 and 2 for the players, and the mark
    of the side to move."""
    mover = mask = 0
    for place, stone in enumerate(observation["board"]):
        square = 1 << place % 7 * 7 + 5 - place // 7
        mask |= square if stone else 0
        mover |= square if stone == observation["mark"] else 0
    return mover, mask


def forced_column(mover: int, mask: int) -> int | None:
    """A column that wins, or the only one that does not lose at once."""
    moves = mask + BOTTOM & BOARD
    if winning := moves & wins(mover):
        return column_of(winning)
    threats = wins(mover ^ mask)
    safe = safe_moves(mask, threats)
    if safe == 0:
        return column_of(moves & threats or moves)
    return column_of(safe) if safe & safe - 1 == 0 else None
