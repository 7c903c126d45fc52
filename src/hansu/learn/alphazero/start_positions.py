"""Start positions from earlier games whose result differed from the search's value.

Either the search misjudged such a position or a player made a mistake later. A new game from there shows which, and its
result is another, independent sample for a position that the network does not understand yet. (Trudeau and Bowling
2023, "Targeted search control in AlphaZero".)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.learn.samples import Samples

CAPACITY = 100_000  # the newest positions are kept


class StartPositions:
    """A ring buffer of positions. It belongs to one thread."""

    def __init__(self, words: int, capacity: int = CAPACITY) -> None:
        """`words`: of a state."""
        self._states = np.zeros((capacity, words), np.int64)
        self._plies = np.zeros(capacity, np.int32)
        self._next = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, samples: Samples, chance: np.random.Generator) -> None:
        """Add positions of finished games, each with a probability that grows with the error of the search's value."""
        surprise = np.abs(samples.result - np.nan_to_num(samples.value)) / 2
        chosen = np.flatnonzero(chance.random(len(surprise)) < surprise)[-len(self._plies) :]
        at = (self._next + np.arange(len(chosen))) % len(self._plies)
        self._states[at], self._plies[at] = samples.state[chosen], samples.ply[chosen]
        self._next = (self._next + len(chosen)) % len(self._plies)
        self._count = min(self._count + len(chosen), len(self._plies))

    def draw(self, count: int, chance: np.random.Generator) -> tuple[Any, Any]:
        """Random states, int64[count, words], and the plies played before them, int32[count]."""
        at = chance.integers(0, self._count, count)
        return self._states[at], self._plies[at]
