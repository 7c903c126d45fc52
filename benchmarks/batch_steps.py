"""Claim: a batch of games (`hansu.batch`) makes more steps a second on one core than Pgx: Connect Four, 4,096 games
side by side. The goal: 10 million steps a second."""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np
from measure import claim, seconds

import hansu

GAMES, STEPS = 4096, 40
RUNS = 3  # of which the best counts


def ours() -> float:
    batch = hansu.batch("connect_four", GAMES, threads=1)
    draw = np.random.default_rng(1)
    columns = draw.integers(0, 7, (STEPS, GAMES))

    def play() -> None:
        """A full column is exchanged for the first free one: that is what the mask is for."""
        batch.reset()
        for wanted in columns:
            free = batch.legal_mask()
            batch.step(np.where(free[np.arange(GAMES), wanted], wanted, free.argmax(1)))
            batch.reset(batch.over)

    play()
    return GAMES * STEPS / seconds(play, RUNS)


def bare() -> float:
    """Steps alone: what is played is decided before."""
    batch = hansu.batch("connect_four", GAMES, threads=1)
    columns = [np.full(GAMES, step % 7) for step in range(6)]  # six moves fit whatever was played

    def play() -> None:
        for _ in range(STEPS // len(columns)):
            batch.reset()
            for wanted in columns:
                batch.step(wanted)

    play()
    return GAMES * len(columns) * (STEPS // len(columns)) / seconds(play, RUNS)


def theirs() -> float:
    try:
        import jax
        import jax.numpy as jnp
        import pgx
    except ImportError:
        sys.exit("this benchmark needs its peers: .venv/bin/pip install jax pgx")
    env = pgx.make("connect_four")
    init, step = jax.vmap(env.init), jax.vmap(env.step)

    @jax.jit
    def play(state: Any) -> Any:
        for column in range(6):
            state = step(state, jnp.full(GAMES, column))
        return state

    state = jax.jit(init)(jax.random.split(jax.random.PRNGKey(0), GAMES))
    play(state).rewards.block_until_ready()
    rounds = STEPS // 6
    return GAMES * 6 * rounds / seconds(lambda: [play(state).rewards.block_until_ready() for _ in range(rounds)], RUNS)


def main() -> None:
    peer = theirs()
    claim("steps", bare(), peer, "Pgx", 1)
    claim("steps with legal masks, choices and new games", ours(), peer, "Pgx, steps alone", 0.1)


if __name__ == "__main__":
    main()
