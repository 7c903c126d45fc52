"""What docs/lab/self_play_at_scale.md stands on: what an actor makes, what the learner and this machine's Ray can
carry. Connect Four,
the network and settings of `hansu train connect_four alphazero` on a processor. Where something else may be at work
beside it, times are processor time, so that a figure is that of one core.

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
from hansu.learn.alphazero.actor import Actor, Role
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.games import FinishedGame
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled
from hansu.learn.learner import Learner, LearningRateSchedule, TrainingBatch
from hansu.learn.networks import Size, build, description
from hansu.learn.replay_buffer import Encoder, Replay
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import block

SIZES = ((32, 3), (64, 6), (96, 6), (128, 10))


def rate(work: Callable[[], float], seconds: float) -> float:
    """How much work is done in a second of processor time."""
    work()
    began, done = time.process_time(), 0.0
    while time.process_time() - began < seconds:
        done += work()
    return done / (time.process_time() - began)


def arrays(network: Any) -> dict[str, Any]:
    return {name: value.numpy() for name, value in network.state_dict().items()}


def lots_carried(lot: Any, seconds: float) -> tuple[float, float]:
    """Lots a second that arrive from an actor that has nothing to do but send, and the same in bytes."""
    size = len(pickle.dumps(lot))
    with joined("local") as ray:

        class Sender:
            def play(self) -> Any:
                return lot

        sender = ray.remote(Sender).remote()
        orders = [sender.play.remote() for _ in range(2)]
        ray.get(orders)
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            arrived, orders = ray.wait(orders, num_returns=1)
            ray.get(arrived)
            orders.append(sender.play.remote())
            count += 1
        passed = time.perf_counter() - began
    return count / passed, count * size / passed


def main(seconds: float) -> None:
    game = registry.game("connect_four")
    settings = filled(AlphaZeroSettings(), game, "cpu")
    builder = Builder(game, settings, lambda: 0.0, print)
    network = build("tower", builder.view.shape, Size(settings.channels or 0, settings.blocks or 0)).eval()
    actor = Actor(Role(PackedGame.of(game), settings, description(network), builder.beginnings(), 1))
    actor.play(seconds, 0.0, 1, arrays(network))
    began = time.process_time()
    lots = [actor.play(1.0, 0.0, 1, None) for _ in range(int(seconds))]
    passed = time.process_time() - began
    done = FinishedGame.join([lot.finished for lot in lots if lot.finished is not None])
    count, positions = len(done.results), len(done.samples)
    simulations = sum(lot.clock.simulations for lot in lots)
    print(f"actor, {settings.channels} x {settings.blocks}, {builder.simulations} simulations a move, a core:")
    made = ((simulations, "simulations"), (count, "games"), (positions, "positions"))
    print("  " + ", ".join(f"{number / passed:,.0f} {name}" for number, name in made) + " a second")
    one = next(lot for lot in lots if lot.finished is not None)
    print(f"a lot: {len(one.finished.results)} games, {len(pickle.dumps(one)):,} bytes")
    print(f"a game: {positions / count:.1f} positions, {len(pickle.dumps(done)) / count:,.0f} bytes sent, "
          f"{len(block(done.samples, builder.board)) / count:,.0f} in a shard")  # fmt: skip
    for channels, blocks in SIZES:
        sent = arrays(build("tower", builder.view.shape, Size(channels, blocks)))
        print(f"weights of {channels} x {blocks}: {sum(array.nbytes for array in sent.values()):,} bytes")

    replay = Replay(builder.board, 100_000, done.samples.action.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        run.begin({})
        shards = ShardWriter(run, builder.board, 50_000, 1)

        def take() -> float:
            replay.add(done.samples)
            return positions

        def write() -> float:
            shards.add(done.samples)
            return positions

        print(f"learner, a core: {rate(take, seconds):,.0f} positions a second into memory, "
              f"{rate(write, seconds):,.0f} into a shard")  # fmt: skip
        run.close()
    rows = settings.batch or 0
    learner = Learner(network, LearningRateSchedule(), "cpu")
    encoder = Encoder(game, builder.board, settings.search_value, True)
    batch, chance = TrainingBatch.room(rows, builder.view.shape, builder.view.whole), np.random.default_rng(1)

    def learn() -> float:
        encoder.encode(replay.draw(chance, rows, len(replay)), batch, chance)
        learner.step(batch, 0.5)
        return rows

    print(f"  {rate(learn, seconds):,.0f} positions a second learnt from")
    for sent in (one, FinishedGame.join([done] * 10)):
        lots_a_second, bytes_a_second = lots_carried(sent, seconds)
        print(f"Ray, lots of {len(pickle.dumps(sent)):,} bytes: {lots_a_second:,.0f} lots, "
              f"{bytes_a_second / 1e6:,.0f} MB a second")  # fmt: skip


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
