"""The engine's board: stones, and what a stone of either colour would make at every empty point, kept up to date.

Points lie in a frame: point = 32 * (y + 5) + x + 5, with at least five cells of border around any board of up to 20 x
20, so that no walk along a line needs to look where it is. For every point and direction `codes` holds both colours'
line codes (patterns.py) in one word, black's in the low half: a new stone adds a power of three to each of the forty
points that see it. Where that changes a class, the point's shape changes, and with it the number of points of each kind
and those points as bits of a row.

One record (`MEMORY`) holds it all; compiled code gets it as one pointer, Python reads and writes the same bytes.
Colours: 0 black, 1 white.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hansu.core import kernel, lowest
from hansu.games.renju.engine.patterns import (
    CODES,
    DIGITS,
    K_FORBIDDEN,
    K_OPEN_FOUR,
    K_RISKY,
    KINDS,
    OFFSETS,
    OPEN_FOUR,
    SHAPES,
    THREE_1,
    THREE_2,
    classes,
    kinds,
    shape_numbers,
)
from hansu.games.renju.engine.worth import WORTH

Stones = Sequence[tuple[int, int]]
"""Stones as (cell, colour)."""

STRIDE = 32
MARGIN = 5
LARGEST = 20
ROWS = LARGEST + 2 * MARGIN
POINTS = ROWS * STRIDE
STEPS = np.array([1, STRIDE, STRIDE + 1, STRIDE - 1])
PLACES = np.array(OFFSETS)
SEEN_AT = np.array([3 ** (DIGITS - 1 - i) for i in range(DIGITS)])  # the digit of p in the code of p + PLACES[i] * step
HALF = 1 << 32
BORDER = 3

BOARD_FIELDS = [
    ("size", np.int64),
    ("restricted", np.int64),  # 1: black may not play everywhere
    ("count", np.int64),  # stones on the board
    ("hash", np.int64),
    ("totals", np.int64, (2, KINDS)),  # points of each kind
    ("rows", np.int64, (2, KINDS, ROWS)),  # the same points as bits
    ("stones", np.int8, POINTS),  # 0 empty, 1 black, 2 white, 3 border
    ("codes", np.int64, (4, POINTS)),
    ("keys", np.int64, (2, POINTS)),  # the classes of an empty point, class << 4 * direction
    ("shapes", np.int16, (2, POINTS)),
    ("classes", np.uint8, (2, CODES)),
    ("numbers", np.int16, 1 << 16),  # packed classes -> shape
    ("kinds", np.int8, (2, len(SHAPES))),
    ("worth", np.int64, len(SHAPES)),  # at a glance
    ("zobrist", np.int64, (2, POINTS)),
]


def point_of(cell: int, size: int) -> int:
    y, x = divmod(cell, size)
    return STRIDE * (y + MARGIN) + x + MARGIN


def cell_of(point: int, size: int) -> int:
    y, x = divmod(int(point), STRIDE)
    return (y - MARGIN) * size + x - MARGIN


def set_up(mem: Any, rule: str, size: int) -> None:
    """The tables of a rule and an empty board."""
    mem["size"], mem["restricted"] = size, rule == "renju"
    for colour in range(2):
        mem["classes"][colour] = classes(rule, colour == 0)
        mem["kinds"][colour] = kinds(rule == "renju" and colour == 0)
    mem["numbers"] = shape_numbers()
    mem["worth"] = WORTH
    mem["zobrist"] = np.random.default_rng(15).integers(1, 1 << 62, (2, POINTS))
    clear(mem)


def clear(mem: Any) -> None:
    """No stones. The border blocks both colours, so each of its cells adds a 2 to the codes that see it."""
    size = int(mem["size"])
    board = np.full((ROWS, STRIDE), BORDER, np.int8)
    board[MARGIN : MARGIN + size, MARGIN : MARGIN + size] = 0
    mem["stones"] = board.ravel()
    mem["count"] = mem["hash"] = 0
    for name in ("totals", "rows", "codes", "keys", "shapes"):
        mem[name] = 0
    inside = np.flatnonzero(mem["stones"] == 0)
    for d in range(4):
        for i, offset in enumerate(OFFSETS):
            blocked = mem["stones"][inside + offset * int(STEPS[d])] == BORDER
            mem["codes"][d][inside[blocked]] += 2 * 3**i * (1 + HALF)
    enter_all(mem)


@kernel
def count_kind(mem: Any, colour: int, kind: int, point: int, change: int) -> None:
    mem.totals[colour, kind] += change
    mem.rows[colour, kind, point >> 5] ^= 1 << (point & 31)


@kernel
def leave(mem: Any, point: int) -> None:
    """A point is empty no longer: its shapes stop counting."""
    for colour in range(2):
        shape = mem.shapes[colour, point]
        count_kind(mem, colour, mem.kinds[colour, shape], point, -1)


@kernel
def enter(mem: Any, point: int) -> None:
    """A point is empty (again): its shapes are read off its codes, and count."""
    for colour in range(2):
        key = 0
        for d in range(4):
            code = mem.codes[d, point]
            code = code >> 32 if colour else code & 0xFFFFFFFF
            key |= int(mem.classes[colour, code]) << 4 * d
        shape = mem.numbers[key]
        mem.keys[colour, point] = key
        mem.shapes[colour, point] = shape
        count_kind(mem, colour, mem.kinds[colour, shape], point, 1)


@kernel
def enter_all(mem: Any) -> None:
    for point in range(POINTS):
        if mem.stones[point] == 0:
            enter(mem, point)


@kernel
def reclass(mem: Any, colour: int, point: int, key: int) -> None:
    """An empty point's classes have changed to `key`."""
    old, shape = mem.shapes[colour, point], mem.numbers[key]
    mem.keys[colour, point] = key
    mem.shapes[colour, point] = shape
    before, after = mem.kinds[colour, old], mem.kinds[colour, shape]
    if before != after:
        count_kind(mem, colour, before, point, -1)
        count_kind(mem, colour, after, point, 1)


@kernel
def spread(mem: Any, point: int, black: int, white: int) -> None:
    """Add to the codes of all points that see this one: `black` times their power of three to black's, `white` to
    white's."""
    stones = mem.stones
    change = black + white * HALF
    for d in range(4):
        step = STEPS[d]
        codes = mem.codes[d]
        shift = 4 * d
        for i in range(DIGITS):
            q = point + PLACES[i] * step
            code = codes[q] + change * SEEN_AT[i]
            codes[q] = code
            if stones[q] == 0:
                for colour in range(2):
                    key = mem.keys[colour, q]
                    new = np.int64(mem.classes[colour, code & 0xFFFFFFFF]) << shift
                    if key & 15 << shift != new:
                        reclass(mem, colour, q, key & ~(15 << shift) | new)
                    code >>= 32


@kernel
def place(mem: Any, point: int, colour: int) -> None:
    leave(mem, point)
    mem.stones[point] = colour + 1
    mem.hash ^= mem.zobrist[colour, point]
    mem.count += 1
    spread(mem, point, 1 + colour, 2 - colour)


@kernel
def lift(mem: Any, point: int) -> None:
    """Take the stone that was placed last off again."""
    colour = mem.stones[point] - 1
    mem.stones[point] = 0
    mem.hash ^= mem.zobrist[colour, point]
    mem.count -= 1
    spread(mem, point, -1 - colour, colour - 2)
    enter(mem, point)


@kernel
def first_of(mem: Any, colour: int, kind: int) -> int:
    """A point of a kind; there must be one."""
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[colour, kind, row]
        if bits:
            return STRIDE * row + lowest(bits)
    return -1


@kernel
def threes(mem: Any, point: int) -> int:
    """How many threes a black stone on this empty point makes, exactly: each must have a point that makes it a straight
    four, not five, and that is itself not forbidden with this stone on the board."""
    key = mem.keys[0, point]
    place(mem, point, np.int64(0))
    count = 0
    for d in range(4):
        if key >> 4 * d & 15 in (THREE_1, THREE_2):
            for sign in (-1, 1):
                step = STEPS[d] * sign
                q = point + step
                while mem.stones[q] == 1:  # the straight four reaches from here to there without a gap
                    q += step
                if mem.stones[q] == 0 and mem.keys[0, q] >> 4 * d & 15 == OPEN_FOUR:
                    kind = mem.kinds[0, mem.shapes[0, q]]
                    if kind == K_OPEN_FOUR or (kind == K_RISKY and threes(mem, q) < 2):
                        count += 1
                        break
    lift(mem, point)
    return count


@kernel
def forbidden(mem: Any, point: int) -> bool:
    """May black not play at this empty point? Where the shape shows two threes or more, they are looked at."""
    kind = mem.kinds[0, mem.shapes[0, point]]
    return bool(kind == K_FORBIDDEN or (kind == K_RISKY and threes(mem, point) >= 2))


@kernel
def stuck(mem: Any, side: int) -> bool:
    """Is there no point left where `side` may play? Black in Renju may have only forbidden ones, which is no loss."""
    free = mem.size * mem.size - mem.count
    if side == 1 or not mem.restricted:
        return bool(free == 0)
    if free > mem.totals[0, K_FORBIDDEN] + mem.totals[0, K_RISKY]:
        return False
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[0, K_RISKY, row]
        while bits:
            if not forbidden(mem, STRIDE * row + lowest(bits)):
                return False
            bits &= bits - 1
    return True
