"""Twos and threes: lines of four cells with two or three stones of one side and none of the other.

All lines of a direction `d` (the step between neighbours) are counted at once. A line is identified by its lowest bit;
`stones >> k * d` moves the stone in its cell k there.
"""

from __future__ import annotations

from hansu.core import popcount


def starts(cells: int, d: int) -> int:
    """The lines of direction `d` within the given cells, as their lowest bits."""
    pairs = cells & cells >> d
    return pairs & pairs >> 2 * d


def lines_through(stones: int, board: int, height: int) -> int:
    """The number of lines of four through each stone's cell, summed over all stones."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        lines = starts(board, d)
        total += popcount(stones & lines) + popcount(stones & lines << d)
        total += popcount(stones & lines << 2 * d) + popcount(stones & lines << 3 * d)
    return total


def twos(mine: int, theirs: int, board: int, height: int) -> int:
    """The number of lines with two of my stones and none of theirs."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        a, b, c, e = mine, mine >> d, mine >> 2 * d, mine >> 3 * d
        two = (a & b & ~c & ~e) | (c & e & ~a & ~b) | ((a ^ b) & (c ^ e))
        total += popcount(two & starts(board & ~theirs, d))
    return total


def threes(mine: int, theirs: int, board: int, height: int) -> int:
    """The number of lines with three of my stones and none of theirs."""
    total = 0
    for d in (1, height, height + 1, height + 2):
        a, b, c, e = mine, mine >> d, mine >> 2 * d, mine >> 3 * d
        three = (a & b & (c ^ e)) | (c & e & (a ^ b))
        total += popcount(three & starts(board & ~theirs, d))
    return total


def three_in_a_row(stones: int, cell: int, height: int) -> bool:
    """Is the stone in this cell one of three side by side in a row?"""
    d = height + 1
    run = stones & stones >> d & stones >> 2 * d
    return (run | run << d | run << 2 * d) & cell != 0


def pattern_score(mine: int, theirs: int, board: int, height: int) -> int:
    """The course's score of a position: 3 for each own three, 1 for each own two, -2 for each two of the opponent."""
    return (
        3 * threes(mine, theirs, board, height)
        + twos(mine, theirs, board, height)
        - 2 * twos(theirs, mine, board, height)
    )
