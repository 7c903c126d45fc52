"""Claim: the `solver` player's median decision over random positions of any length takes less than 10 ms of CPU time on
one core, with the opening book. Also prints the 99th percentile, for one best column and for the scores of all
columns."""

from __future__ import annotations

import random
import time

from measure import claim

from hansu.arena.roster import player
from hansu.core import Position, registry

COUNT = 400


def random_position(rng: random.Random) -> Position:
    """An unfinished position with a uniformly random number of stones, 0 to 41."""
    game, stones = registry.game("connect_four"), rng.randint(0, 41)
    while True:
        position = game.first
        while len(position.history) < stones and not position.over:
            position = position.play(rng.choice(position.actions))
        if not position.over:
            return position


def main() -> None:
    rng = random.Random(1)
    positions = [random_position(rng) for _ in range(COUNT)]
    game = positions[0].game
    for spec, what in (("solver:all_columns=false", "one best column"), ("solver", "scores of all columns")):
        solver = player(spec, game)
        solver.decide(game.position("12121"))
        spent = []
        for position in positions:
            began = time.thread_time()
            solver.decide(position)
            spent.append(1000 * (time.thread_time() - began))
        spent.sort()
        median, late = spent[COUNT // 2], spent[int(0.99 * COUNT)]
        print(f"{what}: median {median:.3f} ms, 99th percentile {late:.1f} ms, longest {spent[-1]:.1f} ms")
        claim(f"decisions a second ({what})", 1000 / median, 100, "the goal", 1)


if __name__ == "__main__":
    main()
