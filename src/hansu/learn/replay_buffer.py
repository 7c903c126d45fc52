"""The newest samples in memory, and the batches drawn from them.

Samples are stored as in a file. Planes, legal moves and the policy, under a random symmetry, are computed for each
batch by the game's compiled functions, in threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.core.bits import unpack
from hansu.core.game import Game
from hansu.core.generic import State, legal_mask, planes, symmetric, symmetric_action
from hansu.learn.encoding import Encoding
from hansu.learn.learner import TrainingBatch
from hansu.learn.samples import KINDS, Board, Samples

CHUNK = 512  # rows that a thread fills at a time


class ReplayBuffer:
    """A ring buffer of the newest samples. Any thread may add and draw."""

    def __init__(self, board: Board, capacity: int, entries: int) -> None:
        """`entries`: of a policy."""
        self._capacity, self._entries = capacity, entries
        self._lock = threading.Lock()
        self._arrays: dict[str, Any] = {}
        for name, (kind, axes) in KINDS.items():
            width = {"state": board.words, "action": entries, "share": entries}.get(name, 0)
            self._arrays[name] = np.zeros((capacity, width) if axes == 2 else capacity, kind)
        self._next = 0
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def add(self, samples: Samples) -> None:
        samples = samples.with_entries(self._entries)
        if len(samples) > self._capacity:
            samples = samples.take(slice(len(samples) - self._capacity, None))
        with self._lock:
            at = (self._next + np.arange(len(samples))) % self._capacity
            for name, array in self._arrays.items():
                array[at] = getattr(samples, name)
            self._next = (self._next + len(samples)) % self._capacity
            self.count = min(self.count + len(samples), self._capacity)

    def draw(self, chance: np.random.Generator, rows: int, window: int) -> Samples:
        """Random samples among the newest `window`."""
        with self._lock:
            back = chance.integers(1, min(window, self.count) + 1, rows)
            at = (self._next - back) % self._capacity
            return Samples(**{name: array[at] for name, array in self._arrays.items()})


class BatchEncoder:
    """Turns samples into batches."""

    def __init__(self, game: Game, board: Board, search_value: float, symmetries: bool, threads: int = 1) -> None:
        self._like = board.first.state
        self._board = board
        self._dark = Encoding(game).dark
        self._fill = compiled(fill, type(self._like))
        self._search_value = search_value
        self._symmetries = game.symmetries if symmetries else 1
        self._unit = float(game.score_range)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def encode(self, samples: Samples, batch: TrainingBatch, chance: np.random.Generator) -> None:
        """Fill a batch with as many rows."""
        turns = chance.integers(0, self._symmetries, len(samples))
        arrays = [tensor.numpy() for tensor in batch.tensors]
        inputs = [samples.state, samples.action, samples.share, samples.result, samples.score, samples.value,
                  samples.left, samples.team]  # fmt: skip

        def encode_chunk(start: int) -> None:
            part = slice(start, start + CHUNK)
            self._fill(
                self._like, turns[part], *(array[part] for array in inputs), self._search_value, self._unit,
                *(array[part] for array in arrays),
            )  # fmt: skip

        starts = range(0, len(samples), CHUNK)
        if self._pool is None:
            for start in starts:
                encode_chunk(start)
        else:
            list(self._pool.map(encode_chunk, starts))
        for plane in self._dark:
            arrays[0][:, plane] = 0

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def fill(
    like: State, turns: Any, state: Any, action: Any, share: Any, result: Any, score: Any, value: Any, left: Any,
    team: Any, search_value: float, unit: float, planes_out: Any, legal_out: Any, policy_out: Any, value_out: Any,
    left_out: Any, score_out: Any,
) -> None:  # fmt: skip
    """One row per sample, each under its own symmetry, everything from the mover's side."""
    for i in range(len(turns)):
        k = int(turns[i])
        s = unpack(like, state[i])
        turned = symmetric(s, k)
        planes(turned, planes_out[i])
        legal_mask(turned, legal_out[i])
        policy_out[i, :] = 0.0
        for j in range(action.shape[1]):
            if action[i, j] < 0:
                break
            policy_out[i, symmetric_action(s, int(action[i, j]), k)] = share[i, j]
        sign = 1 if team[i] == 0 else -1
        won = sign * result[i]
        searched = sign * value[i]
        mix = search_value if searched == searched else 0.0  # NaN: there was no search
        if mix == 0.0:
            searched = 0.0
        searched = min(max(searched, -1.0), 1.0)
        value_out[i, 0] = (1.0 - mix) * (won > 0) + mix * (1.0 + searched) / 2.0
        value_out[i, 1] = (1.0 - mix) * (won == 0)
        value_out[i, 2] = (1.0 - mix) * (won < 0) + mix * (1.0 - searched) / 2.0
        left_out[i] = left[i]
        score_out[i] = sign * score[i] / unit
