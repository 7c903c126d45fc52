"""The engine's board: stones, and what a stone of either colour would make at every empty point, kept up to date.

Points lie in a frame: point = 32 * (y + 5) + x + 5, with at least five cells of border around any board of up to 20 x
20, so that no walk along a line needs to look where it is. For every point and direction `codes` holds both colours'
line codes (patterns.py) in one word, black's in the low half: a new stone adds a power of three to each of the forty
points that see it. Where that changes an urgent class, the point's kind may change, and with it the number of points of
each kind and those points as bits of a row.

What belongs to a direction lies line by line (`along`), so that a stone's ten neighbours on a line are one row of
numbers: their codes take one addition, and one comparison says where an urgent class has changed. What was there before
is kept, stone by stone, so that the last one is lifted without computing anything anew.

One record (`MEMORY`) holds it all; compiled code gets it as one pointer, Python reads and writes the same bytes.
Colours: 0 black, 1 white.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import compiled_as, lowest
from hansu.games.renju.engine.patterns import (
    CODES,
    DIGITS,
    K_FORBIDDEN,
    K_OPEN_FOUR,
    K_RISKY,
    KINDS,
    OFFSETS,
    OPEN_FOUR,
    REACH,
    THREE_1,
    THREE_2,
    URGENT,
    classes,
    key_kinds,
)

Stones = Sequence[tuple[int, int]]
"""Stones as (cell, colour)."""

STRIDE = 32
MARGIN = 5
LARGEST = 20
MOST_STONES = LARGEST * LARGEST
ROWS = LARGEST + 2 * MARGIN
POINTS = ROWS * STRIDE
STEPS = np.array([1, STRIDE, STRIDE + 1, STRIDE - 1])
ACROSS, DOWN = np.array([0, 1, 1, 1]), np.array([1, 0, -1, 1])  # the number of a line: so much of x and of y
HALF = 1 << 16
NEIGHBOURS = 4 * DIGITS
WINDOW = 16  # numbers of a line that are changed together: eleven points, the stone's in the middle, and what follows
SEEN_AT = np.zeros(WINDOW, np.int64)  # the digit of the stone in the code of each
SEEN_AT[[REACH + offset for offset in OFFSETS]] = [3 ** (DIGITS - 1 - i) for i in range(DIGITS)]
ALONG_ROOM = STRIDE * STRIDE + WINDOW
BORDER = 3

BOARD_FIELDS = [
    ("size", np.int64),
    ("restricted", np.int64),  # 1: black may not play everywhere
    ("count", np.int64),  # stones on the board
    ("hash", np.int64),
    ("totals", np.int64, (2, KINDS)),  # points of each kind
    ("rows", np.int64, (2, KINDS, ROWS)),  # the same points as bits
    ("stones", np.int8, POINTS),  # 0 empty, 1 black, 2 white, 3 border
    ("codes", np.uint32, (4, ALONG_ROOM)),  # [direction, along]
    ("pairs", np.uint8, (4, ALONG_ROOM)),  # [direction, along]: black's class | white's << 4
    ("free", np.int64, (4, STRIDE)),  # [direction, along >> 5]: the empty points of a line, as bits
    ("kinds", np.int8, (2, POINTS)),  # of the empty points
    ("old_pairs", np.uint8, (MOST_STONES, 4, WINDOW)),  # before each stone, as they come,
    ("old_kinds", np.int64, (MOST_STONES, 2 * NEIGHBOURS)),  # those that changed, kind << 11 | colour << 10 | point,
    ("old_count", np.int64, MOST_STONES),  # and how many these are
    ("classes", np.uint8, (2, CODES)),  # white's << 4
    ("key_kinds", np.int8, (2, 1 << 16)),
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
        mem["classes"][colour] = classes(rule, colour == 0) << 4 * colour
        mem["key_kinds"][colour] = key_kinds(rule == "renju" and colour == 0)
    mem["zobrist"] = np.random.default_rng(15).integers(1, 1 << 62, (2, POINTS))
    clear(mem)


def clear(mem: Any) -> None:
    """No stones. The border blocks both colours, so each of its cells adds a 2 to the codes that see it."""
    size = int(mem["size"])
    board = np.full((ROWS, STRIDE), BORDER, np.int8)
    board[MARGIN : MARGIN + size, MARGIN : MARGIN + size] = 0
    mem["stones"] = board.ravel()
    mem["count"] = mem["hash"] = 0
    for name in ("totals", "rows", "codes", "pairs", "free", "kinds"):
        mem[name] = 0
    inside = np.flatnonzero(mem["stones"] == 0)
    for d in range(4):
        here = along.plain(d, inside)
        for i, offset in enumerate(OFFSETS):
            blocked = mem["stones"][inside + offset * int(STEPS[d])] == BORDER
            mem["codes"][d, here[blocked]] += 2 * 3**i * (1 + HALF)
        np.bitwise_or.at(mem["free"][d], here // STRIDE, 1 << here % STRIDE)
    mem["pairs"] = mem["classes"][0][mem["codes"] % HALF] | mem["classes"][1][mem["codes"] // HALF]
    enter_all(mem)


@kernel
def along(d: int, point: Any) -> Any:
    """Where a point (or each of many) lies among the numbers of a direction: points of one line lie side by side, 32
    to a line. (Two short diagonals share one, with more than ten cells between them.)"""
    x, y = point & 31, point >> 5
    line = (x * ACROSS[d] + y * DOWN[d]) & 31
    return line << 5 | (y if d else x)


@compiled_as("hansu.games.renju.engine.vector_code:advance")
def advance(codes: Any, pairs: Any, old: Any, number: int, classes: Any, first: int, change: int) -> int:
    """A stone changes the codes of WINDOW points of a line, from `first` on, by `change` times their power of three.
    Pairs follow; the old ones go to row `number` of `old`. Says where an urgent class has changed, as bits."""
    window = slice(first, first + WINDOW)
    now = pairs.reshape(-1)[window]
    before = now.copy()
    old.reshape(-1, WINDOW)[number] = before
    both = codes.reshape(-1)[window]
    both += (change * SEEN_AT).astype(np.uint32)
    seen = SEEN_AT > 0
    now[seen] = classes[0][both[seen] % HALF] | classes[1][both[seen] // HALF]
    urgent = (now != before) & ((now | before) & URGENT * 17 != 0)
    return int((urgent << np.arange(WINDOW)).sum())


@compiled_as("hansu.games.renju.engine.vector_code:retreat")
def retreat(codes: Any, pairs: Any, old: Any, number: int, first: int, change: int) -> None:
    """What `advance` did is undone."""
    window = slice(first, first + WINDOW)
    codes.reshape(-1)[window] -= (change * SEEN_AT).astype(np.uint32)
    pairs.reshape(-1)[window] = old.reshape(-1, WINDOW)[number]


@kernel
def count_kind(mem: Any, colour: int, kind: int, point: int, change: int) -> None:
    mem.totals[colour, kind] += change
    mem.rows[colour, kind, point >> 5] ^= 1 << (point & 31)


@kernel
def count_point(mem: Any, point: int, change: int) -> None:
    """A point's kinds begin to count (1), or stop (-1)."""
    for colour in range(2):
        count_kind(mem, colour, np.int64(mem.kinds[colour, point]), point, change)


@kernel
def key_of(mem: Any, colour: int, point: int) -> int:
    """The classes of an empty point's lines, class << 4 * direction."""
    key: Any = 0
    for d in range(4):
        key |= (np.int64(mem.pairs[d, along(d, point)]) >> 4 * colour & 15) << 4 * d
    return int(key)


@kernel
def enter(mem: Any, point: int) -> None:
    """A point is empty: its kinds are read off its lines, and count."""
    for colour in range(2):
        mem.kinds[colour, point] = mem.key_kinds[colour, key_of(mem, colour, point)]
    count_point(mem, point, np.int64(1))


@kernel
def enter_all(mem: Any) -> None:
    for point in range(POINTS):
        if mem.stones[point] == 0:
            enter(mem, point)


@kernel
def change_kind(mem: Any, colour: int, point: int, kind: int) -> None:
    """An empty point's kind is another from now on."""
    count_kind(mem, colour, np.int64(mem.kinds[colour, point]), point, np.int64(-1))
    count_kind(mem, colour, kind, point, np.int64(1))
    mem.kinds[colour, point] = kind


@kernel
def turn_over(free: Any, point: int) -> None:
    """A point is empty no longer, or empty again."""
    for d in range(4):
        here = along(d, point)
        free[d, here >> 5] ^= 1 << (here & 31)


@kernel
def neighbours(free: Any, d: int, here: int) -> int:
    """The empty points of a WINDOW around a point of a line, as bits."""
    return int(free[d, here >> 5] >> (here & 31) - REACH & (1 << DIGITS + 1) - 1)


@kernel
def urgent_key(mem: Any, colour: int, point: int) -> int:
    """The key without what is not urgent: so few of them occur that what is looked up by them stays at hand."""
    key = key_of(mem, colour, point)
    urgent = key & URGENT * 0x1111
    return int(key & (urgent << 1) - (urgent >> 3))


@kernel
def spread(mem: Any, point: int, change: int) -> None:
    """Change the codes of all points that see this one, and what follows from them."""
    number = mem.count
    old_kinds, count = mem.old_kinds[number], 0
    for d in range(4):
        here = along(d, point)
        first = d * ALONG_ROOM + here - REACH
        changed = advance(mem.codes, mem.pairs, mem.old_pairs, 4 * number + d, mem.classes, first, change)
        changed &= neighbours(mem.free, d, here)
        while changed:
            q = point + (lowest(changed) - REACH) * STEPS[d]
            changed &= changed - 1
            for colour in range(2):
                before = np.int64(mem.kinds[colour, q])
                after = np.int64(mem.key_kinds[colour, urgent_key(mem, colour, q)])
                if before != after:
                    old_kinds[count] = before << 11 | colour << 10 | q
                    count += 1
                    change_kind(mem, colour, q, after)
    mem.old_count[number] = count


@kernel
def change_by(colour: int) -> int:
    """What a stone adds to a code at the lowest place: 1 to its own colour's, 2 to the other's."""
    return 1 + colour + (2 - colour) * HALF


@kernel
def place(mem: Any, point: int, colour: int) -> None:
    count_point(mem, point, np.int64(-1))
    mem.stones[point] = colour + 1
    mem.hash ^= mem.zobrist[colour, point]
    turn_over(mem.free, point)
    spread(mem, point, change_by(colour))
    mem.count += 1


@kernel
def lift(mem: Any, point: int) -> None:
    """Take the stone that was placed last off again."""
    mem.count -= 1
    number, colour = mem.count, np.int64(mem.stones[point] - 1)
    mem.stones[point] = 0
    mem.hash ^= mem.zobrist[colour, point]
    turn_over(mem.free, point)
    change = change_by(colour)
    for d in range(4):
        first = d * ALONG_ROOM + along(d, point) - REACH
        retreat(mem.codes, mem.pairs, mem.old_pairs, 4 * number + d, first, change)
    for i in range(mem.old_count[number]):
        old = mem.old_kinds[number, i]
        change_kind(mem, old >> 10 & 1, old & 1023, old >> 11)
    count_point(mem, point, np.int64(1))


@kernel
def remove(mem: Any, point: int) -> None:
    """Take any stone off. Those that are left are lifted no more: they can be removed."""
    colour = np.int64(mem.stones[point] - 1)
    mem.stones[point] = 0
    mem.hash ^= mem.zobrist[colour, point]
    turn_over(mem.free, point)
    mem.count -= 1
    spread(mem, point, -change_by(colour))
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
    key = key_of(mem, np.int64(0), point)
    place(mem, point, np.int64(0))
    count = 0
    for d in range(4):
        if key >> 4 * d & 15 in (THREE_1, THREE_2):
            for sign in (-1, 1):
                step = STEPS[d] * sign
                q = point + step
                while mem.stones[q] == 1:  # the straight four reaches from here to there without a gap
                    q += step
                if mem.stones[q] == 0 and mem.pairs[d, along(d, q)] & 15 == OPEN_FOUR:
                    kind = mem.kinds[0, q]
                    if kind == K_OPEN_FOUR or (kind == K_RISKY and threes(mem, q) < 2):
                        count += 1
                        break
    lift(mem, point)
    return count


@kernel
def forbidden(mem: Any, point: int) -> bool:
    """May black not play at this empty point? Where its lines show two threes or more, they are looked at."""
    kind = mem.kinds[0, point]
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
