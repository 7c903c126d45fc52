"""Positions to begin games from: those whose game ended otherwise than its search had thought.

Either the search judged such a position wrongly or somebody slipped later; a new game from there tells which, and its
result is one more, independent word on a position that is not understood yet. (Beginning games in positions of earlier
ones: Trudeau and Bowling 2023, "Targeted search control in AlphaZero".)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.learn.samples import Samples

ROOM = 100_000  # the newest so many are kept


class StartPositions:
    """A ring of positions. One thread uses it."""

    def __init__(self, words: int, room: int = ROOM) -> None:
        """`words`: of a state."""
        self._states = np.zeros((room, words), np.int64)
        self._plies = np.zeros(room, np.int32)
        self._next = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, samples: Samples, chance: np.random.Generator) -> None:
        """Some positions of finished games, each the more likely the farther the result is from the search's value."""
        surprise = np.abs(samples.result - np.nan_to_num(samples.value)) / 2
        chosen = np.flatnonzero(chance.random(len(surprise)) < surprise)[-len(self._plies) :]
        at = (self._next + np.arange(len(chosen))) % len(self._plies)
        self._states[at], self._plies[at] = samples.state[chosen], samples.ply[chosen]
        self._next = (self._next + len(chosen)) % len(self._plies)
        self._count = min(self._count + len(chosen), len(self._plies))

    def draw(self, count: int, chance: np.random.Generator) -> tuple[Any, Any]:
        """So many states, int64[count, words], and how many plies had been played."""
        at = chance.integers(0, self._count, count)
        return self._states[at], self._plies[at]
