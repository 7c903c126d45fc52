"""Input features for networks: 26 planes of the board, float32[n, 26, size, size], rows from the top.

    0        stones of the mover                    1        stones of the opponent
    2 - 5    the mover's liberties on each line: right, down, down right, down left
    6 - 9    the opponent's liberties
    10 - 13  cells where the mover makes a five, a straight four, a four, a three
    14 - 17  cells where the opponent makes them
    18 - 20  points forbidden for black: overline, double four, double three (with the rule renju)
    21 - 24  the last four moves, the latest first
    25       ones if black is to move

A *liberty* of a cell on a line is a five that is still possible through the cell: five cells of the line, the cell
among them, without an enemy stone. If only exactly five wins, the cells next to their ends must not hold an own stone.
The plane has the number of liberties (0 to 5) divided by 5; it is 0 for a cell with an enemy stone.

A stone on an empty cell *makes* the largest of these shapes on a line:

    five            a row of five (exactly five, if only that wins) that contains the stone
    straight four   an unbroken four that contains the stone and becomes a five at either end
    four            four stones of a possible five, the new one among them
    three           one more stone on the line makes a straight four that contains both

Shapes ignore forbidden moves. Planes 18 to 20 show these exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import popcount
from hansu.games.renju.forbidden import DOUBLE_FOUR, DOUBLE_THREE, FIVE, OVERLINE, judge_large, judge_small
from hansu.games.renju.state import RENJU, RULES, STANDARD
from hansu.games.renju.stones import LARGEST_SMALL

LAST = 4
NAMES = (
    "own", "other", *(f"{side} liberties {line}" for side in ("own", "other") for line in ("-", "|", "\\", "/")),
    *(f"{side} makes {what}" for side in ("own", "other") for what in ("five", "straight four", "four", "three")),
    "overline", "double four", "double three", *(f"last {n}" for n in range(1, LAST + 1)), "black to move",
)  # fmt: skip
PLANES = len(NAMES)
LIBERTIES, MAKES, FORBIDDEN_PLANES, LAST_PLANES, BLACK_TO_MOVE = 2, 10, 18, 21, 25
MAKES_FIVE, MAKES_STRAIGHT_FOUR, MAKES_FOUR, MAKES_THREE, MAKES_NOTHING = range(5)

# A lane is the line around a cell: bits 0 to 12 are the cells within six steps, bit 6 is the cell itself. Stones
# farther away do not affect a five through the cell.
REACH = 6
LANE_MASK = (1 << 2 * REACH + 1) - 1
MIDDLE = 1 << REACH
BEGINS = 0b11111 << REACH - 4  # where five cells that contain the middle can begin


def planes(boards: Any, colours: Any, last: Any, size: int, rule: str) -> Any:
    """The planes of n positions, float32[n, PLANES, size, size].

    `boards` is int8[n, size * size] with 0 empty, 1 black, 2 white. `colours` is int8[n], the colour to move (1 black,
    2 white). `last` is int16[n, 4 or more], the last moves, the latest first, -1 for none.
    """
    out = np.zeros((len(boards), PLANES, size * size), np.float32)
    fill(boards, colours, last, size, RULES.index(rule), out)
    return out.reshape(len(boards), PLANES, size, size)


@kernel
def fill(boards: Any, colours: Any, last: Any, size: int, rule: int, out: Any) -> None:
    """`planes` into out[n, PLANES, size * size] of float32 zeros; `rule` is an index of RULES."""
    judged = np.zeros(size * size, np.int64)
    for n in range(len(boards)):
        board, mover = boards[n], colours[n]
        for cell in range(size * size):
            if board[cell]:
                out[n, 0 if board[cell] == mover else 1, cell] = 1
            if mover == 1:
                out[n, BLACK_TO_MOVE, cell] = 1
        for line in range(4):
            for number in range(size if line < 2 else 2 * size - 1):
                fill_line(board, size, rule, mover, line, number, out[n])
        if rule == RENJU:
            if size <= LARGEST_SMALL:
                judge_small(board, size, judged)
            else:
                judge_large(board, size, judged)
            for cell in range(size * size):
                if judged[cell] and judged[cell] != FIVE:
                    out[n, FORBIDDEN_PLANES, cell] = judged[cell] & OVERLINE != 0
                    out[n, FORBIDDEN_PLANES + 1, cell] = judged[cell] & DOUBLE_FOUR != 0
                    out[n, FORBIDDEN_PLANES + 2, cell] = judged[cell] & DOUBLE_THREE != 0
        for i in range(LAST):
            if last[n, i] >= 0:
                out[n, LAST_PLANES + i, last[n, i]] = 1


def fill_line(board: Any, size: int, rule: int, mover: int, line: int, number: int, out: Any) -> None:
    """Fill the planes of both sides along one line of the board. Horizontal lines are numbered from the top, vertical
    ones from the left, diagonals along the upper edge and then along the left or right edge."""
    x, y = (0, number) if line == 0 else (number, 0) if number < size else (0, number - size + 1)
    if line == 3 and number >= size:
        x = size - 1
    dx, dy = (0 if line == 1 else -1 if line == 3 else 1), (0 if line == 0 else 1)
    own = other = 0
    length = 0
    while x >= 0 and x < size and y < size:
        stone = board[y * size + x]
        own |= int(stone == mover) << length + REACH
        other |= int(stone == 3 - mover) << length + REACH
        length += 1
        x += dx
        y += dy
    free = (1 << length) - 1 << REACH & ~(own | other)
    step = dy * size + dx
    cell = y * size + x - length * step
    for side in range(2):
        exact = rule == STANDARD or (rule == RENJU and (mover == 1) == (side == 0))
        stones = other if side else own
        for i in range(length):
            if (stones | free) >> i & MIDDLE:
                out[LIBERTIES + 4 * side + line, cell + i * step] = (
                    popcount(open_fives(stones >> i & LANE_MASK, free >> i & LANE_MASK, exact)) / 5
                )
            if free >> i & MIDDLE:
                what = largest_shape(stones >> i & LANE_MASK | MIDDLE, free >> i & LANE_MASK ^ MIDDLE, exact)
                if what < MAKES_NOTHING:
                    out[MAKES + 4 * side + what, cell + i * step] = 1


def open_fives(own: int, free: int, exact: bool) -> int:
    """Where possible fives that contain the middle begin, as bits."""
    begins = in_a_row(own | free)
    return begins & ~(own << 1 | own >> 5) if exact else begins


def in_a_row(cells: int) -> int:
    """Where five cells in a row that contain the middle begin, as bits."""
    twos = cells & cells >> 1
    return twos & twos >> 2 & cells >> 4 & BEGINS


def largest_shape(own: int, free: int, exact: bool) -> int:
    """The largest shape that the stone in the middle makes on its lane."""
    if popcount(own) < 3:
        return MAKES_NOTHING
    five = in_a_row(own)
    if five & ~(own << 1 | own >> 5) if exact else five:
        return MAKES_FIVE
    if straight_four(own, free, exact, REACH):
        return MAKES_STRAIGHT_FOUR
    begins = open_fives(own, free, exact)
    for begin in range(REACH - 4, REACH + 1):
        if begins >> begin & 1 and missing_one(own >> begin & 31):
            return MAKES_FOUR
    for i in range(REACH - 3, REACH + 4):
        if free >> i & 1 and straight_four(own | 1 << i, free ^ 1 << i, exact, i):
            return MAKES_THREE
    return MAKES_NOTHING


def missing_one(cells: int) -> bool:
    """Are four of these five set?"""
    cells = 31 ^ cells
    return cells != 0 and cells & (cells - 1) == 0


def straight_four(own: int, free: int, exact: bool, i: int) -> bool:
    """Is there a straight four that contains the middle and bit i?"""
    for begin in range(REACH - 3, REACH + 1):
        if begin <= i <= begin + 3 and own >> begin & 15 == 15 and free >> (begin - 1) & 33 == 33:
            if not exact or (own >> (begin - 2) & 1 == 0 and own >> (begin + 5) & 1 == 0):
                return True
    return False
