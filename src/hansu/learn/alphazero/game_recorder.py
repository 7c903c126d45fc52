"""Where finished games go: into the replay buffer, onto disk and into the statistics; now and then one into the log.

Writing has a thread of its own. A game is counted once it is on disk, so that every counted game survives a crash.
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
from hansu.learn.alphazero.background_thread import BackgroundThread
from hansu.learn.alphazero.games import FinishedGames
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.replay_buffer import ReplayBuffer
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import Samples

EXAMPLE_SECONDS = 20.0  # between example games in the log
QUEUE_SIZE = 256  # batches of games; if the queue is full, self-play waits


class _QueuedGames(NamedTuple):
    samples: Samples
    games: int
    sparred: bool


class GameRecorder:
    def __init__(self, game: Game, run: Run, replay: ReplayBuffer, shards: ShardWriter, progress: RunProgress,
                 first_number: int) -> None:  # fmt: skip
        """`first_number`: of the next game."""
        self._game, self._run, self._replay, self._shards, self._progress = game, run, replay, shards, progress
        self._number = first_number
        self._lock = threading.Lock()  # sparring finishes games in a thread of its own
        self._queue: queue.Queue[_QueuedGames] = queue.Queue(QUEUE_SIZE)
        self._example_at = 0.0
        self._results: Counter[int] = Counter()
        self._lengths: list[int] = []
        self._wrong_resignations = self._checked_resignations = 0
        self.sparred = 0  # games against a named player
        self.thread = BackgroundThread("writer", self._write)

    def record(self, done: FinishedGames) -> None:
        """Games of the network against itself."""
        self._record(done, False)

    def record_sparring(self, done: FinishedGames) -> None:
        self._record(done, True)

    def _record(self, done: FinishedGames, sparred: bool) -> None:
        with self._lock:
            samples = replace(done.samples, game=done.samples.game + self._number)
            self._number += len(done.results)
            self._results.update(done.results.tolist())
            self._lengths += done.lengths.tolist()
            self._wrong_resignations += done.wrong_resignations
            self._checked_resignations += done.checked_resignations
        if len(samples):
            self._replay.add(samples)
        games = _QueuedGames(samples, len(done.results), sparred)
        while not self.thread.stopping and self.thread.failure is None:
            try:
                self._queue.put(games, timeout=1.0)
                break
            except queue.Full:
                continue
        if done.example is not None and time.monotonic() >= self._example_at:
            self._example_at = time.monotonic() + EXAMPLE_SECONDS
            self._log_example(done.example)

    def _log_example(self, actions: Iterable[int]) -> None:
        """Log a game for the report."""
        position = self._game.first
        for action in actions:
            if not position.legal(action):
                return  # the game has chance events, which are not recorded
            position = position.play(action)
        self._run.log({"kind": "game", **self._progress.facts(), "first": "start", "moves": list(position.moves)})

    def _write(self) -> bool:
        try:
            games = self._queue.get_nowait()
        except queue.Empty:
            return False
        self._shards.add(games.samples)
        self._progress.positions += len(games.samples)
        self._progress.games += games.games
        self.sparred += games.games if games.sparred else 0
        return True

    def close(self) -> None:
        """Write the games in the queue; called when no more games are played."""
        while self._write():
            pass
        self._shards.close()

    def statistics(self) -> dict[str, Any]:
        """Results and lengths of the games since the last call, for the log."""
        with self._lock:
            results, lengths, self._results, self._lengths = self._results, self._lengths, Counter(), []
        count = max(sum(results.values()), 1)
        row = {
            "first_wins": round(results[1] / count, 3), "draws": round(results[0] / count, 3),
            "game_length": round(sum(lengths) / max(len(lengths), 1), 1), "sparred": self.sparred,
        }  # fmt: skip
        if self._checked_resignations:
            row["wrong_resignations"] = round(self._wrong_resignations / self._checked_resignations, 3)
        return row
