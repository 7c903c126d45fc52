"""The engine's board: stones, and the patterns of both colours at every empty point, updated incrementally.

Points lie in a frame: point = 32 * (y + 5) + x + 5. A border of at least five cells surrounds any board of up to 20×20,
so code that walks along a line needs no bounds checks. For every point and direction `codes` holds both colours' line
codes (patterns.py) in one word, black's in the low half. A new stone adds a power of three to the codes of the forty
points that see it. If an urgent class changes, the point's kind may change, and with it the number of points of each
kind and their bitboards.

The data of a direction are stored line by line (`along`), so a stone's ten neighbours on a line are adjacent in memory.
One vector addition updates their codes, and one comparison finds the changed urgent classes. The old values of each
stone are saved, so undoing the last stone computes nothing.

All of it lies in one record (`MEMORY`). Compiled code receives it as one pointer; Python reads and writes the same
bytes. Colours: 0 black, 1 white.
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
ACROSS, DOWN = np.array([0, 1, 1, 1]), np.array([1, 0, -1, 1])  # a line's number is ACROSS * x + DOWN * y
HALF = 1 << 16
NEIGHBOURS = 4 * DIGITS
WINDOW = 16  # cells of a line that are updated together: the stone's point, five to each side, and padding
CODE_DIGITS = np.zeros(WINDOW, np.int64)  # the place value (a power of three) of the stone in the code of each cell
CODE_DIGITS[[REACH + offset for offset in OFFSETS]] = [3 ** (DIGITS - 1 - i) for i in range(DIGITS)]
ALONG_SIZE = STRIDE * STRIDE + WINDOW
BORDER = 3

BOARD_FIELDS = [
    ("size", np.int64),
    ("restricted", np.int64),  # 1: black has forbidden points
    ("count", np.int64),  # stones on the board
    ("hash", np.int64),
    ("totals", np.int64, (2, KINDS)),  # points of each kind
    ("rows", np.int64, (2, KINDS, ROWS)),  # these points as bitboards
    ("stones", np.int8, POINTS),  # 0 empty, 1 black, 2 white, 3 border
    ("codes", np.uint32, (4, ALONG_SIZE)),  # [direction, along]
    ("pairs", np.uint8, (4, ALONG_SIZE)),  # [direction, along]: black's class | white's << 4
    ("free", np.int64, (4, STRIDE)),  # [direction, along >> 5]: the empty points of a line, as bits
    ("kinds", np.int8, (2, POINTS)),  # of the empty points
    ("old_pairs", np.uint8, (MOST_STONES, 4, WINDOW)),  # [stone]: the pairs before that stone
    ("old_kinds", np.int64, (MOST_STONES, 2 * NEIGHBOURS)),  # [stone]: changed kinds, kind << 11 | colour << 10 | point
    ("old_count", np.int64, MOST_STONES),  # [stone]: the number of changed kinds
    ("classes", np.uint8, (2, CODES)),  # white's << 4
    ("key_kinds", np.int8, (2, 1 << 16)),
    ("zobrist", np.int64, (2, POINTS)),
]


def point_of(cell: int, size: int) -> int:
    """The engine's point for a cell of the game."""
    y, x = divmod(cell, size)
    return STRIDE * (y + MARGIN) + x + MARGIN


def cell_of(point: int, size: int) -> int:
    """The cell of the game for an engine's point."""
    y, x = divmod(int(point), STRIDE)
    return (y - MARGIN) * size + x - MARGIN


def set_up(mem: Any, rule: str, size: int) -> None:
    """Fill the tables of a rule and empty the board."""
    mem["size"], mem["restricted"] = size, rule == "renju"
    for colour in range(2):
        mem["classes"][colour] = classes(rule, colour == 0) << 4 * colour
        mem["key_kinds"][colour] = key_kinds(rule == "renju" and colour == 0)
    mem["zobrist"] = np.random.default_rng(15).integers(1, 1 << 62, (2, POINTS))
    clear(mem)


def clear(mem: Any) -> None:
    """Remove all stones. Border cells block both colours: they have the digit 2 in the codes that see them."""
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
    count_all_empty(mem)


@kernel
def along(d: int, point: Any) -> Any:
    """The index of a point (or an array of points) in the data of a direction. Points of one line are adjacent, 32 to a
    line. (Two short diagonals share a line, more than ten cells apart.)"""
    x, y = point & 31, point >> 5
    line = (x * ACROSS[d] + y * DOWN[d]) & 31
    return line << 5 | (y if d else x)


@compiled_as("hansu.games.renju.engine.vector_code:advance")
def advance(codes: Any, pairs: Any, old: Any, number: int, classes: Any, first: int, change: int) -> int:
    """Apply a stone to WINDOW cells of a line, from `first` on: add `change` times its place value to their codes and
    look up their pairs. Saves the old pairs to row `number` of `old`. Returns the cells whose urgent classes changed,
    as bits."""
    window = slice(first, first + WINDOW)
    now = pairs.reshape(-1)[window]
    before = now.copy()
    old.reshape(-1, WINDOW)[number] = before
    both = codes.reshape(-1)[window]
    both += (change * CODE_DIGITS).astype(np.uint32)
    affected = CODE_DIGITS > 0
    now[affected] = classes[0][both[affected] % HALF] | classes[1][both[affected] // HALF]
    urgent = (now != before) & ((now | before) & URGENT * 17 != 0)
    return int((urgent << np.arange(WINDOW)).sum())


@compiled_as("hansu.games.renju.engine.vector_code:retreat")
def retreat(codes: Any, pairs: Any, old: Any, number: int, first: int, change: int) -> None:
    """Undo `advance`."""
    window = slice(first, first + WINDOW)
    codes.reshape(-1)[window] -= (change * CODE_DIGITS).astype(np.uint32)
    pairs.reshape(-1)[window] = old.reshape(-1, WINDOW)[number]


@kernel
def count_kind(mem: Any, colour: int, kind: int, point: int, change: int) -> None:
    """Add a point to the count and the bitboard of a kind (change 1), or remove it (-1)."""
    mem.totals[colour, kind] += change
    mem.rows[colour, kind, point >> 5] ^= 1 << (point & 31)


@kernel
def count_point(mem: Any, point: int, change: int) -> None:
    """Add a point's kinds of both colours to the counts (change 1), or remove them (-1)."""
    for colour in range(2):
        count_kind(mem, colour, np.int64(mem.kinds[colour, point]), point, change)


@kernel
def key_of(mem: Any, colour: int, point: int) -> int:
    """The classes of an empty point's lines, packed as class << 4 * direction."""
    key: Any = 0
    for d in range(4):
        key |= (np.int64(mem.pairs[d, along(d, point)]) >> 4 * colour & 15) << 4 * d
    return int(key)


@kernel
def count_empty(mem: Any, point: int) -> None:
    """Look up the kinds of an empty point and add them to the counts."""
    for colour in range(2):
        mem.kinds[colour, point] = mem.key_kinds[colour, key_of(mem, colour, point)]
    count_point(mem, point, np.int64(1))


@kernel
def count_all_empty(mem: Any) -> None:
    """`count_empty` for every empty point."""
    for point in range(POINTS):
        if mem.stones[point] == 0:
            count_empty(mem, point)


@kernel
def change_kind(mem: Any, colour: int, point: int, kind: int) -> None:
    """Change the kind of an empty point."""
    count_kind(mem, colour, np.int64(mem.kinds[colour, point]), point, np.int64(-1))
    count_kind(mem, colour, kind, point, np.int64(1))
    mem.kinds[colour, point] = kind


@kernel
def toggle_empty(free: Any, point: int) -> None:
    """Mark an empty point as taken, or a taken point as empty."""
    for d in range(4):
        here = along(d, point)
        free[d, here >> 5] ^= 1 << (here & 31)


@kernel
def neighbours(free: Any, d: int, here: int) -> int:
    """The empty points among a point of a line and its ten neighbours, as bits."""
    return int(free[d, here >> 5] >> (here & 31) - REACH & (1 << DIGITS + 1) - 1)


@kernel
def urgent_key(mem: Any, colour: int, point: int) -> int:
    """The key with only its urgent classes. Few such keys occur, so their entries of `key_kinds` stay in the cache."""
    key = key_of(mem, colour, point)
    urgent = key & URGENT * 0x1111
    return int(key & (urgent << 1) - (urgent >> 3))


@kernel
def update_neighbours(mem: Any, point: int, change: int) -> None:
    """Update the codes, pairs and kinds of all points that see this one."""
    number = mem.count
    old_kinds, count = mem.old_kinds[number], 0
    for d in range(4):
        here = along(d, point)
        first = d * ALONG_SIZE + here - REACH
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
    """What a stone adds to a code, times its place value: 1 to its own colour's half, 2 to the opponent's."""
    return 1 + colour + (2 - colour) * HALF


@kernel
def place(mem: Any, point: int, colour: int) -> None:
    """Place a stone."""
    count_point(mem, point, np.int64(-1))
    mem.stones[point] = colour + 1
    mem.hash ^= mem.zobrist[colour, point]
    toggle_empty(mem.free, point)
    update_neighbours(mem, point, change_by(colour))
    mem.count += 1


@kernel
def lift(mem: Any, point: int) -> None:
    """Undo the last `place`."""
    mem.count -= 1
    number, colour = mem.count, np.int64(mem.stones[point] - 1)
    mem.stones[point] = 0
    mem.hash ^= mem.zobrist[colour, point]
    toggle_empty(mem.free, point)
    change = change_by(colour)
    for d in range(4):
        first = d * ALONG_SIZE + along(d, point) - REACH
        retreat(mem.codes, mem.pairs, mem.old_pairs, 4 * number + d, first, change)
    for i in range(mem.old_count[number]):
        old = mem.old_kinds[number, i]
        change_kind(mem, old >> 10 & 1, old & 1023, old >> 11)
    count_point(mem, point, np.int64(1))


@kernel
def remove(mem: Any, point: int) -> None:
    """Remove any stone. The remaining stones can no longer be lifted, only removed."""
    colour = np.int64(mem.stones[point] - 1)
    mem.stones[point] = 0
    mem.hash ^= mem.zobrist[colour, point]
    toggle_empty(mem.free, point)
    mem.count -= 1
    update_neighbours(mem, point, -change_by(colour))
    count_empty(mem, point)


@kernel
def first_of(mem: Any, colour: int, kind: int) -> int:
    """The first point of a kind; -1 if there is none."""
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[colour, kind, row]
        if bits:
            return STRIDE * row + lowest(bits)
    return -1


@kernel
def threes(mem: Any, point: int) -> int:
    """The exact number of true threes that a black stone on this empty point makes. Each must have a point that makes a
    straight four but no five and is itself not forbidden with this stone on the board."""
    key = key_of(mem, np.int64(0), point)
    place(mem, point, np.int64(0))
    count = 0
    for d in range(4):
        if key >> 4 * d & 15 in (THREE_1, THREE_2):
            for sign in (-1, 1):
                step = STEPS[d] * sign
                q = point + step
                while mem.stones[q] == 1:  # a straight four has no gap
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
    """Is this empty point forbidden for black? If its lines show two or more threes, they are checked exactly."""
    kind = mem.kinds[0, point]
    return bool(kind == K_FORBIDDEN or (kind == K_RISKY and threes(mem, point) >= 2))


@kernel
def stuck(mem: Any, side: int) -> bool:
    """Does `side` have no legal move? (Black in Renju may have only forbidden points left.)"""
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
