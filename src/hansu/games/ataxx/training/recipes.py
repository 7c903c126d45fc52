"""The recipes of Ataxx: the engine's games, its network, and the weights of the handmade evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.player import option
from hansu.learn.curves import Curve
from hansu.learn.engine_training.recipe_parts import (
    BATCH,
    CHANNELS,
    EPOCHS,
    EXTRA_POSITIONS,
    GAMES_ABOUT,
    GAMES_SEED,
    MINUTES,
    NODES,
    PROCESSES,
    DistillationRecipe,
    stoppable,
)
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult, how_to_play


@dataclass
class AtaxxGames(Recipe):
    kind: ClassVar[str] = "engine_games"
    about: ClassVar[str] = GAMES_ABOUT
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, MINUTES, low=0.01)
    nodes: int = option(2_700, NODES, low=100)
    handmade: bool = option(False, Message("play with the handmade evaluation instead of the network"))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, GAMES_SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("games.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.ataxx.training.games import play_games

        played = play_games(job, 60 * self.minutes, self.nodes, not self.handmade, self.processes, self.seed)
        rows = ((f"{len(played.parts):,}", f"{sum(map(len, played.parts)):,}"),)
        return TrainingResult(
            [ResultTable((Message("games"), Message("positions")), rows)], [], [job.target], stopped=played.stopped
        )


@dataclass
class AtaxxNetwork(DistillationRecipe):
    old_kinds: ClassVar[tuple[str, ...]] = ("engine_weights",)
    about: ClassVar[str] = Message("the engine's network, from files of engine_games")
    epochs: int = option(8, EPOCHS, low=1)
    channels: int = option(64, CHANNELS, low=0)
    extra_positions: int = option(4, EXTRA_POSITIONS, low=0, old="beyond")
    batch: int = option(8192, BATCH, low=1)
    result_weight: float = option(
        0.75, Message("weight of the game's result in the target; the rest is the search's score"), low=0.0, high=1.0,
        old="share",
    )  # fmt: skip

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("weights.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        settings = self.distillation(device_for(self.device))
        from hansu.games.ataxx.training.network import fit
        from hansu.learn.champion import initial_network
        from hansu.learn.encoding import Encoding

        curve = Curve("loss", "epochs")

        def report(epoch: int, losses: list[float], held_out: list[float]) -> None:
            curve.add(epoch, losses[0], held_out[0])
            job.tell(f"epoch {epoch} of {self.epochs}: loss {losses[0]:.5f}, {held_out[0]:.5f} on held-out rows")

        self.check_adaptation(bool(self.teacher))
        known = initial_network(Path(self.teacher), Encoding(game)) if self.teacher else None
        with stoppable(curve) as training:
            fit(job.target, list(job.some_files), self.result_weight, known, settings, job.tell, report)
        notes = [*training.notes(job.target, self.epochs), how_to_play(game, "engine", job.target)]
        return TrainingResult([], [curve], [job.target], notes, training.stopped)


@dataclass
class AtaxxTerms(Recipe):
    kind: ClassVar[str] = "engine_terms"
    about: ClassVar[str] = Message("weights of the handmade evaluation, from a file of engine_games")

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.ataxx.training.network import fit_terms

        header = Message("material"), Message("room"), Message("exposed"), Message("edges"), Message("the move")
        return TrainingResult([ResultTable(header, (tuple(f"{weight:.0f}" for weight in fit_terms(job.file)),))])


RECIPES = (AtaxxGames, AtaxxNetwork, AtaxxTerms)
