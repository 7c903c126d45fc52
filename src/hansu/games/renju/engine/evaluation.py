"""What a shape is worth: tables of weights, one for each rule, colour and turn.

`weights[colour, 0]` counts where that colour is to move, `weights[colour, 1]` where it waits; `order` says how much a
move is worth trying. The file weights.npz holds what self-play has taught (docs/renju.md); `handmade` is where that
began.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hansu.games.renju.engine.patterns import SHAPES

SCALE = 200  # a score of so much is a chance to win of 1 / (1 + 1/e)
ORDER_SCALE = 100  # of the order: a unit of log-probability
WEIGHTS = Path(__file__).parent / "weights.npz"
CLASS_WORTH = np.array([0, 1, 3, 6, 14, 17, 20, 24, 60, 75, 85, 400, 1500, 0, 0])


def handmade() -> tuple[Any, Any]:
    """Weights and order by hand: what each class is worth, added up."""
    classes = np.array(SHAPES)
    calm = np.minimum(CLASS_WORTH, 100)[classes].sum(axis=1) / 8
    wild = CLASS_WORTH[classes].sum(axis=1)
    weights = np.stack([np.stack([calm * 1.1, calm])] * 2).astype(np.int64)
    order = np.stack([np.stack([wild * 2, wild * 1.4])] * 2).astype(np.int64)
    return weights, order


@cache
def read_weights(rule: str) -> tuple[Any, Any]:
    """(weights, order) for a rule, each int[2, 2, shapes]."""
    if not WEIGHTS.exists():
        return handmade()
    with np.load(WEIGHTS, allow_pickle=False) as file:
        return file[f"{rule}_weights"], file[f"{rule}_order"]
