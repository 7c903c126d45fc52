"""The evaluation: a quantized network over the line codes, updated incrementally (the idea of NNUE, Yu Nasu 2018).

1. Every line (patterns.py) has a row of WIDTH int8 numbers, in one table for black's codes and one for white's.
2. The *features* of a point are the sum of the eight rows of its four lines and a bias.
3. The policy of a move is a weighted sum of the positive features (ReLU) of its point.
4. The positive features of all empty points are summed (*pooled*). The value is a weighted sum of the pooled features
   plus the output of a hidden layer of HIDDEN units.

Both heads have weights for four *situations*: either side is to move, and the opponent threatens an open four or does
not. The network is invariant under the symmetries of the board: the four lines share their tables, and a code and its
reversal share a row.

The features and their pooled sum are the *accumulator*. A stone changes the codes of the forty points that see it, so
two rows of each empty one of them are replaced. The old features are saved for undoing the stone. `push_stone` and
`pop_stone` only note stones; `update_accumulator` applies them when a value is needed, because a search removes most
stones before that.

ONE stands for 1.0 in rows and features, VALUE_ONE and POLICY_ONE in the weights of the two heads. The hidden layer
takes pooled features divided by 8 and clipped at MOST_POOLED. Its weights are at most MOST_MIXING, so its sums fit into
32 bits. Every rule has its own network.
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
    ALONG_SIZE,
    CODE_DIGITS,
    HALF,
    MARGIN,
    NEIGHBOURS,
    POINTS,
    STEPS,
    STRIDE,
    WINDOW,
    along,
    change_by,
    neighbours,
    toggle_empty,
)
from hansu.games.renju.engine.patterns import CODES, CORE_OF, K_OPEN_FOUR, LINE_OF, LINES, REACH

SCALE = 200  # a score s means a chance to win of 1 / (1 + exp(-s / SCALE))
ORDER_SCALE = 100  # of move ordering: one unit of log-probability
WIDTH = 64
HIDDEN = 32
SITUATIONS = 4
ONE = 64
VALUE_ONE = 4096
POLICY_ONE = 256
COARSER, MOST_POOLED = 3, 4095  # right shift and upper limit of the pooled features that enter the hidden layer
MIXING_ONE, MOST_MIXING = 65536, 4095
INNER_BITS = 8  # fractional bits of the hidden layer's output
INNER_SHIFT = 11  # MIXING_ONE * (ONE >> COARSER) is 1 << INNER_SHIFT + INNER_BITS
ANSWER_ONE = ONE * VALUE_ONE >> INNER_BITS
ENDS_EMPTY = (np.arange(len(LINES)) == CORE_OF)[:, None]
STONES = 128  # maximum stones of a search line

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
"""The arrays of a network file: dtype and shape."""

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
"""The integer that stands for 1.0 in each array."""

NETWORK_FIELDS = [
    ("code_rows", np.int8, (2, CODES, WIDTH)),  # [colour]: each row is one cache line
    ("features", np.int16, (POINTS, WIDTH)),
    ("coarse", np.int16, (1, WIDTH)),  # the pooled features as the hidden layer takes them
    ("pooled", np.int32, WIDTH),
    ("old_pooled", np.int32, (STONES, WIDTH)),  # [stone]: the pooled features before that stone
    ("old_features", np.int16, (STONES, NEIGHBOURS, WIDTH)),  # [stone]: the features of the empty points that see it
    ("applied_codes", np.uint32, (4, ALONG_SIZE)),  # the codes of the accumulator's position
    ("applied_free", np.int64, (4, STRIDE)),  # the empty points of the accumulator's position
    ("applied", np.int64),  # the number of stones applied to the accumulator
    ("pushed", np.int64),  # the number of stones pushed
    ("pushed_stones", np.int64, STONES),  # the stones pushed, each point << 1 | colour
    *((name, kind, shape) for name, (kind, shape) in PARTS.items() if name != "line_steps"),
]


def network_path(rule: str) -> Path:
    """The file of a rule's default network."""
    return Path(__file__).with_name(f"network_{rule}.npz")


@cache
def default_network(rule: str) -> dict[str, Any]:
    """The arrays of a rule's default network."""
    return read_network(network_path(rule))


def read_network(path: Path) -> dict[str, Any]:
    """The arrays of a network file, by the names of PARTS; raises HansuError if the file holds no such network."""
    hint = Message("hansu train renju engine_network creates such a file")
    if not path.is_file():
        raise not_there(path, hint)
    try:
        arrays = dict(zip(PARTS, arrays_of(path, *PARTS), strict=True))
    except ValueError as error:
        raise HansuError("{path} is not a network of the Renju engine: {why}", hint, path=path, why=error) from None
    for name, (kind, shape) in PARTS.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != kind:
            raise HansuError(
                "{path} is not a network of the Renju engine: {name} is {found}, not {expected}",
                hint,
                path=path,
                name=name,
                found=f"{array.dtype}{list(array.shape)}",
                expected=f"{np.dtype(kind)}{list(shape)}",
            )
    return arrays


def line_steps(rows: Any) -> Any:
    """The rows of lines, int8[2, LINES, WIDTH], as a file stores them: rows of lines with empty ends, and for other
    lines the difference to the line with empty ends. This compresses better."""
    return np.where(ENDS_EMPTY, rows, rows - rows[:, CORE_OF])


def line_rows(network: dict[str, Any]) -> Any:
    """int8[2, LINES, WIDTH]: the rows of all lines, from the differences that a file stores."""
    steps = network["line_steps"]
    return np.where(ENDS_EMPTY, steps, steps + steps[:, CORE_OF])


def load_network(mem: Any, network: dict[str, Any]) -> None:
    """Copy a network into the memory of a searching thread."""
    mem["code_rows"] = line_rows(network)[:, LINE_OF]
    for name, array in network.items():
        if name != "line_steps":
            mem[name] = array


@compiled_as("hansu.games.renju.engine.vector_code:update_features")
def update_features(
    features: Any, pooled: Any, old: Any, number: int, rows: Any, codes: Any, first: int, change: int, free: int,
    point: int, step: int,
) -> int:  # fmt: skip
    """Apply a stone at `point` to WINDOW cells of a line, from `first` on: add `change` times its place value to their
    codes, and replace the rows of the `free` cells (bits). Saves the old features to `old`, from row `number` on.
    Returns the next free row of `old`."""
    window = codes.reshape(-1)[first : first + WINDOW]
    before = window.astype(np.int64)
    window += (change * CODE_DIGITS).astype(np.uint32)
    after = window.astype(np.int64)
    for i in range(WINDOW):
        if free >> i & 1:
            q = point + (i - REACH) * step
            saved = features[q].copy()
            features[q] += rows[0, after[i] % HALF].astype(np.int16) - rows[0, before[i] % HALF]
            features[q] += rows[1, after[i] // HALF].astype(np.int16) - rows[1, before[i] // HALF]
            pooled += np.maximum(features[q], 0) - np.maximum(saved, 0)
            old.reshape(-1, WIDTH)[number] = saved
            number += 1
    return number


@compiled_as("hansu.games.renju.engine.vector_code:restore")
def restore(
    features: Any, old: Any, number: int, codes: Any, first: int, change: int, free: int, point: int, step: int
) -> int:
    """Undo `update_features` for codes and features. Returns the next row of `old`."""
    codes.reshape(-1)[first : first + WINDOW] -= (change * CODE_DIGITS).astype(np.uint32)
    for i in range(WINDOW):
        if free >> i & 1:
            features[point + (i - REACH) * step] = old.reshape(-1, WIDTH)[number]
            number += 1
    return number


@compiled_as("hansu.games.renju.engine.vector_code:pool")
def pool(features: Any, point: int, pooled: Any, sign: Any) -> None:
    """Add a point's positive features to the pooled ones (sign 1), or subtract them (-1)."""
    pooled += sign * np.maximum(features[point], 0)


@compiled_as("hansu.games.renju.engine.vector_code:weigh")
def weigh(features: Any, point: int, heads: Any, row: int) -> int:
    """The sum of a point's positive features, weighted by a row of `heads`."""
    return int((np.maximum(features[point], 0).astype(int) * heads[row]).sum())


@kernel
def add_stone(mem: Any, point: int, colour: int) -> None:
    """Apply a stone to the accumulator."""
    number = mem.applied
    mem.applied += 1
    for h in range(WIDTH):
        mem.old_pooled[number, h] = mem.pooled[h]
    pool(mem.features, point, mem.pooled, np.int64(-1))
    toggle_empty(mem.applied_free, point)
    row, change = NEIGHBOURS * number, change_by(colour)
    for d in range(4):
        here = along(d, point)
        row = update_features(
            mem.features, mem.pooled, mem.old_features, row, mem.code_rows, mem.applied_codes,
            d * ALONG_SIZE + here - REACH, change, neighbours(mem.applied_free, d, here), point, STEPS[d],
        )  # fmt: skip


@kernel
def remove_stone(mem: Any, point: int, colour: int) -> None:
    """Undo the last `add_stone`."""
    mem.applied -= 1
    number = mem.applied
    row, change = NEIGHBOURS * number, change_by(colour)
    for d in range(4):
        here = along(d, point)
        row = restore(
            mem.features, mem.old_features, row, mem.applied_codes, d * ALONG_SIZE + here - REACH, change,
            neighbours(mem.applied_free, d, here), point, STEPS[d],
        )  # fmt: skip
    toggle_empty(mem.applied_free, point)
    for h in range(WIDTH):
        mem.pooled[h] = mem.old_pooled[number, h]


@kernel
def push_stone(mem: Any, point: int, colour: int) -> None:
    """Note that a stone was placed; the accumulator is updated later, if at all."""
    mem.pushed_stones[mem.pushed] = point << 1 | colour
    mem.pushed += 1


@kernel
def pop_stone(mem: Any) -> None:
    """Note that the last stone was removed."""
    mem.pushed -= 1
    if mem.applied > mem.pushed:
        stone = mem.pushed_stones[mem.pushed]
        remove_stone(mem, stone >> 1, stone & 1)


@kernel
def update_accumulator(mem: Any) -> None:
    """Apply all pushed stones that are not applied yet."""
    while mem.applied < mem.pushed:
        stone = mem.pushed_stones[mem.applied]
        add_stone(mem, stone >> 1, stone & 1)


@kernel
def refresh(mem: Any) -> None:
    """Compute the accumulator from the codes of the board."""
    mem.pooled[:] = 0
    mem.pushed = mem.applied = 0
    for d in range(4):
        for here in range(ALONG_SIZE):
            mem.applied_codes[d, here] = mem.codes[d, here]
        for line in range(STRIDE):
            mem.applied_free[d, line] = mem.free[d, line]
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
    """The situation of `side`, who is to move: 0 to 3."""
    return 2 * int(mem.totals[1 - side, K_OPEN_FOUR] > 0) + side


@kernel
def network_value(mem: Any, side: int) -> int:
    """The evaluation of the position for `side`, who is to move; 200 points are one logit."""
    update_accumulator(mem)
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
    """The policy of a move of `side`, in the position that `network_value` evaluated last; 100 points are one logit."""
    now = situation(mem, side)
    return int(weigh(mem.features, point, mem.policy_heads, now) * ORDER_SCALE // (ONE * POLICY_ONE))
