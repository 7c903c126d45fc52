"""Hill climbing for the weights of Pacman's evaluation `better`.

A few weights are changed at random. The new weights are kept if they score more points in the same games (with the same
seeds, so that only the weights differ), and again in other games. The result is measured on games that were not used
before.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from hansu.core import Table
from hansu.games.pacman.evaluation import FEATURES
from hansu.games.pacman.layout import find, first_state, table_of
from hansu.games.pacman.quick import PacmanSearch, quick_games
from hansu.games.pacman.state import WON

SPREAD = {  # standard deviation of a weight's change
    "unfinished": 60.0, "food_left": 3.0, "food_distance": 0.5, "food_near": 0.7, "danger": 3.0, "pincer": 1.0,
    "doom": 40.0,
    "cornered": 40.0, "scared": 30.0, "prey": 3.0, "more_prey": 2.0, "capsules": 50.0, "capsule_distance": 1.0,
    "ambush": 1.0,
}  # fmt: skip
LOSS_PENALTY = 2000  # extra points that a loss costs, so that winning every game counts more than high scores


def mean_score(weights: dict[str, float], layouts: list[str], searcher: PacmanSearch, seeds: range) -> float:
    """Points per game against random ghosts, over all layouts, less LOSS_PENALTY for each loss."""
    total = 0
    for name in layouts:
        maze: Table = table_of(find(name), 4, False, weights)
        for end in quick_games(first_state(maze), searcher, seeds):
            total += end.points - (0 if end.state.ended == WON else LOSS_PENALTY)
    return total / len(seeds) / len(layouts)


def mutated(weights: dict[str, float], chance: random.Random) -> dict[str, float]:
    candidate = dict(weights)
    for name in chance.sample(list(FEATURES), chance.choice((1, 1, 2, 3))):
        candidate[name] = round(candidate[name] + chance.gauss(0, SPREAD[name]), 2)
    return candidate


def tune(weights: dict[str, float], layouts: list[str], searcher: PacmanSearch, minutes: float, games: int,
         chance: random.Random, log: Callable[[str], None]) -> dict[str, float]:  # fmt: skip
    """The best weights after some minutes."""
    end = time.monotonic() + 60 * minutes
    step = 0
    while time.monotonic() < end:
        seeds = some_seeds(games, chance)
        best = mean_score(weights, layouts, searcher, seeds)
        for _ in range(20):
            step += 1
            candidate = mutated(weights, chance)
            if mean_score(candidate, layouts, searcher, seeds) <= best:
                continue
            # Among many candidates one is always lucky, so it must be better again, in three times as many new games.
            more = some_seeds(3 * games, chance)
            old, new = (mean_score(each, layouts, searcher, more) for each in (weights, candidate))
            if new > old:
                weights = candidate
                best = mean_score(weights, layouts, searcher, seeds)
                log(f"step {step}: {old:.1f} -> {new:.1f} {json.dumps(weights)}")
    return weights


def some_seeds(count: int, chance: random.Random) -> range:
    first = chance.randrange(1 << 30)
    return range(first, first + count)
