"""One colour's stones as a bitboard: a tuple of words. Shifts find fives on the whole board at once.

A board of up to 15×15 takes 4 words of 4 rows × 16 bits, a larger one (up to 20×20) 7 words of 3 rows × 21 bits. The
stone in column x and row y (row 0 at the top) is bit `place` = 16 * y + x (or 21 * y + x) of the concatenated words.
The last column of bits is never set, so no shift carries a stone from one row into the next, and bit 63 stays 0.

    small, word 0   row 3 ................ | row 2 ................ | row 1 ................ | row 0 ................
                      bit 63 is always 0                                                       x = 15 14 ... 2 1 0

The functions accept both layouts. In compiled code the length of the tuple is a constant, so loops over it are
unrolled.
"""

from __future__ import annotations

from hansu.core import item, popcount, with_item
from hansu.core.bits import MASK

Words = tuple[int, ...]

SMALL = (0,) * 4  # no stones, up to 15×15
LARGE = (0,) * 7  # no stones, up to 20×20
LARGEST_SMALL = 15


def stride(words: Words) -> int:
    """Bits from a row to the next."""
    return 16 if len(words) == 4 else 21


def word_of(words: Words, place: int) -> int:
    """The index of the word that holds a place."""
    return place >> 6 if len(words) == 4 else place // 63


def bit_of(words: Words, place: int) -> int:
    """The bit of a place within its word."""
    return place & 63 if len(words) == 4 else place % 63


def has(words: Words, place: int) -> bool:
    """Is there a stone on this place?"""
    return item(words, word_of(words, place)) >> bit_of(words, place) & 1 == 1


def with_stone(words: Words, place: int) -> Words:
    """The stones with one more on this place."""
    w = word_of(words, place)
    return with_item(words, w, item(words, w) | 1 << bit_of(words, place))


def row(words: Words, y: int) -> int:
    """The stones of row y; bit x is column x."""
    first = y * stride(words)
    return item(words, word_of(words, first)) >> bit_of(words, first) & ((1 << stride(words)) - 1)


def total(words: Words) -> int:
    """The number of stones."""
    count = 0
    for i in range(len(words)):
        count += popcount(item(words, i))
    return count


def five_along(words: Words, d: int) -> bool:
    """Are there five or more stones in a row, d places apart? Goes from the last word to the first and shifts in the
    bits of the word above."""
    rest = (64 if len(words) == 4 else 63) - d
    fives = 0
    stones_above = twos_above = fours_above = 0
    for i in range(len(words)):
        stones = item(words, len(words) - 1 - i)
        twos = stones & (stones >> d | (stones_above << rest & MASK))
        fours = twos & (twos >> 2 * d | (twos_above << (rest - d) & MASK))
        fives |= fours & (fours >> d | (fours_above << rest & MASK))
        stones_above, twos_above, fours_above = stones, twos, fours
    return fives != 0


def five_or_more(words: Words) -> bool:
    """Are there five or more in a row in any direction?"""
    down = stride(words)
    return five_along(words, 1) or five_along(words, down) or five_along(words, down + 1) or five_along(words, down - 1)


def four_of_five_along(words: Words, d: int) -> bool:
    """Are there four or more stones among five cells in a row, d places apart? May also be True for cells that continue
    across the edge of the board."""
    rest = (64 if len(words) == 4 else 63) - d
    fours = 0
    stones_above = both_above = either_above = later_above = 0
    for i in range(len(words)):
        stones = item(words, len(words) - 1 - i)
        following = stones >> d | (stones_above << rest & MASK)
        both, either = stones & following, stones | following
        later = stones >> 2 * d | (stones_above << (rest - d) & MASK)  # two places on
        later_both = both >> 2 * d | (both_above << (rest - d) & MASK)
        later_either = either >> 2 * d | (either_above << (rest - d) & MASK)
        last = later >> 2 * d | (later_above << (rest - d) & MASK)
        fours |= both & later_both | last & (both & later_either | either & later_both)
        stones_above, both_above, either_above, later_above = stones, both, either, later
    return fours != 0


def four_of_five(words: Words) -> bool:
    """Might one more stone make five in a row? False is certain, True is not."""
    down = stride(words)
    return (
        four_of_five_along(words, 1)
        or four_of_five_along(words, down)
        or four_of_five_along(words, down + 1)
        or four_of_five_along(words, down - 1)
    )


def five_alone_along(words: Words, d: int) -> bool:
    """Is there a row of exactly five, d places apart? A run of n >= 5 stones contains n - 4 fives, n - 5 sixes and n -
    6 sevens. So fives - sixes counts the runs, and sixes - sevens counts the runs that are too long."""
    rest = (64 if len(words) == 4 else 63) - d
    runs = too_long = 0
    stones_above = twos_above = fours_above = fives_above = sixes_above = 0
    for i in range(len(words)):
        stones = item(words, len(words) - 1 - i)
        twos = stones & (stones >> d | (stones_above << rest & MASK))
        fours = twos & (twos >> 2 * d | (twos_above << (rest - d) & MASK))
        fives = fours & (fours >> d | (fours_above << rest & MASK))
        sixes = fives & (fives >> d | (fives_above << rest & MASK))
        sevens = sixes & (sixes >> d | (sixes_above << rest & MASK))
        runs += popcount(fives) - popcount(sixes)
        too_long += popcount(sixes) - popcount(sevens)
        stones_above, twos_above, fours_above, fives_above, sixes_above = stones, twos, fours, fives, sixes
    return runs > too_long


def exactly_five(words: Words) -> bool:
    """Is there a row of exactly five?"""
    down = stride(words)
    return (
        five_alone_along(words, 1)
        or five_alone_along(words, down)
        or five_alone_along(words, down + 1)
        or five_alone_along(words, down - 1)
    )
