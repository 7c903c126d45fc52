"""`alphazero`: a network that learns from games with itself, for any game. `hansu.learn.alphazero` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Phrase
from hansu.learn.alphazero.settings import Settings
from hansu.learn.optional_imports import require
from hansu.learn.recipe import Job, Outcome, Recipe


@dataclass
class AlphaZero(Settings, Recipe):
    kind: ClassVar[str] = "alphazero"
    about: ClassVar[str] = Phrase("from nothing but the rules, by self-play")
    reads_files: ClassVar[bool] = False

    def train(self, game: Game, job: Job) -> Outcome:
        require("torch")
        if job.output is not None:
            what = Phrase("{kind} writes into the folder of its run", kind=self.kind)
            raise HansuError(what, Phrase("name that by --run; its champion lies there"))
        from hansu.learn.alphazero.training import train

        return train(game, self, self.given, job)


RECIPES = (AlphaZero,)
