"""The learner's thread: it draws batches, takes training steps, publishes newer weights and writes checkpoints.

`reuse` limits how often a position is used: a learner that is ahead waits for games. Two batches are filled
alternately, so that a graphics card never waits for the cores.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from hansu.learn.alphazero.background_thread import BackgroundThread
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Stream
from hansu.learn.learner import Learner, TrainingBatch
from hansu.learn.replay_buffer import BatchEncoder, ReplayBuffer
from hansu.learn.run import Run

PUBLISH_SECONDS = 1.5  # between newer weights
FIRST_BATCHES = 20  # batches of positions that must exist before training starts


class WeightConsumer(Protocol):
    """Receives newer weights; the event of `source` marks when they are computed."""

    def publish(self, network: Any, source: Stream) -> None: ...


class Trainer:
    def __init__(self, learner: Learner, replay: ReplayBuffer, encoder: BatchEncoder, settings: AlphaZeroSettings,
                 progress: RunProgress, consumers: Sequence[WeightConsumer], whole: bool, run: Run,
                 saved: Callable[[], None]) -> None:  # fmt: skip
        """`saved` is called after each checkpoint, in the learner's thread."""
        self.learner = learner
        self._replay, self._encoder, self._settings, self._progress = replay, encoder, settings, progress
        self._consumers, self._run, self._saved = consumers, run, saved
        self._chance = np.random.default_rng(settings.seed + 1 + learner.steps)
        assert settings.batch is not None and settings.window is not None and settings.min_window is not None
        self._rows, self._window, self._min_window = settings.batch, settings.window, settings.min_window
        device = learner.device
        self._batches = [TrainingBatch.empty(self._rows, learner.network.shape, whole, device) for _ in range(2)]
        self._filled: TrainingBatch | None = None  # the batch of the next step
        self._publish_at = 0.0
        self._checkpoint_at = time.monotonic() + settings.checkpoint_seconds
        self._losses_at = time.monotonic() + settings.log_seconds
        self.losses: dict[str, float] = {}
        self._snapshot_requested, self._snapshot_ready = threading.Event(), threading.Event()
        self._snapshot: Any = None
        self.thread = BackgroundThread("learner", self._work)

    @property
    def window(self) -> int:
        """How many of the newest positions batches are drawn from now; it grows during the run."""
        size = self._min_window + self._progress.share * (self._window - self._min_window)
        return min(max(int(size), self._rows), len(self._replay))

    @property
    def _ready(self) -> bool:
        """Are there enough positions, and does `reuse` allow another step?"""
        if len(self._replay) < min(self._min_window, FIRST_BATCHES * self._rows):
            return False
        return self.learner.steps * self._rows < self._settings.reuse * self._progress.positions

    def precompile(self, log: Callable[[str], None]) -> None:
        """Capture the training step on a card, before other threads use it."""
        if self.learner.device != "cpu":
            self.learner.capture(self._batches[0], log)

    def copy(self) -> Any:
        """A copy of the averaged weights, from the learner's thread."""
        with self.learner.stream as stream:
            network = copy.deepcopy(self.learner.average)
        stream.synchronize()
        network.steps = self.learner.steps
        return network

    def snapshot(self) -> Any:
        """A copy of the averaged weights, for another thread; None if the learner has stopped."""
        self._snapshot_ready.clear()
        self._snapshot_requested.set()
        while not self._snapshot_ready.wait(0.1):
            if self.thread.stopping or self.thread.failure is not None:
                return None
        return self._snapshot

    def _work(self) -> bool:
        if self._snapshot_requested.is_set():
            self._snapshot_requested.clear()
            self._snapshot = self.copy()
            self._snapshot_ready.set()
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
        """A training step; while the card computes it, the next batch is filled."""
        batch, other = self._batches if self.learner.steps % 2 == 0 else self._batches[::-1]
        if self._filled is not batch:
            self._fill(batch)
        self.learner.step(batch, self._progress.share)
        self._progress.steps = self.learner.steps
        self._fill(other)
        self._filled = other
        self.learner.stream.wait()
        if time.monotonic() >= self._publish_at:
            self._publish_at = time.monotonic() + PUBLISH_SECONDS
            self.publish()

    def _fill(self, batch: TrainingBatch) -> None:
        self._encoder.encode(self._replay.draw(self._chance, self._rows, self.window), batch, self._chance)

    def publish(self) -> None:
        """Give the averaged weights to all players."""
        for consumer in self._consumers:
            consumer.publish(self.learner.average, self.learner.stream)

    def checkpoint(self) -> None:
        """Write a checkpoint; raises `Diverged` instead if the loss or a weight is infinite or NaN."""
        self.losses = self.learner.losses() or self.losses
        arrays = self.learner.arrays()
        self._run.save_checkpoint(arrays, {"steps": self.learner.steps, **self._progress.facts()})
        self._saved()
