"""The weights of Pacman's `better` evaluation.

Hill climbing with noise: a few weights are changed by chance; the new ones stay if they win more points in the same
games (the same seeds for both, so that only the weights differ), and again in other games. The end is measured on games
that were never used.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from hansu.core import Table
from hansu.games.pacman.compiled_games import PacmanSearch, quick_games
from hansu.games.pacman.evaluation import FEATURES
from hansu.games.pacman.layout import find, first_state, table_of
from hansu.games.pacman.state import WON

SPREAD = {  # how far a weight may jump
    "unfinished": 60.0, "food_left": 3.0, "food_distance": 0.5, "food_near": 0.7, "danger": 3.0, "pincer": 1.0,
    "doom": 40.0,
    "cornered": 40.0, "scared": 30.0, "prey": 3.0, "more_prey": 2.0, "capsules": 50.0, "capsule_distance": 1.0,
    "ambush": 1.0,
}  # fmt: skip
FEAR = 2000  # points that a loss costs more than it does in the game: all games are to be won, not most of them


def mean_score(weights: dict[str, float], layouts: list[str], searcher: PacmanSearch, seeds: range) -> float:
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


def tune(weights: dict[str, float], layouts: list[str], searcher: PacmanSearch, minutes: float, games: int,
         chance: random.Random, tell: Callable[[str], None]) -> dict[str, float]:  # fmt: skip
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
                tell(f"step {step}: {old:.1f} -> {new:.1f} {json.dumps(weights)}")
    return weights


def some_seeds(count: int, chance: random.Random) -> range:
    first = chance.randrange(1 << 30)
    return range(first, first + count)
