"""Positions of the standard board for the solver, the book and the UCI data.

A position is two words: `mine`, the mover's stones, and `mask`, all stones. Their sum is a unique *key*: a column of h
stones holds (2^h - 1) + the mover's stones. A position and its mirror image have the same score, so books store the
smaller of their keys.
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
        raise HansuError("this player needs the standard board", "7 columns and 6 rows, the defaults of connect_four")
    return s.mine, s.mine | s.theirs


def mirror(word: int) -> int:
    """The mirror image: columns in reverse order."""
    return (
        (word & 127) << 42 | (word & 127 << 7) << 28 | (word & 127 << 14) << 14 | word & 127 << 21
        | word >> 14 & 127 << 14 | word >> 28 & 127 << 7 | word >> 42 & 127
    )  # fmt: skip


def key_of(mine: int, mask: int) -> int:
    """The key that a position shares with its mirror image."""
    key = mine + mask
    return min(key, mirror(key))


def drop(mask: int, column: int) -> int:
    """The cell where a stone in this column lands, or 0 if the column is full."""
    return (mask + (1 << 7 * column)) & 63 << 7 * column


def wins_now(mine: int, mask: int) -> int:
    """The playable cells that complete four."""
    return winning_cells(mine, 6, (mask + BOTTOM) & BOARD)


def read_columns(text: str) -> tuple[int, int]:
    """(mine, mask) after the moves of a text like `4453`. Raises HansuError if a move is illegal."""
    mine = mask = 0
    columns = re.sub(r"[\s,]", "", text)
    if columns == "start":
        columns = ""
    for number, letter in enumerate(columns, 1):
        if letter not in "1234567":
            raise HansuError(
                "stone {number}: {letter!r} is not a column", "columns are 1 to 7", number=number, letter=letter
            )
        if four(mine ^ mask, 6):
            raise HansuError(
                "stone {number}: the game is already over after {columns}",
                number=number,
                columns=columns[: number - 1],
            )
        cell = drop(mask, int(letter) - 1)
        if not cell:
            raise HansuError("stone {number}: column {column} is full", number=number, column=letter)
        mine, mask = mine ^ mask, mask | cell
    return mine, mask


def positions(stones: int) -> Iterator[tuple[int, int]]:
    """Every unfinished position with this number of stones, one of each mirror pair, in depth-first order with centre
    columns first. Neighbours in this order share large parts of their subtrees."""
    seen = set()
    stack = [(0, 0, 0)]
    while stack:
        mine, mask, placed = stack.pop()
        key = key_of(mine, mask)
        if key in seen:
            continue
        seen.add(key)
        if placed == stones:
            yield mine, mask
            continue
        for column in reversed(CENTRE_FIRST):
            cell = drop(mask, column)
            if cell and not four(mine | cell, 6):
                stack.append((mine ^ mask, mask | cell, placed + 1))
