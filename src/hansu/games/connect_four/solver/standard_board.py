"""Positions of the standard board as the solver, the book and the data know them.

A position is two words: `mine`, the mover's stones, and `mask`, all stones. Their sum is a *key* that tells every
position apart: in each column of h stones it holds (2^h - 1) + the mover's stones. A position and its mirror image
are worth the same, so books keep the smaller key of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hansu.core import HansuError
from hansu.games.connect_four.rules import STANDARD, ConnectFour, four, is_standard, winning_cells

BOTTOM = STANDARD.bottom
BOARD = BOTTOM * 63
CELLS = 42
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)


def stones_of(s: ConnectFour) -> tuple[int, int]:
    """(mine, mask) of a state on the standard board."""
    if not is_standard(s):
        raise HansuError("this player knows the standard board only", "7 columns of 6 rows; see connect_four's options")
    return s.mine, s.mine | s.theirs


def mirror(word: int) -> int:
    """The columns the other way round."""
    return (
        (word & 127) << 42 | (word & 127 << 7) << 28 | (word & 127 << 14) << 14 | word & 127 << 21
        | word >> 14 & 127 << 14 | word >> 28 & 127 << 7 | word >> 42 & 127
    )  # fmt: skip


def key_of(mine: int, mask: int) -> int:
    """The same for a position and its mirror image."""
    key = mine + mask
    return min(key, mirror(key))


def drop(mask: int, column: int) -> int:
    """The cell where a stone in this column comes to lie, or 0 where it is full."""
    return (mask + (1 << 7 * column)) & 63 << 7 * column


def wins_now(mine: int, mask: int) -> int:
    """The cells that complete four by one drop now."""
    return winning_cells(mine, 6, (mask + BOTTOM) & BOARD)


def read_columns(text: str) -> tuple[int, int]:
    """(mine, mask) after the columns of a text such as `4453`; raises with what is wrong."""
    mine = mask = 0
    columns = re.sub(r"[\s,]", "", text)
    if columns == "start":
        columns = ""
    for number, letter in enumerate(columns, 1):
        if letter not in "1234567":
            raise HansuError(f"stone {number}: {letter!r} is no column", "columns are 1 to 7")
        if four(mine ^ mask, 6):
            raise HansuError(f"stone {number}: the game is over already after {columns[: number - 1]}")
        cell = drop(mask, int(letter) - 1)
        if not cell:
            raise HansuError(f"stone {number}: column {letter} is full")
        mine, mask = mine ^ mask, mask | cell
    return mine, mask


def positions(stones: int) -> Iterator[tuple[int, int]]:
    """Every unfinished position of so many stones, one of each mirror pair: the one met first when lines are played out
    depth first, centre columns first. Neighbours in this order share much of what is below them."""
    met = set()
    waiting = [(0, 0, 0)]
    while waiting:
        mine, mask, placed = waiting.pop()
        key = key_of(mine, mask)
        if key in met:
            continue
        met.add(key)
        if placed == stones:
            yield mine, mask
            continue
        for column in reversed(CENTRE_FIRST):
            cell = drop(mask, column)
            if cell and not four(mine | cell, 6):
                waiting.append((mine ^ mask, mask | cell, placed + 1))
