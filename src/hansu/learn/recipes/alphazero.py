"""`alphazero`: a network that learns from games with itself, for any game. `hansu.learn.alphazero` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core.game import Game
from hansu.core.said import said
from hansu.learn.alphazero.settings import Settings
from hansu.learn.recipe import Job, Outcome, Recipe
from hansu.learn.require import require


@dataclass
class AlphaZero(Settings, Recipe):
    kind: ClassVar[str] = "alphazero"
    about: ClassVar[str] = said("from nothing but the rules, by self-play", "규칙만 알고 시작해 스스로 두며 배움")

    def train(self, game: Game, job: Job) -> Outcome:
        require("torch")
        from hansu.learn.alphazero.training import train

        return train(game, self, self.given, job)


RECIPES = (AlphaZero,)
