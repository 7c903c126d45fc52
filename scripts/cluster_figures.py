"""The measurements behind docs/lab/self_play_at_scale.md: the output of an actor, and the throughput of the learner and
of this machine's Ray. They use Connect Four with the network and settings of `hansu train connect_four alphazero` on a
processor. Most times are processor time, so that a figure holds for one core even if other programs are running.

    python scripts/cluster_figures.py [seconds of each measurement]
"""

from __future__ import annotations

import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hansu.arena.game_transfer import PackedGame
from hansu.core import registry
from hansu.core.ray_session import joined
from hansu.learn.alphazero.actor import Actor, ActorSettings
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.games import FinishedGames
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled
from hansu.learn.learner import Learner, LearningRateSchedule, TrainingBatch
from hansu.learn.networks import Size, build, description
from hansu.learn.replay_buffer import BatchEncoder, ReplayBuffer
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import block

SIZES = ((32, 3), (64, 6), (96, 6), (128, 10))


def rate(work: Callable[[], float], seconds: float) -> float:
    """The work done per second of processor time."""
    work()
    began, done = time.process_time(), 0.0
    while time.process_time() - began < seconds:
        done += work()
    return done / (time.process_time() - began)


def arrays(network: Any) -> dict[str, Any]:
    return {name: value.numpy() for name, value in network.state_dict().items()}


def ray_throughput(batch: Any, seconds: float) -> tuple[float, float]:
    """Batches and bytes per second that arrive from an actor that only sends."""
    size = len(pickle.dumps(batch))
    with joined("local") as ray:

        class Sender:
            def play(self) -> Any:
                return batch

        sender = ray.remote(Sender).remote()
        tasks = [sender.play.remote() for _ in range(2)]
        ray.get(tasks)
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            ready, tasks = ray.wait(tasks, num_returns=1)
            ray.get(ready)
            tasks.append(sender.play.remote())
            count += 1
        passed = time.perf_counter() - began
    return count / passed, count * size / passed


def main(seconds: float) -> None:
    game = registry.game("connect_four")
    settings = filled(AlphaZeroSettings(), game, "cpu")
    builder = Builder(game, settings, lambda: 0.0, print)
    network = build("tower", builder.view.shape, Size(settings.channels or 0, settings.blocks or 0)).eval()
    actor = Actor(ActorSettings(PackedGame.of(game), settings, description(network), builder.openings(), 1))
    actor.play(seconds, 0.0, 1, arrays(network))
    began = time.process_time()
    batches = [actor.play(1.0, 0.0, 1, None) for _ in range(int(seconds))]
    passed = time.process_time() - began
    done = FinishedGames.join([batch.finished for batch in batches if batch.finished is not None])
    count, positions = len(done.results), len(done.samples)
    simulations = sum(batch.clock.simulations for batch in batches)
    print(f"actor, {settings.channels} x {settings.blocks}, {builder.simulations} simulations per move, per core:")
    totals = ((simulations, "simulations"), (count, "games"), (positions, "positions"))
    print("  " + ", ".join(f"{number / passed:,.0f} {name}" for number, name in totals) + " per second")
    one = next(batch for batch in batches if batch.finished is not None)
    print(f"a batch: {len(one.finished.results)} games, {len(pickle.dumps(one)):,} bytes")
    print(f"a game: {positions / count:.1f} positions, {len(pickle.dumps(done)) / count:,.0f} bytes sent, "
          f"{len(block(done.samples, builder.board)) / count:,.0f} in a shard")  # fmt: skip
    for channels, blocks in SIZES:
        sent = arrays(build("tower", builder.view.shape, Size(channels, blocks)))
        print(f"weights of {channels} x {blocks}: {sum(array.nbytes for array in sent.values()):,} bytes")

    replay = ReplayBuffer(builder.board, 100_000, done.samples.action.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        run.begin({})
        shards = ShardWriter(run, builder.board, 50_000, 1)

        def add() -> float:
            replay.add(done.samples)
            return positions

        def write() -> float:
            shards.add(done.samples)
            return positions

        print(f"learner, per core: {rate(add, seconds):,.0f} positions per second into the replay buffer, "
              f"{rate(write, seconds):,.0f} into a shard")  # fmt: skip
        run.close()
    rows = settings.batch or 0
    learner = Learner(network, LearningRateSchedule(), "cpu")
    encoder = BatchEncoder(game, builder.board, settings.search_value, True)
    batch, chance = TrainingBatch.empty(rows, builder.view.shape, builder.view.whole), np.random.default_rng(1)

    def train() -> float:
        encoder.encode(replay.draw(chance, rows, len(replay)), batch, chance)
        learner.step(batch, 0.5)
        return rows

    print(f"  {rate(train, seconds):,.0f} positions per second trained on")
    for sent in (one, FinishedGames.join([done] * 10)):
        batches_per_second, bytes_per_second = ray_throughput(sent, seconds)
        print(f"Ray, batches of {len(pickle.dumps(sent)):,} bytes: {batches_per_second:,.0f} per second, "
              f"{bytes_per_second / 1e6:,.0f} MB per second")  # fmt: skip


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
