"""`alphazero`: self-play training for any game (`hansu.learn.alphazero`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.optional_imports import require
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.recipe import Job, Recipe, TrainingResult


@dataclass
class AlphaZeroRecipe(AlphaZeroSettings, Recipe):
    kind: ClassVar[str] = "alphazero"
    about: ClassVar[str] = Message("a network from the rules alone, by self-play")
    reads_files: ClassVar[bool] = False

    def train(self, game: Game, job: Job) -> TrainingResult:
        require("torch")
        if job.output is not None:
            raise HansuError(
                "{kind} writes into the folder of its run, not to a file",
                "name the folder with --run",
                kind=self.kind,
            )
        from hansu.learn.alphazero.training import train

        return train(game, self, self.given, job)


RECIPES = (AlphaZeroRecipe,)
