"""Samples with made-up numbers."""

from __future__ import annotations

import numpy as np

from hansu.core import flat, generic
from hansu.learn.samples import KINDS, Board, Samples


def some(board: Board, count: int, seed: int = 1) -> Samples:
    """Samples of random games, whose numbers mean nothing."""
    chance = np.random.default_rng(seed)
    states, s = [], board.first.state
    while len(states) < count:
        states.append(flat(s))
        s = generic.play(s, int(chance.choice(list(generic.actions(s)))))
        s = board.first.state if generic.over(s) else s
    action = np.where(np.arange(5) < chance.integers(1, 6, (count, 1)), chance.integers(0, 3, (count, 5)), -1)
    return Samples(
        np.array(states, np.int64), action.astype(np.int32), (action >= 0).astype(np.float32),
        chance.integers(-1, 2, count).astype(np.int8), chance.random(count).astype(np.float32),
        np.where(chance.random(count) < 0.2, np.nan, chance.random(count)).astype(np.float32),
        np.arange(count, dtype=np.int32), np.arange(count, dtype=np.int32)[::-1].copy(),
        chance.integers(0, 2, count).astype(np.int8), np.arange(count) // 7,
    )  # fmt: skip


def equal(a: Samples, b: Samples) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name == "value") for name in KINDS)
