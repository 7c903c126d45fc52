"""Finds the weights of the `better` evaluation: `python -m hansu.games.pacman.tune --minutes 5`.

Hill climbing with noise: a few weights are changed by chance; the new ones stay if they win more points in the same
games (the same seeds for both, so that only the weights differ). The seeds change every few steps, so that the
weights do not learn one set of games by heart; the end is measured on games that were never used.
"""

from __future__ import annotations

import argparse
import json
import random
import time

from hansu.core import Table
from hansu.games.pacman.evaluation import BETTER, FEATURES
from hansu.games.pacman.layout import find, first_state, table_of
from hansu.games.pacman.quick import Searcher, quick_games

SPREAD = {  # how far a weight may jump
    "unfinished": 100.0, "food_left": 4.0, "food_distance": 1.0, "danger": 5.0, "doom": 50.0, "trap": 40.0,
    "scared": 40.0,
    "scared_distance": 4.0, "scared_tour": 2.0, "capsules": 80.0, "capsule_distance": 1.0, "ambush": 1.0,
}  # fmt: skip


def mean_score(weights: dict[str, float], layouts: list[str], searcher: Searcher, seeds: range) -> float:
    """Points a game against random ghosts, over all layouts."""
    total = 0
    for name in layouts:
        maze: Table = table_of(find(name), 4, False, weights)
        total += sum(end.points for end in quick_games(first_state(maze), searcher, seeds))
    return total / len(seeds) / len(layouts)


def changed(weights: dict[str, float], chance: random.Random) -> dict[str, float]:
    made = dict(weights)
    for name in chance.sample(list(FEATURES), chance.choice((1, 1, 2, 3))):
        made[name] = round(made[name] + chance.gauss(0, SPREAD[name]), 2)
    return made


def tune(weights: dict[str, float], layouts: list[str], searcher: Searcher, minutes: float, games: int,
         chance: random.Random) -> dict[str, float]:  # fmt: skip
    """The best weights found in that time."""
    end = time.monotonic() + 60 * minutes
    step = 0
    seeds = range(games)
    best = mean_score(weights, layouts, searcher, seeds)
    while time.monotonic() < end:
        if step % 25 == 24:
            first = chance.randrange(1 << 20) * games
            seeds = range(first, first + games)
            best = mean_score(weights, layouts, searcher, seeds)
        step += 1
        candidate = changed(weights, chance)
        score = mean_score(candidate, layouts, searcher, seeds)
        if score > best:
            weights, best = candidate, score
            print(f"step {step}: {best:.1f} {json.dumps(weights)}", flush=True)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--layouts", default="smallClassic", help="names with commas between")
    parser.add_argument("--depth", type=int, default=2, help="rounds that expectimax looks ahead")
    parser.add_argument("--games", type=int, default=200, help="games that two sets of weights are compared by")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", default="", help="begin from these (JSON)")
    given = parser.parse_args()
    layouts, searcher = given.layouts.split(","), Searcher(expectimax=given.depth)
    weights = {**BETTER, **(json.loads(given.weights) if given.weights else {})}
    unseen = range(10**12, 10**12 + 1000)
    print(f"before: {mean_score(weights, layouts, searcher, unseen):.1f} over {len(unseen)} games each")
    weights = tune(weights, layouts, searcher, given.minutes, given.games, random.Random(given.seed))
    print(f"after:  {mean_score(weights, layouts, searcher, unseen):.1f}\n{json.dumps(weights, indent=1)}")


if __name__ == "__main__":
    main()
