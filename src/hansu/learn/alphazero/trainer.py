"""The learner beside the search: draws batches, takes steps, offers newer weights to those who play, and writes
checkpoints.

How often a position is learnt from is bounded (`reuse`): a learner that is ahead waits for games. Two batches are
filled in turns, so that a graphics card never waits for the cores.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from hansu.learn.alphazero.background_thread import Beside
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Lane
from hansu.learn.learner import Learner, TrainingBatch
from hansu.learn.replay_buffer import Encoder, Replay
from hansu.learn.run import Run

OFFER_SECONDS = 1.5  # between offers of newer weights
FIRST_BATCHES = 20  # so many batches of positions are waited for


class Taker(Protocol):
    """Whoever wants newer weights, whose making was marked in a lane."""

    def offer(self, network: Any, made_by: Lane) -> None: ...


class Trainer:
    def __init__(self, learner: Learner, replay: Replay, encoder: Encoder, settings: AlphaZeroSettings, progress:
    RunProgress,
                 players: Sequence[Taker], whole: bool, run: Run, saved: Callable[[], None]) -> None:  # fmt: skip
        """`saved` is called after each checkpoint, in the learner's thread."""
        self.learner = learner
        self._replay, self._encoder, self._settings, self._progress = replay, encoder, settings, progress
        self._players, self._run, self._saved = players, run, saved
        self._chance = np.random.default_rng(settings.seed + 1 + learner.steps)
        assert settings.batch is not None and settings.window is not None and settings.min_window is not None
        self._rows, self._window, self._least_window = settings.batch, settings.window, settings.min_window
        device = learner.device
        self._batches = [TrainingBatch.room(self._rows, learner.network.shape, whole, device) for _ in range(2)]
        self._filled: TrainingBatch | None = None  # the batch that the next step learns from
        self._offer_at = 0.0
        self._checkpoint_at = time.monotonic() + settings.checkpoint_seconds
        self._losses_at = time.monotonic() + settings.log_seconds
        self.losses: dict[str, float] = {}
        self._wanted, self._made = threading.Event(), threading.Event()
        self._snapshot: Any = None
        self.beside = Beside("learner", self._work)

    @property
    def window(self) -> int:
        """How many of the newest positions are learnt from now: it grows through the run."""
        grown = self._least_window + self._progress.share * (self._window - self._least_window)
        return min(max(int(grown), self._rows), len(self._replay))

    @property
    def _ready(self) -> bool:
        """Are there enough positions, and has each not been learnt from too often?"""
        if len(self._replay) < min(self._least_window, FIRST_BATCHES * self._rows):
            return False
        return self.learner.steps * self._rows < self._settings.reuse * self._progress.positions

    def precompile(self, tell: Callable[[str], None]) -> None:
        """Before other threads are at work: what has to be recorded on the card."""
        if self.learner.device != "cpu":
            self.learner.record(self._batches[0], tell)

    def copy(self) -> Any:
        """The averaged weights as a network of their own, in the learner's thread."""
        with self.learner.lane as lane:
            made = copy.deepcopy(self.learner.average)
        lane.finish()
        made.steps = self.learner.steps
        return made

    def snapshot(self) -> Any:
        """A copy of the averaged weights, for another thread; None when the learner has stopped."""
        self._made.clear()
        self._wanted.set()
        while not self._made.wait(0.1):
            if self.beside.stopping or self.beside.failure is not None:
                return None
        return self._snapshot

    def _work(self) -> bool:
        if self._wanted.is_set():
            self._wanted.clear()
            self._snapshot = self.copy()
            self._made.set()
        now = time.monotonic()
        if now >= self._losses_at:
            self._losses_at = now + self._settings.log_seconds
            self.losses = self.learner.losses() or self.losses
        if now >= self._checkpoint_at:
            self._checkpoint_at = now + self._settings.checkpoint_seconds
            self.checkpoint()
        if not self._ready or self._progress.over:
            return False
        self._step()
        return True

    def _step(self) -> None:
        """A step; while the card is at it, the next batch is filled."""
        batch, other = self._batches if self.learner.steps % 2 == 0 else self._batches[::-1]
        if self._filled is not batch:
            self._fill(batch)
        self.learner.step(batch, self._progress.share)
        self._progress.steps = self.learner.steps
        self._fill(other)
        self._filled = other
        self.learner.lane.wait()
        if time.monotonic() >= self._offer_at:
            self._offer_at = time.monotonic() + OFFER_SECONDS
            self.offer()

    def _fill(self, batch: TrainingBatch) -> None:
        self._encoder.encode(self._replay.draw(self._chance, self._rows, self.window), batch, self._chance)

    def offer(self) -> None:
        """Let those who play have the averaged weights."""
        for playing in self._players:
            playing.offer(self.learner.average, self.learner.lane)

    def checkpoint(self) -> None:
        """Raises where the loss or a weight is no number any more, and then writes nothing."""
        self.losses = self.learner.losses() or self.losses
        arrays = self.learner.arrays()
        self._run.save_checkpoint(arrays, {"steps": self.learner.steps, **self._progress.facts()})
        self._saved()
