"""The value of a position for the mover, in hundredths of a piece: the hand-made evaluation and the learned one.

The learned evaluation is a small network over 2x2 windows. Each of the 36 windows shows one of 256 patterns: four
squares with two bits each (first bit mine, second bit theirs, both for a gap). The window anchored at square s is

    s+1  s+8        pattern = mine(s) + 2 mine(s+1) + 4 mine(s+7) + 8 mine(s+8) + 16 theirs(s) + ...
    s    s+7

Every (window, pattern) has a row of HIDDEN weights. The sum of the 36 rows is the position's accumulator. There is one
accumulator per side, and a move updates only the windows it changes (about eight). The output is a weighted sum of the
squares of both accumulators, clipped to 0..1, the mover's first. The output weights depend on the phase (how full the
board is). This is the NNUE idea of Yu Nasu (2018).

All arithmetic uses integers, so all machines agree on every score. ONE stands for 1 in accumulators, OUT for 1 (the
largest value) in output weights, and SCALE for 1 in the output. A clipped sum times an output weight is at most
181 * 181 and fits into 16 bits; the sum of all terms fits into 32.
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

# Rounded from `hansu train ataxx engine_terms` over a million self-play positions. MOBILITY is set by hand: fitted over
# all positions its weight vanishes, but fitted in each phase alone it is 13 to 48.
MATERIAL, MOBILITY, EXPOSED, EDGES, TEMPO = 100, 15, -65, 45, 220


def terms(mine: int, theirs: int, empty: int) -> tuple[int, int, int, int]:
    """The mover's minus the opponent's: pieces, squares to clone to, pieces next to empty squares that the enemy can
    enter, pieces on the edge."""
    material = popcount(mine) - popcount(theirs)
    mobility = popcount(spread(mine) & empty) - popcount(spread(theirs) & empty)
    exposed = popcount(mine & spread(empty & reach(theirs))) - popcount(theirs & spread(empty & reach(mine)))
    edges = popcount(mine & EDGE) - popcount(theirs & EDGE)
    return material, mobility, exposed, edges


def handmade(mine: int, theirs: int, empty: int) -> int:
    """The hand-made evaluation."""
    material, mobility, exposed, edges = terms(mine, theirs, empty)
    return MATERIAL * material + MOBILITY * mobility + EXPOSED * exposed + EDGES * edges + TEMPO


def phase(mine: int, theirs: int) -> int:
    """0 to PHASES - 1, by how full the board is."""
    return (popcount(mine | theirs) * PHASES) // (SQUARES + 1)


def corners(board: int, anchor: int) -> int:
    """The four squares of a window as a number 0..15."""
    window = board >> anchor
    return (window & 3) | (window >> 5 & 12)


def pattern_row(mine: int, theirs: int, anchor: int) -> int:
    return anchor << 8 | corners(theirs, anchor) << 4 | corners(mine, anchor)


def refresh(sums: Any, weights: Any, bias: Any, first: int, second: int) -> None:
    """Fill sums int16[2, HIDDEN] from scratch. Both boards include the gaps."""
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
    """target = base + the first `count` rows `added` of the table - the first `count` rows `removed`."""
    target[:] = base + table[added[:count]].sum(0) - table[removed[:count]].sum(0)


def advance(
    sums: Any, before: Any, weights: Any, changes: Any, old_first: int, old_second: int, first: int, second: int
) -> None:
    """Fill sums from those of the previous position, by the windows in which the two positions differ.

    changes int64[4, 36] is a buffer for the rows to add and to remove, first for the first side, then for the second.
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
    """The sum of the squared clipped sums, each times its output weight."""
    clipped = sums.clip(0, ONE).astype(int)
    return int((clipped * clipped * head).sum())


def output(sums: Any, heads: Any, offsets: Any, mover: int, stage: int) -> int:
    """The score from the accumulators. In heads int16[PHASES, 2, HIDDEN] the mover's weights come first."""
    total = weigh(sums[mover], heads[stage, 0]) + weigh(sums[1 - mover], heads[stage, 1])
    return int((total // ONE + offsets[stage]) * SCALE // (ONE * OUT))


def read_weights(path: Path = WEIGHTS) -> tuple[Any, ...]:
    """The arrays weights, bias, heads and offsets of an .npz file (without pickle)."""
    shapes = {"weights": (ROWS, HIDDEN), "bias": (HIDDEN,), "heads": (PHASES, 2, HIDDEN), "offsets": (PHASES,)}
    hint = Message("train one with `hansu train ataxx engine_network`")
    if not path.is_file():
        raise not_there(path, hint)
    try:
        arrays = arrays_of(path, *shapes)
    except ValueError as error:
        raise HansuError(
            "{path} is not a file of weights of the Ataxx engine: {error}", hint, path=path, error=error
        ) from None
    kinds = {array.dtype.kind for array in arrays}
    if tuple(array.shape for array in arrays) != tuple(shapes.values()) or kinds != {"i"}:
        raise HansuError("{path} contains another network", hint, path=path)
    return arrays
