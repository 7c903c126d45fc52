"""Recipes for what engines and evaluations know (../tuning/)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.phrase import Phrase
from hansu.core.player import option
from hansu.games.renju.state import RULES
from hansu.learn.curves import Curve
from hansu.learn.recipe import Job, Outcome, Recipe, Table, how_to_play
from hansu.learn.run import save

GAMES_ABOUT = Phrase("games of the engine with itself, to learn from")
WEIGHTS_ABOUT = Phrase("the engine's weights, fitted to its games; wants the files of engine_games")
MINUTES = Phrase("how long to play")
NODES = Phrase("nodes of each move's search")
PROCESSES = Phrase("how many play side by side")
CHANNELS = Phrase("of the teacher's convolutions; 0: no teacher")
BLOCKS = Phrase("of the teacher")
LESSONS = Phrase("how often the teacher sees every position")
TEACHER = Phrase("a network (.npz or .onnx) that knows already, in place of such a teacher")
ADAPT = Phrase("how often such a teacher sees every position first, if it learnt otherwise")
ADAPT_RATE = Phrase("of learning in that, at its highest")
BEYOND = Phrase("positions beyond each of the games' that the teacher judges, too")
MEMORY = Phrase("of the steps: the file has a mean of the weights, which forgets over so many")
SEED = Phrase("0 or more; the same seed, the same games")


def require_teacher(adapt: int, given: bool) -> None:
    if adapt and not given:
        what = Phrase("adapt={count} is for a teacher that learns from games first", count=adapt)
        raise HansuError(what, Phrase("give --teacher and files of engine_games, or leave --adapt out"))


@dataclass
class Course:
    """A training that writes its file after each epoch, which its curve has a point of."""

    curve: Curve
    stopped: bool = False

    def notes(self, path: Path, epochs: int) -> list[str]:
        """What is in the file, where that is less than was wanted."""
        done = len(self.curve.held_back)
        text = Phrase("{path} holds what was learnt by epoch {done} of {epochs}", path=path, done=done, epochs=epochs)
        return [text] if self.stopped else []


@contextmanager
def stoppable(curve: Curve) -> Iterator[Course]:
    """Ctrl-C ends what is done in here, and no more than that if there is a file already."""
    course = Course(curve)
    try:
        yield course
    except KeyboardInterrupt:
        if not curve.held_back:
            raise
        course.stopped = True


@dataclass
class RenjuGames(Recipe):
    kind: ClassVar[str] = "engine_games"
    about: ClassVar[str] = GAMES_ABOUT
    only_for: ClassVar[tuple[str, ...]] = ("renju",)
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, MINUTES, low=0.01)
    nodes: int = option(16_000, NODES, low=100)
    rule: str = option("all", Phrase("of the games"), choices=("all", *RULES))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("games.npz"),)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.tuning.renju_games import play_games

        rules = RULES if self.rule == "all" else (self.rule,)
        played = play_games(job, 60 * self.minutes, self.nodes, self.processes, self.seed, rules)
        rows: list[tuple[str, ...]] = []
        notes: list[str] = []
        for rule in rules:
            results = [each.result for each in played.parts if RULES[each.rule] == rule]
            rows.append((rule, f"{len(results):,}", f"{np.mean(results):.1%}" if results else "-"))
            if not results:
                notes.append(Phrase("no game was finished by the rule {rule}: give it more --minutes", rule=rule))
        table = Table((Phrase("rule"), Phrase("games"), Phrase("black's score")), tuple(rows))
        return Outcome([table], [], [job.target], notes, played.stopped)


@dataclass
class RenjuAsides(Recipe):
    kind: ClassVar[str] = "engine_asides"
    about: ClassVar[str] = Phrase("positions beside the engine's games, searched; wants files of engine_games")
    only_for: ClassVar[tuple[str, ...]] = ("renju",)
    minutes: float = option(5.0, Phrase("how long to search"), low=0.01)
    nodes: int = option(2000, Phrase("of each position's search"), low=100)
    plies: int = option(5, Phrase("that a position lies beside its game at most"), low=1)
    rule: str = option("renju", Phrase("of the games"), choices=RULES)
    processes: int = option(2, Phrase("how many search side by side"), low=1, high=256)
    seed: int = option(1, Phrase("of the moves that lead there"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("asides.npz"),)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.tuning.renju_asides import search_asides

        rule = RULES.index(self.rule)
        found = search_asides(job, rule, 60 * self.minutes, self.nodes, self.plies, self.processes, self.seed)
        rows = ((self.rule, f"{len(found.parts):,}"),)
        return Outcome([Table((Phrase("rule"), Phrase("positions")), rows)], [], [job.target], stopped=found.stopped)


@dataclass
class RenjuNetwork(Recipe):
    kind: ClassVar[str] = "engine_network"
    about: ClassVar[str] = Phrase("the engine's network, fitted to games; wants files of engine_games or of a run")
    only_for: ClassVar[tuple[str, ...]] = ("renju",)
    rule: str = option("renju", Phrase("whose games are learnt from"), choices=RULES)
    epochs: int = option(6, Phrase("how often every position is seen"), low=1)
    rounds: int = option(1, Phrase("how often positions beyond are drawn anew, led by what was learnt so far"), low=1)
    opinion: float = option(0.5, Phrase("of the search in what is learnt; the rest is the result's"), low=0.0, high=1.0)
    channels: int = option(96, CHANNELS, low=0)
    blocks: int = option(6, BLOCKS, low=1)
    lessons: int = option(4, LESSONS, low=1)
    teacher: str = option("", TEACHER)
    adapt: int = option(0, ADAPT, low=0)
    adapt_rate: float = option(3e-4, ADAPT_RATE, low=1e-7)
    begin: str = option("", Phrase("a network of the engine's (.npz) to begin with instead of chance"))
    guide: str = option("", Phrase("a network of the engine's (.npz) that leads beyond the games until this one can"))
    positions: int = option(5_000_000, Phrase("of that teacher's games with itself, where no file is given"), low=1000)
    beyond: int = option(3, BEYOND, low=0)
    plies: int = option(1, Phrase("that those lie beyond the games' at most"), low=1)
    batch: int = option(4096, Phrase("positions a step"), low=1)
    rate: float = option(0.002, Phrase("of learning, at its highest"), low=1e-7)
    memory: float = option(0.3, MEMORY, low=1e-3)
    device: str = option("auto", Phrase("where it runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Phrase("of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path(f"network_{self.rule}.npz"),)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.device import device_for

        device = device_for(self.device)
        from hansu.learn.tuning.fitting import TEACHER_RATE, Settings
        from hansu.learn.tuning.renju_network import Losses, fit

        curves = [Curve("value's loss", "epochs"), Curve("policy's loss", "epochs"), Curve("moves found", "epochs")]

        def heard(epoch: int, *both: Losses) -> None:
            for curve, seen, kept in zip(curves, *both, strict=True):
                curve.add(epoch, seen, kept)
            told = [f"value {each.value:.4f}, policy {each.policy:.4f}, found {each.found:.1%}" for each in both]
            job.tell(f"epoch {epoch} of {self.epochs * self.rounds}: loss " + "; games kept back ".join(told))

        lessons, teacher_rate = (self.adapt, self.adapt_rate) if self.teacher else (self.lessons, TEACHER_RATE)
        settings = Settings(
            self.epochs, self.batch, self.channels, self.blocks, lessons, self.beyond, self.seed, device,
            self.plies, self.rounds, self.rate, self.memory, teacher_rate,
        )  # fmt: skip
        rule = RULES.index(self.rule)
        board = game if game.option("rule") == self.rule else game.with_settings({"rule": self.rule})
        teacher, begin, guide = (Path(text) if text else None for text in (self.teacher, self.begin, self.guide))
        files = list(job.files if teacher else job.some_files)
        require_teacher(self.adapt, bool(teacher and files))
        told: list[Table] = []
        with stoppable(curves[0]) as course:
            count = fit(
                job.target, files, board, rule, self.opinion, teacher, begin, guide, self.positions, settings,
                job.tell, heard,
            )  # fmt: skip
            told = [Table((Phrase("rule"), Phrase("positions")), ((self.rule, f"{count:,}"),))]
        notes = [*course.notes(job.target, self.epochs * self.rounds), how_to_play(board, "engine", job.target)]
        return Outcome(told, curves, [job.target], notes, course.stopped)


@dataclass
class AtaxxGames(Recipe):
    kind: ClassVar[str] = "engine_games"
    about: ClassVar[str] = GAMES_ABOUT
    only_for: ClassVar[tuple[str, ...]] = ("ataxx",)
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, MINUTES, low=0.01)
    nodes: int = option(2_700, NODES, low=100)
    handmade: bool = option(False, Phrase("play with the evaluation made by hand, as the first time"))
    processes: int = option(2, PROCESSES, low=1, high=256)
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("games.npz"),)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.tuning.ataxx_games import play_games

        played = play_games(job, 60 * self.minutes, self.nodes, not self.handmade, self.processes, self.seed)
        rows = ((f"{len(played.parts):,}", f"{sum(map(len, played.parts)):,}"),)
        return Outcome([Table((Phrase("games"), Phrase("positions")), rows)], [], [job.target], stopped=played.stopped)


@dataclass
class AtaxxWeights(Recipe):
    kind: ClassVar[str] = "engine_weights"
    about: ClassVar[str] = WEIGHTS_ABOUT
    only_for: ClassVar[tuple[str, ...]] = ("ataxx",)
    epochs: int = option(8, Phrase("how often every row is seen"), low=1)
    share: float = option(0.75, Phrase("of the result in what is learnt; the rest is the score's"), low=0.0, high=1.0)
    channels: int = option(64, CHANNELS, low=0)
    blocks: int = option(6, BLOCKS, low=1)
    lessons: int = option(4, LESSONS, low=1)
    teacher: str = option("", TEACHER)
    adapt: int = option(0, ADAPT, low=0)
    adapt_rate: float = option(3e-4, ADAPT_RATE, low=1e-7)
    beyond: int = option(4, BEYOND, low=0)
    batch: int = option(8192, Phrase("positions a step"), low=1)
    device: str = option("auto", Phrase("where it runs"), choices=("auto", "cpu", "cuda"))
    seed: int = option(1, Phrase("of the split and of the training"), low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("weights.npz"),)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.device import device_for

        device = device_for(self.device)
        from hansu.learn.champion import begin_with
        from hansu.learn.tuning.ataxx_weights import fit
        from hansu.learn.tuning.fitting import TEACHER_RATE, Settings
        from hansu.learn.view import View

        curve = Curve("loss", "epochs")

        def heard(epoch: int, loss: float, unseen: float) -> None:
            curve.add(epoch, loss, unseen)
            job.tell(f"epoch {epoch} of {self.epochs}: loss {loss:.5f}, {unseen:.5f} on held-back rows")

        require_teacher(self.adapt, bool(self.teacher))
        known = begin_with(Path(self.teacher), View(game)) if self.teacher else None
        lessons, teacher_rate = (self.adapt, self.adapt_rate) if self.teacher else (self.lessons, TEACHER_RATE)
        settings = Settings(
            self.epochs, self.batch, self.channels, self.blocks, lessons, self.beyond, self.seed, device,
            teacher_rate=teacher_rate,
        )  # fmt: skip
        with stoppable(curve) as course:
            fit(job.target, list(job.some_files), self.share, known, settings, job.tell, heard)
        notes = [*course.notes(job.target, self.epochs), how_to_play(game, "engine", job.target)]
        return Outcome([], [curve], [job.target], notes, course.stopped)


@dataclass
class AtaxxTerms(Recipe):
    kind: ClassVar[str] = "engine_terms"
    about: ClassVar[str] = Phrase("weights for the evaluation made by hand; wants a file of engine_games")
    only_for: ClassVar[tuple[str, ...]] = ("ataxx",)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.learn.tuning.ataxx_weights import fit_terms

        header = Phrase("material"), Phrase("room"), Phrase("exposed"), Phrase("edges"), Phrase("the move")
        return Outcome([Table(header, (tuple(f"{weight:.0f}" for weight in fit_terms(job.file)),))])


@dataclass
class PacmanWeights(Recipe):
    kind: ClassVar[str] = "better"
    about: ClassVar[str] = Phrase("weights for the evaluation better, by hill climbing")
    only_for: ClassVar[tuple[str, ...]] = ("pacman",)
    reads_files: ClassVar[bool] = False
    minutes: float = option(5.0, Phrase("how long to search"), low=0.0)
    layouts: str = option("smallClassic", Phrase("names with + between"))
    depth: int = option(2, Phrase("rounds that expectimax looks ahead"), low=1)
    games: int = option(200, Phrase("games that two sets of weights are compared by"), low=1)
    seed: int = option(1, Phrase("of the changes and of the games"), low=0)

    def train(self, game: Game, job: Job) -> Outcome:
        from hansu.games.pacman.evaluation import BETTER
        from hansu.games.pacman.quick import Searcher
        from hansu.learn.tuning.pacman_weights import mean_score, tune

        layouts, searcher = self.layouts.split("+"), Searcher(expectimax=self.depth)
        unseen = range(10**12, 10**12 + 5 * self.games)
        before = mean_score(BETTER, layouts, searcher, unseen)
        chance = random.Random(self.seed)
        found = tune(dict(BETTER), layouts, searcher, self.minutes, self.games, chance, job.tell)
        after = mean_score(found, layouts, searcher, unseen)
        files = []
        if job.output is not None:
            save(job.output, (json.dumps(found, indent=1) + "\n").encode())
            files.append(job.output)
        rows = tuple((name, f"{BETTER[name]:g}", f"{weight:g}") for name, weight in found.items())
        before_after = Phrase("before"), Phrase("after")
        played = Phrase("{games} games", games=len(unseen))
        points = Table((Phrase("points a game"), *before_after), ((played, f"{before:.1f}", f"{after:.1f}"),))
        return Outcome([points, Table((Phrase("weight"), *before_after), rows)], [], files)


RECIPES = (RenjuGames, RenjuAsides, RenjuNetwork, AtaxxGames, AtaxxWeights, AtaxxTerms, PacmanWeights)
