"""Where finished games go: into memory for the learner, onto disk, into the counts; now and then one into the log.

Writing has a thread of its own. A game counts when it is on disk, so that whatever was counted outlives a crash.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from hansu.core.game import Game
from hansu.learn.alphazero.background_thread import Beside
from hansu.learn.alphazero.games import FinishedGame
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.replay_buffer import Replay
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import Samples

SHOWN_SECONDS = 20.0  # between games that are shown
MOST_WAITING = 256  # lots of games that wait to be written; then those who play wait


class _Lot(NamedTuple):
    samples: Samples
    games: int
    sparred: bool


class Intake:
    def __init__(self, game: Game, run: Run, replay: Replay, shards: ShardWriter, progress: RunProgress,
                 first_number: int) -> None:  # fmt: skip
        """`first_number`: of the next game."""
        self._game, self._run, self._replay, self._shards, self._progress = game, run, replay, shards, progress
        self._number = first_number
        self._lock = threading.Lock()  # games end in two threads where there is a sparring partner
        self._waiting: queue.Queue[_Lot] = queue.Queue(MOST_WAITING)
        self._shown_at = 0.0
        self._results: Counter[int] = Counter()
        self._lengths: list[int] = []
        self._resigned = [0, 0]  # wrongly, in all that were checked
        self.sparred = 0  # games against a named player
        self.beside = Beside("writer", self._write)

    def take(self, done: FinishedGame) -> None:
        """Games of the network with itself."""
        self._take(done, False)

    def take_sparred(self, done: FinishedGame) -> None:
        self._take(done, True)

    def _take(self, done: FinishedGame, sparred: bool) -> None:
        with self._lock:
            samples = replace(done.samples, game=done.samples.game + self._number)
            self._number += len(done.results)
            self._results.update(done.results.tolist())
            self._lengths += done.lengths.tolist()
            self._resigned[0] += done.wrong
            self._resigned[1] += done.checked
        if len(samples):
            self._replay.add(samples)
        lot = _Lot(samples, len(done.results), sparred)
        while not self.beside.stopping and self.beside.failure is None:
            try:
                self._waiting.put(lot, timeout=1.0)
                break
            except queue.Full:
                continue
        if done.watched is not None and time.monotonic() >= self._shown_at:
            self._shown_at = time.monotonic() + SHOWN_SECONDS
            self._show(done.watched)

    def _show(self, actions: Iterable[int]) -> None:
        """A game for the report."""
        position = self._game.first
        for action in actions:
            if not position.legal(action):
                return  # chance has moved, too
            position = position.play(action)
        self._run.log({"kind": "game", **self._progress.facts(), "first": "start", "moves": list(position.moves)})

    def _write(self) -> bool:
        try:
            lot = self._waiting.get_nowait()
        except queue.Empty:
            return False
        self._shards.add(lot.samples)
        self._progress.positions += len(lot.samples)
        self._progress.games += lot.games
        self.sparred += lot.games if lot.sparred else 0
        return True

    def close(self) -> None:
        """Write what waits, when nobody plays any more."""
        while self._write():
            pass
        self._shards.close()

    def told(self) -> dict[str, Any]:
        """How the games went since this was last asked."""
        with self._lock:
            results, lengths, self._results, self._lengths = self._results, self._lengths, Counter(), []
        count = max(sum(results.values()), 1)
        row = {
            "first_wins": round(results[1] / count, 3), "draws": round(results[0] / count, 3),
            "game_length": round(sum(lengths) / max(len(lengths), 1), 1), "sparred": self.sparred,
        }  # fmt: skip
        if self._resigned[1]:
            row["wrong_resignations"] = round(self._resigned[0] / self._resigned[1], 3)
        return row
