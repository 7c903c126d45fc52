"""`alphazero`: a network that learns from games with itself, for any game. `hansu.learn.alphazero` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core.game import Game
from hansu.core.phrase import Phrase
from hansu.learn.alphazero.settings import Settings
from hansu.learn.recipe import Job, Outcome, Recipe
from hansu.learn.require import require


@dataclass
class AlphaZero(Settings, Recipe):
    kind: ClassVar[str] = "alphazero"
    about: ClassVar[str] = Phrase("from nothing but the rules, by self-play")

    def train(self, game: Game, job: Job) -> Outcome:
        require("torch")
        from hansu.learn.alphazero.training import train

        return train(game, self, self.given, job)


RECIPES = (AlphaZero,)
