"""Pattern tables: what a stone makes on each line through a point, computed once for each rule.

A line through an empty point covers five cells on each side, each empty (0), own (1) or blocked (2: an enemy stone or
off the board). These ten base-3 digits are the line's *code*; the digit of offset k is at place k + 5 (k < 0) or k + 4
(k > 0). Five cells suffice to distinguish five from six. `classes(rule, black)` maps a code to the *class* that an own
stone on the point makes:

    FIVE        a winning row
    OPEN_FOUR   two points make five (for black in Renju: a straight four)
    FOUR        one point makes five
    THREE_*     one point (THREE_1) or more (THREE_2) make an open four
    HALF_THREE  one more stone makes a four
    TWO_*       two, three or more points make a three     HALF_TWO  one more stone makes a half three
    ONE         one more stone makes a two                 HALF_ONE  a five is still possible
    OVERLINE, TWO_FOURS  forbidden for black in Renju: six or more; two fours on this one line

Each class follows from the classes after one more own stone. So the tables are filled from FIVE downwards, all codes at
once.

The four classes of a point, packed as class << 4 * direction, are its *key*. A key determines the *kind* of the move:
its strongest effect (as Pattern4 in Rapfi). Only classes from THREE_1 on, which have the bit URGENT, affect the kind.
Without any the move is quiet.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

REACH = 5
DIGITS = 2 * REACH
CODES = 3**DIGITS
OFFSETS = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)

(DEAD, HALF_ONE, ONE, HALF_TWO, TWO_1, TWO_2, TWO_3, HALF_THREE, THREE_1, THREE_2, FOUR, OPEN_FOUR, FIVE, OVERLINE,
 TWO_FOURS) = range(15)  # fmt: skip
CLASSES = 15
URGENT = 8

# Kinds of moves. RISKY: two or more threes of black in Renju, forbidden unless at most one of them is a true three.
# (np.int64 values: Numba gives an integer literal its own type and would compile functions once for each literal.)
KINDS = 9
NUMBERS: Any = np.arange(KINDS)
(K_QUIET, K_THREE, K_THREES, K_FOUR, K_FOUR_THREE, K_OPEN_FOUR, K_FIVE, K_FORBIDDEN, K_RISKY) = NUMBERS


def backwards(digits: int) -> Any:
    """int[3**digits]: every code with its digits reversed."""
    codes, turned = np.arange(3**digits), np.zeros(3**digits, int)
    for i in range(digits):
        turned = turned * 3 + codes // 3**i % 3
    return turned


LINES, LINE_OF = np.unique(np.minimum(np.arange(CODES), backwards(DIGITS)), return_inverse=True)
"""A code and its reversal are one line. LINES has the smaller code of each line, LINE_OF the line of every code."""
CORE_OF = LINE_OF[LINES // 3 % 3 ** (DIGITS - 2) * 3]
"""For every line, the line with the same inner cells and empty ends."""


@cache
def classes(rule: str, black: bool) -> Any:
    """uint8[CODES]: the class of every line code for one colour by a rule."""
    exact = rule == "standard" or (rule == "renju" and black)
    restricted = rule == "renju" and black
    codes = np.arange(CODES)
    digits = [codes // 3**i % 3 for i in range(DIGITS)]
    left, right = np.zeros(CODES, int), np.zeros(CODES, int)
    for side, places in ((left, (4, 3, 2, 1, 0)), (right, (5, 6, 7, 8, 9))):
        unbroken = np.ones(CODES, bool)
        for place in places:
            unbroken &= digits[place] == 1
            side += unbroken
    row = left + 1 + right
    table = np.zeros(CODES, np.uint8)
    five = row == 5 if exact else row >= 5
    over = (row > 5) & exact

    def ways(*targets: int) -> Any:
        """int[CODES]: the number of empty points where one more own stone makes one of these classes."""
        count = np.zeros(CODES, int)
        for i in range(DIGITS):
            free = digits[i] == 0
            count[free] += np.isin(table[codes[free] + 3**i], targets)
        return count

    settled = five | over
    table[five] = FIVE
    if restricted:
        table[over] = OVERLINE

    def settle(where: Any, value: int) -> None:
        where = where & ~settled
        table[where] = value
        settled[where] = True

    fives = ways(FIVE)
    open_four = (fives == 2) & (row == 4) if restricted else fives >= 2
    settle(open_four, OPEN_FOUR)
    if restricted:
        settle(fives >= 2, TWO_FOURS)
    settle(fives == 1, FOUR)
    open_fours = ways(OPEN_FOUR)
    settle(open_fours >= 2, THREE_2)
    settle(open_fours == 1, THREE_1)
    settle(ways(FOUR, OPEN_FOUR, TWO_FOURS) > 0, HALF_THREE)
    threes = ways(THREE_1, THREE_2)
    settle(threes >= 4, TWO_3)
    settle(threes == 3, TWO_2)
    settle(threes >= 1, TWO_1)  # always two points: a three from one side is also one from the other
    settle(ways(HALF_THREE) > 0, HALF_TWO)
    settle(ways(TWO_1, TWO_2, TWO_3) > 0, ONE)
    settle(ways(HALF_TWO) > 0, HALF_ONE)
    return table


@cache
def key_kinds(restricted: bool) -> Any:
    """int8[65536]: the kind of every key. `restricted`: for black in Renju."""
    lines = np.arange(1 << 16)[:, None] >> 4 * np.arange(4) & 15
    threes = np.isin(lines, (THREE_1, THREE_2)).sum(axis=1)
    fours = np.isin(lines, (FOUR, OPEN_FOUR)).sum(axis=1)
    choices = [
        ((lines == FIVE).any(axis=1), K_FIVE),
        ((np.isin(lines, (OVERLINE, TWO_FOURS)).any(axis=1) | (fours >= 2)) & restricted, K_FORBIDDEN),
        ((threes >= 2) & restricted, K_RISKY),
        ((lines == OPEN_FOUR).any(axis=1) | (fours >= 2), K_OPEN_FOUR),
        ((fours > 0) & (threes > 0), K_FOUR_THREE),
        (fours > 0, K_FOUR),
        (threes >= 2, K_THREES),
        (threes > 0, K_THREE),
    ]
    return np.select([where for where, _ in choices], [kind for _, kind in choices], K_QUIET).astype(np.int8)
