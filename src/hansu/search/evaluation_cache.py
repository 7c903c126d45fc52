"""A cache of network evaluations. Trees reach the same positions again and again, and equal planes have equal
evaluations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

ROOM_BYTES = 32 << 20
ENTRY_BYTES = 160  # Python's overhead for an entry, besides its planes and its evaluation


class EvaluationCache:
    """Policies and values by planes. A full cache is cleared."""

    def __init__(self, actions: int, inputs: Any, room_bytes: int = ROOM_BYTES) -> None:
        """`inputs` is an array like the batches to come; `room_bytes` the maximum size of the cache."""
        self._capacity = room_bytes // (ENTRY_BYTES + inputs[0].nbytes + 4 * (actions + 3))
        self._policy = np.zeros((self._capacity, actions), np.float32)
        self._value = np.zeros((self._capacity, 3), np.float32)
        self._place: dict[bytes, int] = {}

    def forget(self) -> None:
        """Clear the cache."""
        self._place.clear()

    def answer(self, batch: Any, compute: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Policies float32[rows, actions] and values float32[rows, 3] of a batch. `compute` evaluates the rows that are
        not in the cache."""
        if len(batch) > self._capacity:
            return compute(batch)
        if len(self._place) + len(batch) > self._capacity:
            self.forget()
        cached, new = self._place, dict[bytes, int]()
        rows: list[int] = []
        places: list[int] = []
        for i, row in enumerate(batch):
            key = row.tobytes()
            place = cached.get(key, -1)
            if place < 0:
                place = new.setdefault(key, len(cached) + len(new))
                if len(new) > len(rows):
                    rows.append(i)
            places.append(place)
        if new:
            at = slice(len(cached), len(cached) + len(new))
            self._policy[at], self._value[at] = compute(batch if len(rows) == len(batch) else batch[rows])
            cached.update(new)  # last: if `compute` raises, the cache stays as it was
        return self._policy[places], self._value[places]
