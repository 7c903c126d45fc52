"""Claim: the `solver` player's median answer over random positions of any length comes in under 10 ms of CPU time
on one core, with the opening book. Prints the 99th percentile too, for one best column and for every column's score."""

from __future__ import annotations

import random
import time

from measure import claim

from hansu.arena.roster import player
from hansu.core import Position, registry

COUNT = 400


def random_position(chance: random.Random) -> Position:
    """Unfinished, of a length that is drawn evenly from 0 to 41 stones."""
    game, stones = registry.game("connect_four"), chance.randint(0, 41)
    while True:
        position = game.first
        while len(position.history) < stones and not position.over:
            position = position.play(chance.choice(position.actions))
        if not position.over:
            return position


def main() -> None:
    chance = random.Random(1)
    positions = [random_position(chance) for _ in range(COUNT)]
    game = positions[0].game
    for spec, what in (("solver:all_columns=false", "one best column"), ("solver", "every column's score")):
        who = player(spec, game)
        who.decide(game.position("12121"))
        spent = []
        for position in positions:
            began = time.thread_time()
            who.decide(position)
            spent.append(1000 * (time.thread_time() - began))
        spent.sort()
        median, late = spent[COUNT // 2], spent[int(0.99 * COUNT)]
        print(f"{what}: median {median:.3f} ms, 99th percentile {late:.1f} ms, longest {spent[-1]:.1f} ms")
        claim(f"answers a second ({what})", 1000 / median, 100, "the goal", 1)


if __name__ == "__main__":
    main()
