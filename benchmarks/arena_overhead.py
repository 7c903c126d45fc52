"""Claims: the arena takes less than a millisecond of a game beyond the players' own thinking (random against random
Connect Four, against a bare loop over the same positions and players); two workers play at least 1.8 times the games of
one where the players think. CPU time of all processes, so that other load on the machine matters little: what is
compared for the workers is the CPU time that a game costs with one and with two of them.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import hansu
from hansu.arena.contestant import read_contestants
from hansu.arena.openings import RandomOpenings
from hansu.arena.pool import Pool
from hansu.arena.schedule import RoundRobin
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament

GAME = hansu.game("connect_four")
MOST_MILLISECONDS = 1.0
WANTED = 1.8
PLIES = 6  # of the openings: there are enough that differ


def cpu() -> float:
    """Seconds of this process and of those of its children that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def bare(pairs: int) -> float:
    """CPU seconds a game of nothing but rules and players."""
    players = [hansu.player(f"random:seed={n}", GAME) for n in (1, 2)]
    openings = RandomOpenings(GAME, PLIES, 1)
    starts = [openings[n].position(GAME) for n in range(pairs)]
    began = time.process_time()
    for start in starts:
        for _ in range(2):
            position = start
            while not position.over:
                position = position.play(players[position.mover].decide(position).action)
    return (time.process_time() - began) / (2 * pairs)


def event(players: list[str], pairs: int, workers: int) -> tuple[float, float, int]:
    """CPU and wall seconds of an event with its processes, and its games."""
    who = read_contestants(players, GAME)
    began, wall = cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games", make=True) as store:
        made = Tournament(store, GAME, who, RoundRobin(2, pairs), RandomOpenings(GAME, PLIES, 1), 1)
        with Pool(GAME, who, workers) as pool:
            games = sum(played is not None for played in made.play(pool))
    return cpu() - began, time.perf_counter() - wall, games


def overhead() -> bool:
    """Two events of different length: what the longer one takes more is the games alone, without starting processes."""
    best = math.inf
    alone = min(bare(500) for _ in range(3))
    for _ in range(3):
        few, many = (event(["random:seed=1", "random:seed=2"], pairs, 1) for pairs in (50, 1050))
        best = min(best, (many[0] - few[0]) / (many[2] - few[2]))
    extra = 1000 * (best - alone)
    ok = extra < MOST_MILLISECONDS
    print(
        f"a game of random moves: {1000 * best:.2f} ms of CPU in the arena, every process counted, against "
        f"{1000 * alone:.2f} ms in a bare loop: {extra:.2f} ms more ({1 / best:,.0f} against {1 / alone:,.0f} games a "
        f"second), wanted under {MOST_MILLISECONDS:g} ms: {'ok' if ok else 'ABOVE'}"
    )
    return ok


def workers() -> bool:
    """What a game costs with two workers beside one: if it costs no more, two free cores play twice as many. Wall time
    is told too, but on a busy machine it says what the machine does."""
    players = ["mcts:simulations=2000,seed=1", "mcts:simulations=2000,seed=2"]
    event(players, 1, 2)  # compiled, once
    cost, rate = {1: math.inf, 2: math.inf}, {1: 0.0, 2: 0.0}
    for _ in range(3):
        for count in (1, 2):
            (cpu_few, wall_few, few), (cpu_many, wall_many, many) = (event(players, pairs, count) for pairs in (4, 34))
            cost[count] = min(cost[count], (cpu_many - cpu_few) / (many - few))
            rate[count] = max(rate[count], (many - few) / (wall_many - wall_few))
    ratio = 2 * cost[1] / cost[2]
    ok = ratio >= WANTED
    print(
        f"two workers: a game of MCTS takes {1000 * cost[2]:.1f} ms of CPU against {1000 * cost[1]:.1f} ms with one, "
        f"so {ratio:.2f}x the games on two free cores, wanted {WANTED}x: {'ok' if ok else 'BELOW'} "
        f"(by the clock {rate[2] / rate[1]:.2f}x, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )
    return ok


if __name__ == "__main__":
    results = [overhead(), workers()]
    sys.exit(not all(results))
