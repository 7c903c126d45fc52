"""Black's forbidden moves in Renju, exactly by their definition.

    five            a row of exactly five
    overline        a row of six or more
    four            four black stones that one more black stone turns into a row of exactly five
    straight four   an unbroken four that a stone at either end turns into a five
    three           three black stones that one more black stone turns into a straight four; that stone must be a legal
                    black move and must not make a five

A black move that makes a five wins, whatever else it makes. Any other black move is forbidden if it makes an overline,
two or more different fours (double four), or two or more different threes (double three). Fours and threes are sets of
stones. Each must contain the new stone. They may lie on one line or on several:

- A straight four can become a five in two ways but counts once. Two fours on one line differ by a stone:
  `●_●●●_●` with the new stone among the middle three, `●●_●●_●●` among the middle two, `●●●_●_●●●` alone.
- A three that two stones can turn into a straight four counts once, and counts if either stone is legal. A line has at
  most one three with the new stone: of two overlapping straight fours each begins or ends at the empty end of the
  other, so both contain the same three stones.
- The legality of the extending stone is judged on the board with the new stone, by all three prohibitions, recursively.
  A three that can only be extended at a forbidden point does not count. Each level adds a stone, so the recursion ends.
- A five that the extending stone would make may lie on any line. The cell beyond the end of a straight four must not be
  black, because that end would make six. An edge or a white stone there is harmless.

Implementation: only cells within five steps of the new stone matter. So a line is eleven bits (a *lane*) with the new
stone in the middle, and the four lanes of a cell fit into one word:

    bit 0 1 2 3 4 [5] 6 7 8 9 10        lane 0 to the right, 1 down, 2 down to the right, 3 down to the left
"""

from __future__ import annotations

from typing import Any

from hansu.compile import kernel
from hansu.core import lowest, popcount
from hansu.games.renju.stones import LARGE, LARGEST_SMALL, SMALL, Words, row, stride, with_stone

OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = 1, 2, 4
FIVE = 8  # not forbidden: the move wins
KINDS = {DOUBLE_THREE: "double_three", DOUBLE_FOUR: "double_four", OVERLINE: "overline"}

LANE = 11
LANE_MASK = (1 << LANE) - 1
MIDDLE = 1 << 5
MIDDLES = MIDDLE | MIDDLE << LANE | MIDDLE << 2 * LANE | MIDDLE << 3 * LANE
ROW_MASK = (1 << 15) - 1
BEGIN_FIVE = 0b111110  # where a row of five that contains the middle can begin


def lanes(words: Words, x: int, y: int) -> int:
    """The stones around a cell, as lanes."""
    bits = 0
    rows = 16 if len(words) == 4 else 21
    for k in range(LANE):
        there = y + k - 5
        if there >= 0 and there < rows:
            line = row(words, there) << 5  # bit x + 5 is column x, so columns left of the board are zeros
            bits |= (line >> (x + 5) & 1) << (LANE + k)
            bits |= (line >> (x + k) & 1) << (2 * LANE + k)
            bits |= (line >> (x + 10 - k) & 1) << (3 * LANE + k)
    return bits | row(words, y) << 5 >> x & LANE_MASK


def black_lanes(black: Words, x: int, y: int) -> int:
    """The lanes of a cell's black stones, with a black stone on the cell itself."""
    return lanes(black, x, y) | MIDDLES


def empty_lanes(stones: int, white: Words, size: int, x: int, y: int) -> int:
    """The empty cells around a cell, as lanes; `stones` are its black lanes."""
    full = ((1 << size) - 1) << 5
    across, down, back = full >> x & LANE_MASK, full >> y & LANE_MASK, full >> (size - 1 - x) & LANE_MASK
    inside = across | down << LANE | (across & down) << 2 * LANE | (back & down) << 3 * LANE
    return inside & ~stones & ~lanes(white, x, y)


def harmless(stones: int) -> bool:
    """Are there too few stones for a forbidden move? A double three needs three stones (the new one included) in each
    of two lanes; two fours on one line and an overline need five or more in one lane."""
    crowded = 0
    for lane in range(4):
        count = popcount(stones >> lane * LANE & LANE_MASK)
        if count >= 5:
            return False
        crowded += count >= 3
    return crowded < 2


def suspects(black: Words, y: int) -> int:
    """The cells of a row that are not `harmless`, as bits, on a board up to 15×15. For all cells of the row at once,
    and 16 bits for each direction: are there one, two, three, four or more other stones in the lane?"""
    one = two = three = four = 0
    here = row(black, y) << 5  # bit x + 5 is column x
    for k in range(-5, 6):
        if k != 0:
            neighbours = here >> (5 + k) & ROW_MASK
            if y + k >= 0 and y + k < 16:
                line = row(black, y + k) << 5
                neighbours |= (line >> 5 & ROW_MASK) << 16 | (line >> (5 + k) & ROW_MASK) << 32
                neighbours |= (line >> (5 - k) & ROW_MASK) << 48
            four |= three & neighbours
            three |= two & neighbours
            two |= one & neighbours
            one |= neighbours
    right, down, falling, rising = two, two >> 16, two >> 32, two >> 48
    crowded = right & down | falling & rising | (right | down) & (falling | rising)
    return (crowded | four | four >> 16 | four >> 32 | four >> 48) & ROW_MASK


def fives(line: int) -> int:
    """Where rows of five or more that contain the middle of a lane begin, as bits."""
    twos = line & line >> 1
    return twos & twos >> 2 & line >> 4 & BEGIN_FIVE


def alone(line: int, begin: int) -> bool:
    """Is the row through the middle, of five or more stones, exactly five long?"""
    first = lowest(begin)
    return line >> (first - 1) & 1 == 0 and line >> (first + 5) & 1 == 0


def four_count(line: int, empty: int) -> int:
    """The number of different fours that contain the middle: 0, 1 or 2."""
    count = 0
    straight = 0
    for i in range(1, 6):  # five cells from i on, and the two around them
        cells = line >> i & 31
        if popcount(cells) == 4 and line >> (i - 1) & 1 == 0 and line >> (i + 5) & 1 == 0:
            if empty >> i & 31 == 31 ^ cells:
                count += 1
                straight += cells == 0b01111 or cells == 0b11110
    return count - 1 if straight == 2 else count


def straight_four_points(line: int, empty: int) -> int:
    """The cells where one more stone makes a straight four that contains the middle, as bits of the lane."""
    points = 0
    for i in range(2, 6):  # four cells from i on, the two around them and the next two
        missing = 15 ^ line >> i & 15
        if popcount(missing) == 1 and empty >> i & 15 & missing and empty >> (i - 1) & 33 == 33:
            if line >> (i - 2) & 1 == 0 and line >> (i + 5) & 1 == 0:
                points |= missing << i
    return points


def plain_kinds(stones: int, empty: int) -> int:
    """What the stone in the middle makes: FIVE, or a combination of OVERLINE and DOUBLE_FOUR."""
    kinds = fours = 0
    for lane in range(4):
        line = stones >> lane * LANE & LANE_MASK
        begin = fives(line)
        if begin:
            if alone(line, begin):
                return FIVE
            kinds |= OVERLINE
        fours += four_count(line, empty >> lane * LANE & LANE_MASK)
    return kinds | DOUBLE_FOUR if fours >= 2 else kinds


def three_count(black: Words, white: Words, size: int, x: int, y: int, stones: int, empty: int) -> int:
    """The number of threes that a black stone on this cell makes, 2 for two or more; `stones` and `empty` are its
    lanes."""
    black = with_stone(black, y * stride(black) + x)
    count = 0
    for lane in range(4):
        points = straight_four_points(stones >> lane * LANE & LANE_MASK, empty >> lane * LANE & LANE_MASK)
        while points:
            step = lowest(points) - 5
            points &= points - 1
            next_x = x + (0 if lane == 1 else -step if lane == 3 else step)
            next_y = y + (0 if lane == 0 else step)
            next_stones = black_lanes(black, next_x, next_y)
            legal = harmless(next_stones)
            if not legal:
                next_empty = empty_lanes(next_stones, white, size, next_x, next_y)
                legal = (
                    plain_kinds(next_stones, next_empty) == 0
                    and three_count(black, white, size, next_x, next_y, next_stones, next_empty) < 2
                )
            if legal:
                count += 1
                points = 0
        if count == 2:
            break
    return count


def judge(black: Words, white: Words, size: int, x: int, y: int) -> int:
    """FIVE, or the kinds for which a black stone on this empty cell is forbidden; 0 if it is legal."""
    stones = black_lanes(black, x, y)
    if harmless(stones):
        return 0
    empty = empty_lanes(stones, white, size, x, y)
    kinds = plain_kinds(stones, empty)
    if kinds != FIVE and three_count(black, white, size, x, y, stones, empty) == 2:
        kinds |= DOUBLE_THREE
    return kinds


def forbidden_in(black: Words, white: Words, size: int, x: int, y: int) -> bool:
    """Is this empty cell forbidden for black?"""
    stones = black_lanes(black, x, y)
    if harmless(stones):
        return False
    empty = empty_lanes(stones, white, size, x, y)
    kinds = plain_kinds(stones, empty)
    if kinds:
        return kinds != FIVE
    return three_count(black, white, size, x, y, stones, empty) == 2


# The same for flat boards, int8[size * size] with 0 empty, 1 black, 2 white.


def gathered(board: Any, size: int, colour: int, empty: Words) -> Words:
    """The stones of one colour of a flat board; `empty` is the layout's board without stones."""
    words = empty
    down = stride(empty)
    for cell in range(size * size):
        if board[cell] == colour:
            words = with_stone(words, cell // size * down + cell % size)
    return words


def judge_all(black: Words, white: Words, size: int, out: Any) -> None:
    """Fill out[size * size] with `judge` of every empty cell, and 0 for taken cells."""
    for y in range(size):
        taken = row(black, y) | row(white, y)
        for x in range(size):
            out[y * size + x] = 0 if taken >> x & 1 else judge(black, white, size, x, y)


@kernel
def judge_small(board: Any, size: int, out: Any) -> None:
    """`judge_board` for boards up to 15×15."""
    judge_all(gathered(board, size, 1, SMALL), gathered(board, size, 2, SMALL), size, out)


@kernel
def judge_large(board: Any, size: int, out: Any) -> None:
    """`judge_board` for boards from 16×16."""
    judge_all(gathered(board, size, 1, LARGE), gathered(board, size, 2, LARGE), size, out)


def judge_board(board: Any, size: int, out: Any) -> None:
    """Fill integers out[size * size] for the board int8[size * size]: FIVE, or the kinds for which black may not play
    on the cell; 0 if black may play there or the cell is taken."""
    (judge_small if size <= LARGEST_SMALL else judge_large)(board, size, out)


def flat_lanes(board: Any, size: int, cell: int) -> int:
    """The black lanes of a cell of a flat board."""
    x, y = cell % size, cell // size
    bits = MIDDLES
    for lane in range(4):
        dx = 0 if lane == 1 else -1 if lane == 3 else 1
        dy = 0 if lane == 0 else 1
        for k in range(LANE):
            there_x, there_y = x + (k - 5) * dx, y + (k - 5) * dy
            if 0 <= there_x < size and 0 <= there_y < size and board[there_y * size + there_x] == 1:
                bits |= 1 << (lane * LANE + k)
    return bits


@kernel
def forbidden_kinds(board: Any, size: int, cell: int) -> int:
    """The kinds for which a black stone on this empty cell is forbidden: OVERLINE, DOUBLE_FOUR, DOUBLE_THREE as bits. 0
    if the move is legal, as a five always is."""
    if harmless(flat_lanes(board, size, cell)):
        return 0
    x, y = cell % size, cell // size
    if size <= LARGEST_SMALL:
        kinds = judge(gathered(board, size, 1, SMALL), gathered(board, size, 2, SMALL), size, x, y)
    else:
        kinds = judge(gathered(board, size, 1, LARGE), gathered(board, size, 2, LARGE), size, x, y)
    return 0 if kinds == FIVE else kinds


def kind_names(kinds: int) -> list[str]:
    """The names of the kinds, as `hansu forbidden` writes them."""
    return [name for kind, name in KINDS.items() if kinds & kind]
