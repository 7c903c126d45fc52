"""Claim: on one graphics card (H200, 16 cores) self-play makes more simulations a second than Pgx with mctx do there:
Connect Four, 128 simulations a move, residual towers of 64 x 6 and 128 x 10 in half precision, compiled by torch, 2 x
8,192 games. The peer's figures are constants, measured on the same kind of card in another run (2.70 M and 1.52 M at
8,192 games): JAX is seldom there where this runs. The goals: 3.7 M, better 5.5 M; and 1.6 M, better 1.8 M.

    python benchmarks/self_play.py [seconds of each measurement]
"""

from __future__ import annotations

import sys
import time

import torch

from hansu.core import registry
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.evaluator import PlayingNetwork
from hansu.learn.alphazero.self_play import PhaseTimer, SelfPlay
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled
from hansu.learn.networks import Size, build

SHAPES = ((64, 6, 2.70e6, 3.7e6), (128, 10, 1.52e6, 1.6e6))  # channels, blocks, the peer's figure, the goal
WARM_UP = 5.0  # seconds


def played(channels: int, blocks: int, seconds: float) -> PhaseTimer:
    """What is searched in so many seconds, after games have drifted apart."""
    game = registry.game("connect_four")
    cores = AlphaZeroSettings(device="cuda", algorithm="puct", simulations="128", games=8192, groups=2, compile=True)
    settings = filled(cores, game, "cuda")
    builder = Builder(game, settings, lambda: 0.0, print)
    network = build("tower", builder.view.shape, Size(channels, blocks)).to("cuda")
    playing = PlayingNetwork(network, "cuda", torch.float16)
    builder.warmup_games(playing)  # compiles everything
    groups = [builder.group(playing, builder.openings(), seed) for seed in (1, 2)]
    play = SelfPlay(playing, groups, lambda done: None)
    for length in (WARM_UP, seconds):
        play.lap()
        until = time.perf_counter() + length
        play.run(lambda until=until: time.perf_counter() < until)  # type: ignore[misc]
    return play.lap()


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("this benchmark needs a graphics card")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    for channels, blocks, peer, goal in SHAPES:
        clock = played(channels, blocks, seconds)
        rate = clock.simulations / clock.seconds
        print(
            f"{torch.cuda.get_device_name()}, {channels} x {blocks}: {rate:,.0f} simulations/s, "
            f"{rate / peer:.2f} x mctx with Pgx, goal {goal:,.0f}: {'ok' if rate >= goal else 'BELOW'}; of the time "
            f"the cores waited for the network {clock.waiting / clock.seconds:.0%}, moves took "
            f"{clock.moving / clock.seconds:.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
