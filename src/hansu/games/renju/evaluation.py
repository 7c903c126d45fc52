"""The evaluation of the general searches (the engine uses its network, engine/network.py): a side's chances of a five.

Each window of five cells without an enemy stone counts 1, 4, 16 or 64 for one to four own stones in it. Bitwise adders
count many windows at once.
"""

from __future__ import annotations

from hansu.core import popcount
from hansu.games.renju.stones import Words, row

LANE = 21  # bits for one direction; three go into a word
LANE_MASK = (1 << LANE) - 1


def chances(own: Words, other: Words, size: int) -> int:
    """The sum over all windows of the board."""
    full = (1 << size) - 1
    value = 0
    for y in range(size):
        stones, free = row(own, y), full & ~row(other, y)
        value += window_scores(stones, stones >> 1, stones >> 2, stones >> 3, stones >> 4,
                               free & free >> 1 & free >> 2 & free >> 3 & free >> 4)  # fmt: skip
        if y + 4 < size:
            value += window_scores(
                fan(row(own, y), 0), fan(row(own, y + 1), 1), fan(row(own, y + 2), 2), fan(row(own, y + 3), 3),
                fan(row(own, y + 4), 4),
                fan(free, 0) & fan(full & ~row(other, y + 1), 1) & fan(full & ~row(other, y + 2), 2)
                & fan(full & ~row(other, y + 3), 3) & fan(full & ~row(other, y + 4), 4),
            )  # fmt: skip
    return value


def fan(cells: int, k: int) -> int:
    """The row k below the first row of a window, aligned with it in three lanes: down, down right, down left."""
    return cells | cells >> k << LANE | (cells << k & LANE_MASK) << 2 * LANE


def window_scores(a: int, b: int, c: int, d: int, e: int, free: int) -> int:
    """The summed scores of many windows. Each bit position is a window whose five cells are the bits of a to e; `free`
    marks the windows without an enemy stone."""
    odd, carry = a ^ b ^ c, a & b | c & (a ^ b)
    ones, carry_2 = odd ^ d ^ e, odd & d | e & (odd ^ d)
    twos, fours = carry ^ carry_2, carry & carry_2
    return (
        popcount(free & ones & ~twos & ~fours)
        + 4 * popcount(free & twos & ~ones)
        + 16 * popcount(free & twos & ones)
        + 64 * popcount(free & fours & ~ones)
    )
