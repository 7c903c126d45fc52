"""Lines of four cells that hold so many stones of one side and none of the other: the *twos* and *threes* of the
course's players, counted for all lines of a direction at once.

A line is known by its lowest bit; `stones >> k * d` puts the stone of its cell k there.
"""

from __future__ import annotations

from hansu.core import popcount


def starts(cells: int, d: int) -> int:
    """The lines of direction `d` that lie within the cells given."""
    pairs = cells & cells >> d
    return pairs & pairs >> 2 * d


def lines_through(stones: int, board: int, height: int) -> int:
    """For each stone the number of four-lines of the board through its cell, added up."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        found = starts(board, d)
        total += popcount(stones & found) + popcount(stones & found << d)
        total += popcount(stones & found << 2 * d) + popcount(stones & found << 3 * d)
    return total


def twos(mine: int, theirs: int, board: int, height: int) -> int:
    """Lines with two stones of mine and none of theirs."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        a, b, c, e = mine, mine >> d, mine >> 2 * d, mine >> 3 * d
        two = (a & b & ~c & ~e) | (c & e & ~a & ~b) | ((a ^ b) & (c ^ e))
        total += popcount(two & starts(board & ~theirs, d))
    return total


def threes(mine: int, theirs: int, board: int, height: int) -> int:
    """Lines with three stones of mine and none of theirs."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        a, b, c, e = mine, mine >> d, mine >> 2 * d, mine >> 3 * d
        three = (a & b & (c ^ e)) | (c & e & (a ^ b))
        total += popcount(three & starts(board & ~theirs, d))
    return total


def three_in_a_row(stones: int, cell: int, height: int) -> bool:
    """Is the stone in this cell one of three neighbours in its row?"""
    d = height + 1
    run = stones & stones >> d & stones >> 2 * d
    return (run | run << d | run << 2 * d) & cell != 0


def worth(mine: int, theirs: int, board: int, height: int) -> int:
    """The course's measure of a position for one side: 3 for each three, 1 for each two, -2 for each two of theirs."""
    return (
        3 * threes(mine, theirs, board, height)
        + twos(mine, theirs, board, height)
        - 2 * twos(theirs, mine, board, height)
    )
