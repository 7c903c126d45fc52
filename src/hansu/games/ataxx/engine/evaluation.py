"""What a position is worth to the mover, in hundredths of a piece: the hand-made evaluation and the learned one.

The learned one is a small network over 2x2 windows. Each of the 36 windows is one of 256 patterns: four squares, two
bits each (first bit mine, second bit theirs, both for a gap). The window anchored at square s holds

    s+1  s+8        pattern = mine(s) + 2 mine(s+1) + 4 mine(s+7) + 8 mine(s+8) + 16 theirs(s) + ...
    s    s+7

Every (window, pattern) owns a row of HIDDEN weights; the sum of the 36 rows is the position's accumulator. It is kept
twice, as each side sees it, and follows the game by the windows that a move changes (about eight). The output is a
weighted sum of the squares of both accumulators, clipped to 0..1, the mover's first; the weights depend on the
phase (how full the board is). This is the NNUE idea of Yu Nasu (2018) in whole numbers, so that all machines agree on
every score: ONE stands for 1 in accumulators, OUT for 1 in output weights, which go no further than that, and 1 in the
output means SCALE. A clipped sum times an output weight is at most 181 * 181 and so fits into 16 bits, and all of a
position's terms together fit into 32.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hansu.core import HansuError, Message, compiled_as, lowest, popcount
from hansu.core.file_errors import not_there
from hansu.core.reading import arrays_of
from hansu.games.ataxx.rules import FULL, ROW_1, SQUARES, reach, spread

WEIGHTS = Path(__file__).with_name("weights.npz")
HIDDEN = 256
PHASES = 8
ONE = 181
OUT = 181
SCALE = 800
ANCHORS = FULL & ~(ROW_1 << 6) & ((1 << 42) - 1)  # the lower left squares of all windows
ROWS = 41 * 256  # row 256 * anchor + pattern; anchors end at 40

EDGE = ROW_1 | ROW_1 << 6 | 0b1111111 | 0b1111111 << 42

# Rounded from `hansu train ataxx engine_terms` over a million positions of self-play; room is set by hand: over all
# positions its weight vanishes, but in each phase taken alone it is 13 to 48.
MATERIAL, ROOM, EXPOSED, EDGES, TEMPO = 100, 15, -65, 45, 220


def terms(mine: int, theirs: int, empty: int) -> tuple[int, int, int, int]:
    """Mover's minus other's: pieces; squares to clone to; pieces beside holes the enemy can enter; pieces on the
    edge."""
    material = popcount(mine) - popcount(theirs)
    room = popcount(spread(mine) & empty) - popcount(spread(theirs) & empty)
    exposed = popcount(mine & spread(empty & reach(theirs))) - popcount(theirs & spread(empty & reach(mine)))
    edges = popcount(mine & EDGE) - popcount(theirs & EDGE)
    return material, room, exposed, edges


def handmade(mine: int, theirs: int, empty: int) -> int:
    material, room, exposed, edges = terms(mine, theirs, empty)
    return MATERIAL * material + ROOM * room + EXPOSED * exposed + EDGES * edges + TEMPO


def phase(mine: int, theirs: int) -> int:
    return (popcount(mine | theirs) * PHASES) // (SQUARES + 1)


def corners(board: int, anchor: int) -> int:
    """The four squares of a window as a number 0..15."""
    window = board >> anchor
    return (window & 3) | (window >> 5 & 12)


def pattern_row(mine: int, theirs: int, anchor: int) -> int:
    return anchor << 8 | corners(theirs, anchor) << 4 | corners(mine, anchor)


def refresh(sums: Any, weights: Any, bias: Any, first: int, second: int) -> None:
    """Fill sums[2, HIDDEN] from scratch; both boards include the gaps."""
    for h in range(HIDDEN):
        sums[0, h] = bias[h]
        sums[1, h] = bias[h]
    anchors = ANCHORS
    while anchors:
        anchor = lowest(anchors)
        anchors &= anchors - 1
        row = pattern_row(first, second, anchor)
        mirror = pattern_row(second, first, anchor)
        for h in range(HIDDEN):
            sums[0, h] += weights[row, h]
            sums[1, h] += weights[mirror, h]


@compiled_as("hansu.games.ataxx.engine.vector_code:add_rows")
def add_rows(target: Any, base: Any, table: Any, added: Any, removed: Any, count: int) -> None:
    """target = base + the rows `added` of the table - the rows `removed`; `count` of each are given."""
    target[:] = base + table[added[:count]].sum(0) - table[removed[:count]].sum(0)


def advance(
    sums: Any, before: Any, weights: Any, changes: Any, old_first: int, old_second: int, first: int, second: int
) -> None:
    """Fill sums from those of the position before, by the windows in which the two differ.

    changes[4, 36] is room for the rows to add and to remove, as first sees them and as second does.
    """
    changed = (old_first ^ first) | (old_second ^ second)
    anchors = (changed | changed >> 1 | changed >> 7 | changed >> 8) & ANCHORS
    count = 0
    while anchors:
        anchor = lowest(anchors)
        anchors &= anchors - 1
        base = anchor << 8
        mine, theirs = corners(first, anchor), corners(second, anchor)
        changes[0, count] = base | theirs << 4 | mine
        changes[2, count] = base | mine << 4 | theirs
        mine, theirs = corners(old_first, anchor), corners(old_second, anchor)
        changes[1, count] = base | theirs << 4 | mine
        changes[3, count] = base | mine << 4 | theirs
        count += 1
    add_rows(sums[0], before[0], weights, changes[0], changes[1], count)
    add_rows(sums[1], before[1], weights, changes[2], changes[3], count)


@compiled_as("hansu.games.ataxx.engine.vector_code:weigh")
def weigh(sums: Any, head: Any) -> int:
    """The squares of the clipped sums, each times its output weight."""
    clipped = sums.clip(0, ONE).astype(int)
    return int((clipped * clipped * head).sum())


def output(sums: Any, heads: Any, offsets: Any, mover: int, stage: int) -> int:
    """The score from the accumulators; heads[PHASES, 2, HIDDEN] begin with the mover's."""
    total = weigh(sums[mover], heads[stage, 0]) + weigh(sums[1 - mover], heads[stage, 1])
    return int((total // ONE + offsets[stage]) * SCALE // (ONE * OUT))


def read_weights(path: Path = WEIGHTS) -> tuple[Any, ...]:
    """weights, bias, heads, offsets from an .npz of plain integer arrays (no pickle)."""
    shapes = {"weights": (ROWS, HIDDEN), "bias": (HIDDEN,), "heads": (PHASES, 2, HIDDEN), "offsets": (PHASES,)}
    hint = Message("hansu train ataxx engine_network makes one")
    if not path.is_file():
        raise not_there(path, hint)
    try:
        arrays = arrays_of(path, *shapes)
    except ValueError as error:
        raise HansuError(
            "{path} is not a file of the Ataxx engine's weights: {gist}", hint, path=path, gist=error
        ) from None
    kinds = {array.dtype.kind for array in arrays}
    if tuple(array.shape for array in arrays) != tuple(shapes.values()) or kinds != {"i"}:
        raise HansuError("{path} holds another network", hint, path=path)
    return arrays
