"""The rules of Connect Four on bitboards.

A column has one bit more than it has rows. The top bit is always empty, so that shifted lines never run into the next
column. The standard board has 7 bits per column:

     6 13 20 27 34 41 48      always empty
    ---------------------
     5 12 19 26 33 40 47      row 6
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      row 1
     1  2  3  4  5  6  7      columns in moves; the action is one less

Adding `bottom` (the lowest bit of each column) to all stones sets a bit in the next free cell of each column, as in the
solvers of John Tromp and Pascal Pons.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hansu.core import HansuError, pick, popcount, rules

MOST_BITS = 62


class ConnectFour(NamedTuple):
    mine: int  # the mover's stones
    theirs: int
    bottom: int  # the lowest cell of each column
    height: int  # rows
    barred: int  # a cell where the first stone of the game may not go, or 0


def four(stones: int, height: int) -> bool:
    """Are there four in a line? Checks columns, both diagonals and rows."""
    pairs = stones & stones >> 1
    fours = pairs & pairs >> 2
    pairs = stones & stones >> height
    fours |= pairs & pairs >> 2 * height
    pairs = stones & stones >> height + 1
    fours |= pairs & pairs >> 2 * height + 2
    pairs = stones & stones >> height + 2
    fours |= pairs & pairs >> 2 * height + 4
    return fours != 0


def board_of(s: ConnectFour) -> int:
    """All cells."""
    return s.bottom * ((1 << s.height) - 1)


def playable(s: ConnectFour) -> int:
    """The cells where a stone can land now."""
    stones = s.mine | s.theirs
    cells = (stones + s.bottom) & board_of(s)
    return cells & ~s.barred if stones == 0 else cells


def column_of(s: ConnectFour, a: int) -> int:
    """The cells of the column of action `a`."""
    return ((1 << s.height) - 1) << a * (s.height + 1)


def legal(s: ConnectFour, a: int) -> bool:
    return a >= 0 and a * (s.height + 1) < MOST_BITS and playable(s) & column_of(s, a) != 0


def next_action(s: ConnectFour, after: int) -> int:
    cells = playable(s)
    a = after + 1
    while a * (s.height + 1) < MOST_BITS:
        if cells & column_of(s, a):
            return a
        a += 1
    return -1


def action_count(s: ConnectFour) -> int:
    return popcount(s.bottom)


def random_action(s: ConnectFour, seed: Any) -> int:
    """Draws columns until one is free; in most positions nearly all are."""
    width = popcount(s.bottom)
    cells = playable(s)
    while True:
        a = pick(seed, width)
        if cells & column_of(s, a):
            return a


def play(s: ConnectFour, a: int) -> ConnectFour:
    stones = s.mine | s.theirs
    cell = (stones + s.bottom) & column_of(s, a)
    return ConnectFour(s.theirs, s.mine | cell, s.bottom, s.height, s.barred)


def over(s: ConnectFour) -> bool:
    return four(s.theirs, s.height) or (s.mine | s.theirs) == board_of(s)


def mover(s: ConnectFour) -> int:
    return popcount(s.mine | s.theirs) & 1


def score(s: ConnectFour) -> int:
    if not four(s.theirs, s.height):
        return 0
    return 1 if mover(s) == 1 else -1


def lines(stones: int, height: int) -> int:
    """The number of lines of four within the given cells."""
    count = 0
    for d in (1, height, height + 1, height + 2):
        pairs = stones & stones >> d
        count += popcount(pairs & pairs >> 2 * d)
    return count


def along(stones: int, d: int) -> int:
    """The cells that complete four with three stones in direction `d`."""
    right = stones << d & stones << 2 * d
    left = stones >> d & stones >> 2 * d
    return right & (stones << 3 * d | stones >> d) | left & (stones << d | stones >> 3 * d)


def winning_cells(stones: int, height: int, board: int) -> int:
    """All cells, free or not, that complete four."""
    up = stones << 1 & stones << 2 & stones << 3
    return (up | along(stones, height) | along(stones, height + 1) | along(stones, height + 2)) & board


def evaluate(s: ConnectFour) -> float:
    """For general searches: 1 for each line that is still open to a side and 4 for each free cell that wins, in
    thousandths of a won game."""
    x, o = (s.mine, s.theirs) if mover(s) == 0 else (s.theirs, s.mine)
    board = board_of(s)
    free = board & ~(x | o)
    threats = popcount(winning_cells(x, s.height, free)) - popcount(winning_cells(o, s.height, free))
    return (lines(x | free, s.height) - lines(o | free, s.height) + 4 * threats) / 1000


def mirrored(stones: int, s: ConnectFour) -> int:
    """The mirror image: columns in reverse order."""
    width, image = popcount(s.bottom), 0
    for a in range(width):
        image |= (stones >> a * (s.height + 1) & (1 << s.height) - 1) << (width - 1 - a) * (s.height + 1)
    return image


def symmetric(s: ConnectFour, k: int) -> ConnectFour:
    if k == 0:
        return s
    return ConnectFour(mirrored(s.mine, s), mirrored(s.theirs, s), s.bottom, s.height, s.barred)


def symmetric_action(s: ConnectFour, a: int, k: int) -> int:
    return a if k == 0 else popcount(s.bottom) - 1 - a


def planes(s: ConnectFour, out: Any) -> None:
    """Fills out[2, rows, columns] with the mover's stones and the opponent's, rows from the bottom. Cells outside the
    board are 0."""
    width = popcount(s.bottom)
    for row in range(out.shape[1]):
        for column in range(out.shape[2]):
            cell = 0
            if row < s.height and column < width:
                cell = 1 << column * (s.height + 1) + row
            out[0, row, column] = 1 if s.mine & cell else 0
            out[1, row, column] = 1 if s.theirs & cell else 0


rules(
    ConnectFour, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=action_count,
)  # fmt: skip


def start(width: int = 7, height: int = 6, no_centre: bool = False) -> ConnectFour:
    if (height + 1) * width > MOST_BITS:
        raise HansuError(
            "connect_four: {width} columns of {height} rows need {bits} bits",
            "width * (height + 1) is at most {most}",
            width=width,
            height=height,
            bits=(height + 1) * width,
            most=MOST_BITS,
        )
    if no_centre and width % 2 == 0:
        raise HansuError("connect_four: {width} columns have no centre", "no_centre needs an odd width", width=width)
    bottom = sum(1 << (height + 1) * column for column in range(width))
    return ConnectFour(0, 0, bottom, height, 1 << (height + 1) * (width // 2) if no_centre else 0)


def move_text(s: ConnectFour, a: int) -> str:
    return str(a + 1)


def split_moves(text: str) -> list[str]:
    """`4453` is a stone in each of these columns. Columns separated by spaces or commas may have two digits."""
    words = [word for word in re.split(r"[\s,]+", text) if word]
    return list(words[0]) if len(words) == 1 else words


def is_standard(s: ConnectFour) -> bool:
    """Is the board 7 columns by 6 rows, the board of the solver, the book and the UCI data?"""
    return s.height == 6 and s.bottom == STANDARD.bottom


STANDARD = start()
