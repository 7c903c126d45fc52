"""The recipe of Pacman: the weights of the evaluation `better`."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.player import option
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult
from hansu.learn.run import save


@dataclass
class PacmanWeights(Recipe):
    kind: ClassVar[str] = "better"
    about: ClassVar[str] = Message("weights of the evaluation `better`, by hill climbing")
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, Message("minutes to search"), low=0.0)
    layouts: str = option("smallClassic", Message("layouts to play, joined by +"))
    depth: int = option(2, Message("search depth of expectimax, in rounds"), low=1)
    games: int = option(200, Message("games per comparison of two sets of weights"), low=1)
    seed: int = option(1, Message("random seed of the changes and of the games"), low=0)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.pacman.evaluation import BETTER
        from hansu.games.pacman.quick import PacmanSearch
        from hansu.games.pacman.training.weights import mean_score, tune

        layouts, searcher = self.layouts.split("+"), PacmanSearch(expectimax=self.depth)
        unseen = range(10**12, 10**12 + 5 * self.games)
        before = mean_score(BETTER, layouts, searcher, unseen)
        chance = random.Random(self.seed)
        weights = tune(dict(BETTER), layouts, searcher, self.minutes, self.games, chance, job.tell)
        after = mean_score(weights, layouts, searcher, unseen)
        files = []
        if job.output is not None:
            save(job.output, (json.dumps(weights, indent=1) + "\n").encode())
            files.append(job.output)
        rows = tuple((name, f"{BETTER[name]:g}", f"{weight:g}") for name, weight in weights.items())
        before_after = Message("before"), Message("after")
        played = Message("{games} games", games=len(unseen))
        points = ResultTable((Message("points per game"), *before_after), ((played, f"{before:.1f}", f"{after:.1f}"),))
        return TrainingResult([points, ResultTable((Message("weight"), *before_after), rows)], [], files)


RECIPES = (PacmanWeights,)
