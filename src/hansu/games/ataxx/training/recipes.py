"""What can be trained for Ataxx: the engine's games, its network, the weights of the hand-made evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.player import option
from hansu.learn.curves import Curve
from hansu.learn.engine_training.recipe_parts import (
    ADAPT,
    ADAPT_RATE,
    BEYOND,
    BLOCKS,
    CHANNELS,
    GAMES_ABOUT,
    LESSONS,
    MINUTES,
    NODES,
    PROCESSES,
    SEED,
    TEACHER,
    WEIGHTS_ABOUT,
    require_teacher,
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
    handmade: bool = option(False, Message("play with the evaluation made by hand, as the first time"))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, SEED, low=0)

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
class AtaxxNetwork(Recipe):
    kind: ClassVar[str] = "engine_network"
    old_kinds: ClassVar[tuple[str, ...]] = ("engine_weights",)
    about: ClassVar[str] = WEIGHTS_ABOUT
    epochs: int = option(8, Message("how often every row is seen"), low=1)
    result_weight: float = option(
        0.75, Message("of the result in what is learnt; the rest is the score's"), low=0.0, high=1.0, old="share"
    )
    channels: int = option(64, CHANNELS, low=0)
    blocks: int = option(6, BLOCKS, low=1)
    teacher_epochs: int = option(4, LESSONS, low=1, old="lessons")
    teacher: str = option("", TEACHER)
    adapt_epochs: int = option(0, ADAPT, low=0, old="adapt")
    adapt_rate: float = option(3e-4, ADAPT_RATE, low=1e-7)
    extra_positions: int = option(4, BEYOND, low=0, old="beyond")
    batch: int = option(8192, Message("positions a step"), low=1)
    device: str = option("auto", Message("where it runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("of the split and of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("weights.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        device = device_for(self.device)
        from hansu.games.ataxx.training.network import fit
        from hansu.learn.champion import begin_with
        from hansu.learn.encoding import Encoding
        from hansu.learn.engine_training.distillation import TEACHER_RATE, DistillationSettings

        curve = Curve("loss", "epochs")

        def heard(epoch: int, loss: float, unseen: float) -> None:
            curve.add(epoch, loss, unseen)
            job.tell(f"epoch {epoch} of {self.epochs}: loss {loss:.5f}, {unseen:.5f} on held-back rows")

        require_teacher(self.adapt_epochs, bool(self.teacher))
        known = begin_with(Path(self.teacher), Encoding(game)) if self.teacher else None
        lessons, teacher_rate = (
            (self.adapt_epochs, self.adapt_rate) if self.teacher else (self.teacher_epochs, TEACHER_RATE)
        )
        settings = DistillationSettings(
            self.epochs, self.batch, self.channels, self.blocks, lessons, self.extra_positions, self.seed, device,
            teacher_rate=teacher_rate,
        )  # fmt: skip
        with stoppable(curve) as course:
            fit(job.target, list(job.some_files), self.result_weight, known, settings, job.tell, heard)
        notes = [*course.notes(job.target, self.epochs), how_to_play(game, "engine", job.target)]
        return TrainingResult([], [curve], [job.target], notes, course.stopped)


@dataclass
class AtaxxTerms(Recipe):
    kind: ClassVar[str] = "engine_terms"
    about: ClassVar[str] = Message("weights for the evaluation made by hand; wants a file of engine_games")

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.ataxx.training.network import fit_terms

        header = Message("material"), Message("room"), Message("exposed"), Message("edges"), Message("the move")
        return TrainingResult([ResultTable(header, (tuple(f"{weight:.0f}" for weight in fit_terms(job.file)),))])


RECIPES = (AtaxxGames, AtaxxNetwork, AtaxxTerms)
