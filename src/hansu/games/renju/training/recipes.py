"""The recipes of Renju: the engine's games, variations of them, and its network."""

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
class RenjuGames(Recipe):
    kind: ClassVar[str] = "engine_games"
    about: ClassVar[str] = GAMES_ABOUT
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, MINUTES, low=0.01)
    nodes: int = option(16_000, NODES, low=100)
    rule: str = option("all", Message("rule of the games, or all of them"), choices=("all", *RULES))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, GAMES_SEED, low=0)

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
                notes.append(Message("no game finished by the rule {rule}; increase --minutes", rule=rule))
        table = ResultTable((Message("rule"), Message("games"), Message("black's score")), tuple(rows))
        return TrainingResult([table], [], [job.target], notes, played.stopped)


@dataclass
class RenjuVariations(Recipe):
    kind: ClassVar[str] = "engine_variations"
    old_kinds: ClassVar[tuple[str, ...]] = ("engine_asides",)
    about: ClassVar[str] = Message("searched positions a few plies off the engine's games, from files of engine_games")
    minutes: float = option(5.0, Message("minutes to search"), low=0.01)
    nodes: int = option(2000, Message("search nodes per position"), low=100)
    plies: int = option(5, Message("most plies between a game and a searched position"), low=1)
    rule: str = option("renju", Message("rule of the games"), choices=RULES)
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, Message("random seed of the moves that leave a game"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("variations.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.games.renju.training.variations import search_variations

        rule = RULES.index(self.rule)
        positions = search_variations(job, rule, 60 * self.minutes, self.nodes, self.plies, self.processes, self.seed)
        rows = ((self.rule, f"{len(positions.parts):,}"),)
        return TrainingResult(
            [ResultTable((Message("rule"), Message("positions")), rows)], [], [job.target], stopped=positions.stopped
        )


@dataclass
class RenjuNetwork(DistillationRecipe):
    about: ClassVar[str] = Message("the engine's network, from files of engine_games or shards of a run")
    rule: str = option("renju", Message("rule of the games to train on"), choices=RULES)
    rounds: int = option(1, Message("training rounds; each samples new extra positions with the latest network"), low=1)
    search_weight: float = option(
        0.5, Message("weight of the search's value in the target; the rest is the game's result"), low=0.0, high=1.0,
        old="opinion",
    )  # fmt: skip
    init: str = option("", Message("a network of the engine (.npz) to start from"), old="begin")
    guide: str = option("", Message("a network of the engine (.npz) that chooses the first round's extra positions"))
    positions: int = option(
        5_000_000, Message("positions of the teacher's games against itself, if no files are given"), low=1000
    )
    plies: int = option(1, Message("most plies between a game position and an extra position"), low=1)
    learning_rate: float = option(0.002, Message("peak learning rate"), low=1e-7, old="rate")
    averaging: float = option(
        0.3, Message("weight-averaging window, as a fraction of the training steps"), low=1e-3, old="memory"
    )

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path(f"network_{self.rule}.npz"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn.device import device_for

        device = device_for(self.device)
        from hansu.games.renju.training.network import fit

        curves = [Curve("value's loss", "epochs"), Curve("policy's loss", "epochs"), Curve("moves found", "epochs")]

        def report(epoch: int, *losses: list[float]) -> None:
            for curve, trained, held_out in zip(curves, *losses, strict=True):
                curve.add(epoch, trained, held_out)
            parts = [f"value {value:.4f}, policy {policy:.4f}, found {found:.1%}" for value, policy, found in losses]
            job.tell(f"epoch {epoch} of {self.epochs * self.rounds}: loss " + "; held-out games ".join(parts))

        settings = self.distillation(
            device, plies=self.plies, rounds=self.rounds, learning_rate=self.learning_rate, averaging=self.averaging
        )
        rule = RULES.index(self.rule)
        board = game if game.option("rule") == self.rule else game.with_settings({"rule": self.rule})
        teacher, init, guide = (Path(text) if text else None for text in (self.teacher, self.init, self.guide))
        files = list(job.files if teacher else job.some_files)
        self.check_adaptation(bool(teacher and files))
        tables: list[ResultTable] = []
        with stoppable(curves[0]) as training:
            count = fit(
                job.target, files, board, rule, self.search_weight, teacher, init, guide, self.positions, settings,
                job.tell, report,
            )  # fmt: skip
            tables = [ResultTable((Message("rule"), Message("positions")), ((self.rule, f"{count:,}"),))]
        notes = [*training.notes(job.target, self.epochs * self.rounds), how_to_play(board, "engine", job.target)]
        return TrainingResult(tables, curves, [job.target], notes, training.stopped)


RECIPES = (RenjuGames, RenjuVariations, RenjuNetwork)
