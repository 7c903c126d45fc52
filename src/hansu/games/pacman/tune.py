"""Finds the weights of the `better` evaluation: `python -m hansu.games.pacman.tune --minutes 5`.

Hill climbing with noise: a few weights are changed by chance; the new ones stay if they win more points in the same
games (the same seeds for both, so that only the weights differ), and again in other games. The end is measured on games
that were never used.
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
from hansu.games.pacman.state import WON

SPREAD = {  # how far a weight may jump
    "unfinished": 60.0, "food_left": 3.0, "food_distance": 0.5, "food_near": 0.7, "danger": 3.0, "pincer": 1.0,
    "doom": 40.0,
    "cornered": 40.0, "scared": 30.0, "prey": 3.0, "more_prey": 2.0, "capsules": 50.0, "capsule_distance": 1.0,
    "ambush": 1.0,
}  # fmt: skip
FEAR = 2000  # points that a loss costs more than it does in the game: all games are to be won, not most of them


def mean_score(weights: dict[str, float], layouts: list[str], searcher: Searcher, seeds: range) -> float:
    """Points a game against random ghosts, over all layouts, with FEAR."""
    total = 0
    for name in layouts:
        maze: Table = table_of(find(name), 4, False, weights)
        for end in quick_games(first_state(maze), searcher, seeds):
            total += end.points - (0 if end.state.ended == WON else FEAR)
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
    while time.monotonic() < end:
        seeds = some_seeds(games, chance)
        best = mean_score(weights, layouts, searcher, seeds)
        for _ in range(20):
            step += 1
            candidate = changed(weights, chance)
            if mean_score(candidate, layouts, searcher, seeds) <= best:
                continue
            # Out of many, one is always lucky: it must be better again, in three times as many games it has not seen.
            more = some_seeds(3 * games, chance)
            old, new = (mean_score(each, layouts, searcher, more) for each in (weights, candidate))
            if new > old:
                weights = candidate
                best = mean_score(weights, layouts, searcher, seeds)
                print(f"step {step}: {old:.1f} -> {new:.1f} {json.dumps(weights)}", flush=True)
    return weights


def some_seeds(count: int, chance: random.Random) -> range:
    first = chance.randrange(1 << 30)
    return range(first, first + count)


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
