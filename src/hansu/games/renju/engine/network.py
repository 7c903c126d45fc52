"""The learned evaluation: a network over the line codes, in whole numbers, which follows the search stone by stone.

Every line (patterns.py) owns a row of WIDTH numbers, in a table of black's codes and one of white's. The
*features* of a point are the sum of the eight rows of its four lines, and a bias. What is positive of them says how
much a move there is worth trying (the policy), and its sum over all empty points, *pooled*, what the position is worth
(the value): a weighted sum, and what a layer of HIDDEN numbers makes of how they come together. All have weights for
each of four *situations*: either side is to move, and the other threatens an open four or does not. A stone changes the
codes of the forty points that see it, so two rows of each empty one are exchanged, and nothing is computed anew; what
they were before is kept for when the stone is lifted. That is done when somebody asks for a value: most of a search's
stones are gone again before. Turning or mirroring the board changes nothing: the four lines share their tables, and a
code read backwards has the same row.

This is the idea of NNUE (Yu Nasu, 2018) on the lines that engines for five in a row have always looked at. ONE stands
for 1 in rows and features, VALUE_ONE and POLICY_ONE in the weights of the two answers. The layer takes pooled numbers
an eighth as fine, at most MOST_POOLED, and its weights are at most MOST_MIXING, so that its sums fit into 32 bits.
Every rule has a network of its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import HansuError, Message, compiled_as
from hansu.core.file_errors import not_there
from hansu.core.reading import arrays_of
from hansu.games.renju.engine.board import (
    ALONG_ROOM,
    HALF,
    MARGIN,
    NEIGHBOURS,
    POINTS,
    SEEN_AT,
    STEPS,
    STRIDE,
    WINDOW,
    along,
    change_by,
    neighbours,
    turn_over,
)
from hansu.games.renju.engine.patterns import CODES, CORE_OF, K_OPEN_FOUR, LINE_OF, LINES, REACH

SCALE = 200  # a score of so much is a chance to win of 1 / (1 + 1/e)
ORDER_SCALE = 100  # of the order: a unit of log-probability
WIDTH = 64
HIDDEN = 32
SITUATIONS = 4
ONE = 64
VALUE_ONE = 4096
POLICY_ONE = 256
COARSER, MOST_POOLED = 3, 4095  # bits that pooled numbers lose on their way into the layer
MIXING_ONE, MOST_MIXING = 65536, 4095
INNER_BITS = 8  # of a number that comes out of the layer, behind the point
INNER_SHIFT = 11  # MIXING_ONE * (ONE >> COARSER) is 1 << INNER_SHIFT + INNER_BITS
ANSWER_ONE = ONE * VALUE_ONE >> INNER_BITS
ENDS_EMPTY = (np.arange(len(LINES)) == CORE_OF)[:, None]
STONES = 128  # that a search can lay on top of each other

PARTS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "line_steps": (np.int8, (2, len(LINES), WIDTH)),  # [colour], see `line_steps`
    "bias": (np.int16, (WIDTH,)),
    "value_heads": (np.int16, (SITUATIONS, WIDTH)),
    "value_offsets": (np.int64, (SITUATIONS,)),
    "policy_heads": (np.int16, (SITUATIONS, WIDTH)),
    "mixing": (np.int16, (SITUATIONS, HIDDEN, WIDTH)),
    "mixing_bias": (np.int64, (SITUATIONS, HIDDEN)),
    "mixed_heads": (np.int16, (SITUATIONS, HIDDEN)),
}
"""The arrays of a file, as they lie there."""

UNITS = {
    "line_steps": ONE,
    "bias": ONE,
    "value_heads": VALUE_ONE,
    "value_offsets": ONE * VALUE_ONE,
    "policy_heads": POLICY_ONE,
    "mixing": MIXING_ONE,
    "mixing_bias": MIXING_ONE * (ONE >> COARSER),
    "mixed_heads": ANSWER_ONE,
}
"""What stands for 1 in them."""

NETWORK_FIELDS = [
    ("code_rows", np.int8, (2, CODES, WIDTH)),  # [colour]: each row is one cache line
    ("features", np.int16, (POINTS, WIDTH)),
    ("coarse", np.int16, (1, WIDTH)),  # the pooled numbers as the layer takes them
    ("pooled", np.int32, WIDTH),
    ("old_pooled", np.int32, (STONES, WIDTH)),  # before each of the search's stones,
    ("old_features", np.int16, (STONES, NEIGHBOURS, WIDTH)),  # and those of the empty points that see it
    ("seen_codes", np.uint32, (4, ALONG_ROOM)),  # of the position that the features are of: its codes,
    ("seen_free", np.int64, (4, STRIDE)),  # its empty points,
    ("followed", np.int64),  # and how many of the search's stones are on its board;
    ("made", np.int64),  # how many there are by now,
    ("stones_made", np.int64, STONES),  # each as point << 1 | colour
    *((name, kind, shape) for name, (kind, shape) in PARTS.items() if name != "line_steps"),
]


def network_path(rule: str) -> Path:
    return Path(__file__).with_name(f"network_{rule}.npz")


@cache
def own_network(rule: str) -> dict[str, Any]:
    """The arrays of the one that comes with a rule."""
    return read_network(network_path(rule))


def read_network(path: Path) -> dict[str, Any]:
    """The arrays of a file."""
    hint = Message("hansu train renju engine_network makes one")
    if not path.is_file():
        raise not_there(path, hint)
    try:
        arrays = dict(zip(PARTS, arrays_of(path, *PARTS), strict=True))
    except ValueError as error:
        raise HansuError(
            "{path} is not a file of the Renju engine's network: {gist}", hint, path=path, gist=error
        ) from None
    if any(arrays[name].shape != shape or arrays[name].dtype != kind for name, (kind, shape) in PARTS.items()):
        raise HansuError("{path} holds another network", hint, path=path)
    return arrays


def line_steps(rows: Any) -> Any:
    """Rows of lines, int8[2, LINES, WIDTH], as a file has them: those of lines with empty ends, and of the others what
    they are more. That packs better."""
    return np.where(ENDS_EMPTY, rows, rows - rows[:, CORE_OF])


def line_rows(network: dict[str, Any]) -> Any:
    """The rows of all lines, of the steps that a file holds."""
    steps = network["line_steps"]
    return np.where(ENDS_EMPTY, steps, steps + steps[:, CORE_OF])


def load_network(mem: Any, network: dict[str, Any]) -> None:
    mem["code_rows"] = line_rows(network)[:, LINE_OF]
    for name, array in network.items():
        if name != "line_steps":
            mem[name] = array


@compiled_as("hansu.games.renju.engine.vector_code:exchange")
def exchange(
    features: Any, pooled: Any, old: Any, number: int, rows: Any, codes: Any, first: int, change: int, free: int,
    point: int, step: int,
) -> int:  # fmt: skip
    """A stone at `point` changes the codes of WINDOW points of a line, from `first` on, by `change` times their power
    of three. The features of those that are `free` (as bits) follow; what they were goes to `old`, from row `number`
    on. Says where the next row goes."""
    window = codes.reshape(-1)[first : first + WINDOW]
    before = window.astype(np.int64)
    window += (change * SEEN_AT).astype(np.uint32)
    after = window.astype(np.int64)
    for i in range(WINDOW):
        if free >> i & 1:
            q = point + (i - REACH) * step
            kept = features[q].copy()
            features[q] += rows[0, after[i] % HALF].astype(np.int16) - rows[0, before[i] % HALF]
            features[q] += rows[1, after[i] // HALF].astype(np.int16) - rows[1, before[i] // HALF]
            pooled += np.maximum(features[q], 0) - np.maximum(kept, 0)
            old.reshape(-1, WIDTH)[number] = kept
            number += 1
    return number


@compiled_as("hansu.games.renju.engine.vector_code:put_back")
def put_back(
    features: Any, old: Any, number: int, codes: Any, first: int, change: int, free: int, point: int, step: int
) -> int:
    """What `exchange` did to codes and features is undone."""
    codes.reshape(-1)[first : first + WINDOW] -= (change * SEEN_AT).astype(np.uint32)
    for i in range(WINDOW):
        if free >> i & 1:
            features[point + (i - REACH) * step] = old.reshape(-1, WIDTH)[number]
            number += 1
    return number


@compiled_as("hansu.games.renju.engine.vector_code:pool")
def pool(features: Any, point: int, pooled: Any, sign: Any) -> None:
    """A point is empty (sign 1), or empty no longer (-1)."""
    pooled += sign * np.maximum(features[point], 0)


@compiled_as("hansu.games.renju.engine.vector_code:weigh")
def weigh(features: Any, point: int, heads: Any, row: int) -> int:
    return int((np.maximum(features[point], 0).astype(int) * heads[row]).sum())


@kernel
def follow(mem: Any, point: int, colour: int) -> None:
    """A stone was placed."""
    number = mem.followed
    mem.followed += 1
    for h in range(WIDTH):
        mem.old_pooled[number, h] = mem.pooled[h]
    pool(mem.features, point, mem.pooled, np.int64(-1))
    turn_over(mem.seen_free, point)
    row, change = NEIGHBOURS * number, change_by(colour)
    for d in range(4):
        here = along(d, point)
        row = exchange(
            mem.features, mem.pooled, mem.old_features, row, mem.code_rows, mem.seen_codes,
            d * ALONG_ROOM + here - REACH, change, neighbours(mem.seen_free, d, here), point, STEPS[d],
        )  # fmt: skip


@kernel
def unfollow(mem: Any, point: int, colour: int) -> None:
    """The stone that was followed last is gone."""
    mem.followed -= 1
    number = mem.followed
    row, change = NEIGHBOURS * number, change_by(colour)
    for d in range(4):
        here = along(d, point)
        row = put_back(
            mem.features, mem.old_features, row, mem.seen_codes, d * ALONG_ROOM + here - REACH, change,
            neighbours(mem.seen_free, d, here), point, STEPS[d],
        )  # fmt: skip
    turn_over(mem.seen_free, point)
    for h in range(WIDTH):
        mem.pooled[h] = mem.old_pooled[number, h]


@kernel
def announce(mem: Any, point: int, colour: int) -> None:
    """A stone was placed, which may be gone before anybody asks for a value."""
    mem.stones_made[mem.made] = point << 1 | colour
    mem.made += 1


@kernel
def take_back(mem: Any) -> None:
    """The last stone was lifted."""
    mem.made -= 1
    if mem.followed > mem.made:
        stone = mem.stones_made[mem.made]
        unfollow(mem, stone >> 1, stone & 1)


@kernel
def catch_up(mem: Any) -> None:
    """Follow all stones that were announced."""
    while mem.followed < mem.made:
        stone = mem.stones_made[mem.followed]
        follow(mem, stone >> 1, stone & 1)


@kernel
def refresh(mem: Any) -> None:
    """Everything anew from the codes of the board."""
    mem.pooled[:] = 0
    mem.made = mem.followed = 0
    for d in range(4):
        for here in range(ALONG_ROOM):
            mem.seen_codes[d, here] = mem.codes[d, here]
        for line in range(STRIDE):
            mem.seen_free[d, line] = mem.free[d, line]
    for y in range(mem.size):
        first = STRIDE * (y + MARGIN) + MARGIN
        for point in range(first, first + mem.size):
            for h in range(WIDTH):
                total = np.int64(mem.bias[h])
                for d in range(4):
                    both = np.int64(mem.codes[d, along(d, point)])
                    total += mem.code_rows[0, both % HALF, h] + mem.code_rows[1, both // HALF, h]
                mem.features[point, h] = total
            if mem.stones[point] == 0:
                pool(mem.features, point, mem.pooled, np.int64(1))


@kernel
def situation(mem: Any, side: int) -> int:
    """Of `side`, who moves."""
    return 2 * int(mem.totals[1 - side, K_OPEN_FOUR] > 0) + side


@kernel
def network_value(mem: Any, side: int) -> int:
    """What the position is worth to `side`, who moves."""
    catch_up(mem)
    now = situation(mem, side)
    total = mem.value_offsets[now]
    for h in range(WIDTH):
        total += np.int64(mem.pooled[h]) * np.int64(mem.value_heads[now, h])
        mem.coarse[0, h] = min(mem.pooled[h] >> COARSER, MOST_POOLED)
    layer, bias, heads = mem.mixing[now], mem.mixing_bias[now], mem.mixed_heads[now]
    first: Any = np.int64(0)
    for k in range(HIDDEN):
        inner = weigh(mem.coarse, first, layer, k) + bias[k]
        total += (max(inner, 0) >> INNER_SHIFT) * heads[k]
    return int(total * SCALE // (ONE * VALUE_ONE))


@kernel
def network_order(mem: Any, side: int, point: int) -> int:
    """How much a move of `side` is worth trying, in the position whose value was asked for last."""
    now = situation(mem, side)
    return int(weigh(mem.features, point, mem.policy_heads, now) * ORDER_SCALE // (ONE * POLICY_ONE))
