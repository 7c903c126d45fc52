"""What can be trained for Renju: the engine's games, variations of them, its network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.player import option
from hansu.games.renju.state import RULES
from hansu.learn.curves import Curve
from hansu.learn.engine_training.recipe_parts import (
    ADAPT,
    ADAPT_RATE,
    BEYOND,
    BLOCKS,
    CHANNELS,
    GAMES_ABOUT,
    LESSONS,
    MEMORY,
    MINUTES,
    NODES,
    PROCESSES,
    SEED,
    TEACHER,
    require_teacher,
    stoppable,
)
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult, how_to_play


@dataclass
class RenjuGames(Recipe):
    kind: ClassVar[str] = "engine_games"
    about: ClassVar[str] = GAMES_ABOUT
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, MINUTES, low=0.01)
    nodes: int = option(16_000, NODES, low=100)
    rule: str = option("all", Message("of the games"), choices=("all", *RULES))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("games.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.renju.training.games import play_games

        rules = RULES if self.rule == "all" else (self.rule,)
        played = play_games(job, 60 * self.minutes, self.nodes, self.processes, self.seed, rules)
        rows: list[tuple[str, ...]] = []
        notes: list[str] = []
        for rule in rules:
            results = [each.result for each in played.parts if RULES[each.rule] == rule]
            rows.append((rule, f"{len(results):,}", f"{np.mean(results):.1%}" if results else "-"))
            if not results:
                notes.append(Message("no game was finished by the rule {rule}: give it more --minutes", rule=rule))
        table = ResultTable((Message("rule"), Message("games"), Message("black's score")), tuple(rows))
        return TrainingResult([table], [], [job.target], notes, played.stopped)


@dataclass
class RenjuVariations(Recipe):
    kind: ClassVar[str] = "engine_variations"
    old_kinds: ClassVar[tuple[str, ...]] = ("engine_asides",)
    about: ClassVar[str] = Message("positions beside the engine's games, searched; wants files of engine_games")
    minutes: float = option(5.0, Message("how long to search"), low=0.01)
    nodes: int = option(2000, Message("of each position's search"), low=100)
    plies: int = option(5, Message("that a position lies beside its game at most"), low=1)
    rule: str = option("renju", Message("of the games"), choices=RULES)
    processes: int = option(2, Message("how many search side by side"), low=1, high=256)
    seed: int = option(1, Message("of the moves that lead there"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("variations.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.renju.training.variations import search_variations

        rule = RULES.index(self.rule)
        found = search_variations(job, rule, 60 * self.minutes, self.nodes, self.plies, self.processes, self.seed)
        rows = ((self.rule, f"{len(found.parts):,}"),)
        return TrainingResult(
            [ResultTable((Message("rule"), Message("positions")), rows)], [], [job.target], stopped=found.stopped
        )


@dataclass
class RenjuNetwork(Recipe):
    kind: ClassVar[str] = "engine_network"
    about: ClassVar[str] = Message("the engine's network, fitted to games; wants files of engine_games or of a run")
    rule: str = option("renju", Message("whose games are learnt from"), choices=RULES)
    epochs: int = option(6, Message("how often every position is seen"), low=1)
    rounds: int = option(1, Message("how often positions beyond are drawn anew, led by what was learnt so far"), low=1)
    search_weight: float = option(
        0.5, Message("of the search in what is learnt; the rest is the result's"), low=0.0, high=1.0, old="opinion"
    )
    channels: int = option(96, CHANNELS, low=0)
    blocks: int = option(6, BLOCKS, low=1)
    teacher_epochs: int = option(4, LESSONS, low=1, old="lessons")
    teacher: str = option("", TEACHER)
    adapt_epochs: int = option(0, ADAPT, low=0, old="adapt")
    adapt_rate: float = option(3e-4, ADAPT_RATE, low=1e-7)
    init: str = option("", Message("a network of the engine's (.npz) to begin with instead of chance"), old="begin")
    guide: str = option("", Message("a network of the engine's (.npz) that leads beyond the games until this one can"))
    positions: int = option(5_000_000, Message("of that teacher's games with itself, where no file is given"), low=1000)
    extra_positions: int = option(3, BEYOND, low=0, old="beyond")
    plies: int = option(1, Message("that those lie beyond the games' at most"), low=1)
    batch: int = option(4096, Message("positions a step"), low=1)
    learning_rate: float = option(0.002, Message("of learning, at its highest"), low=1e-7, old="rate")
    averaging: float = option(0.3, MEMORY, low=1e-3, old="memory")
    device: str = option("auto", Message("where it runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Message("of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path(f"network_{self.rule}.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        device = device_for(self.device)
        from hansu.games.renju.training.network import Losses, fit
        from hansu.learn.engine_training.distillation import TEACHER_RATE, DistillationSettings

        curves = [Curve("value's loss", "epochs"), Curve("policy's loss", "epochs"), Curve("moves found", "epochs")]

        def heard(epoch: int, *both: Losses) -> None:
            for curve, seen, kept in zip(curves, *both, strict=True):
                curve.add(epoch, seen, kept)
            told = [f"value {each.value:.4f}, policy {each.policy:.4f}, found {each.found:.1%}" for each in both]
            job.tell(f"epoch {epoch} of {self.epochs * self.rounds}: loss " + "; games kept back ".join(told))

        lessons, teacher_rate = (
            (self.adapt_epochs, self.adapt_rate) if self.teacher else (self.teacher_epochs, TEACHER_RATE)
        )
        settings = DistillationSettings(
            self.epochs, self.batch, self.channels, self.blocks, lessons, self.extra_positions, self.seed, device,
            self.plies, self.rounds, self.learning_rate, self.averaging, teacher_rate,
        )  # fmt: skip
        rule = RULES.index(self.rule)
        board = game if game.option("rule") == self.rule else game.with_settings({"rule": self.rule})
        teacher, begin, guide = (Path(text) if text else None for text in (self.teacher, self.init, self.guide))
        files = list(job.files if teacher else job.some_files)
        require_teacher(self.adapt_epochs, bool(teacher and files))
        told: list[ResultTable] = []
        with stoppable(curves[0]) as course:
            count = fit(
                job.target, files, board, rule, self.search_weight, teacher, begin, guide, self.positions, settings,
                job.tell, heard,
            )  # fmt: skip
            told = [ResultTable((Message("rule"), Message("positions")), ((self.rule, f"{count:,}"),))]
        notes = [*course.notes(job.target, self.epochs * self.rounds), how_to_play(board, "engine", job.target)]
        return TrainingResult(told, curves, [job.target], notes, course.stopped)


RECIPES = (RenjuGames, RenjuVariations, RenjuNetwork)
