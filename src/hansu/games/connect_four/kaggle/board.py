"""The board of Kaggle's ConnectX for a player that stands alone: plain Python, made by hansu.

A position is two words, the mover's stones and all stones; seven bits a column, the seventh always empty, so that
shifted lines never run from one column into the next:

     5 12 19 26 33 40 47      row 6 (even)
     4 11 18 25 32 39 46      row 5 (odd)
     ...
     0  7 14 21 28 35 42      row 1 (odd)

Whoever opened the game is X, the other O.
"""

from __future__ import annotations

from typing import Any

SECONDS = 1.6  # of the 2 s that a move may take

BOTTOM = 0b0000001_0000001_0000001_0000001_0000001_0000001_0000001
BOARD = BOTTOM * 0b111111
ODD, EVEN = BOTTOM * 0b010101, BOTTOM * 0b101010
COLUMN = 0b111111
CENTRE_FIRST = sorted(range(49), key=lambda square: abs(square // 7 - 3))


def wins(stones: int) -> int:
    """Squares, taken ones too, where one more stone completes four."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (6, 7, 8):
        right, left = stones << step, stones >> step
        two_right, two_left = right & stones << 2 * step, left & stones >> 2 * step
        found |= two_right & stones << 3 * step | two_right & left | two_left & right | two_left & stones >> 3 * step
    return found & BOARD


def safe_moves(mask: int, threats: int) -> int:
    """Moves that do not lose at once to an opponent who wins on the squares `threats`."""
    moves = mask + BOTTOM & BOARD
    forced = moves & threats
    if forced:
        if forced & forced - 1:
            return 0
        moves = forced
    return moves & ~(threats >> 1)


def column_of(squares: int) -> int:
    return ((squares & -squares).bit_length() - 1) // 7


def stones_shown(observation: Any) -> tuple[int, int]:
    """What Kaggle shows: the board row by row from the top, 1 and 2 for the players, and whose turn it is."""
    mover = mask = 0
    for place, stone in enumerate(observation["board"]):
        square = 1 << place % 7 * 7 + 5 - place // 7
        mask |= square if stone else 0
        mover |= square if stone == observation["mark"] else 0
    return mover, mask


def at_once(mover: int, mask: int) -> int | None:
    """The column that needs no thought: it wins, or every other one loses at once."""
    moves = mask + BOTTOM & BOARD
    if winning := moves & wins(mover):
        return column_of(winning)
    threats = wins(mover ^ mask)
    safe = safe_moves(mask, threats)
    if safe == 0:
        return column_of(moves & threats or moves)
    return column_of(safe) if safe & safe - 1 == 0 else None
