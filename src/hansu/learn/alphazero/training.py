"""A run from beginning to end: self-play in this thread; learner, judge, sparring and the writer of samples beside."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from hansu import __version__
from hansu.core.bits import flat
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.options import read_settings, split_spec
from hansu.core.phrase import Phrase
from hansu.core.player import options_of
from hansu.learn.alphazero.answerer import Answerer, Playing
from hansu.learn.alphazero.beside import Beside
from hansu.learn.alphazero.games import MOST_ENTRIES, Beginnings, Games
from hansu.learn.alphazero.intake import Intake
from hansu.learn.alphazero.judge import Judge
from hansu.learn.alphazero.progress import Progress
from hansu.learn.alphazero.self_play import Clock, Effort, Group, SelfPlay
from hansu.learn.alphazero.settings import Settings, extras_of, filled, references_of, simulations_of
from hansu.learn.alphazero.sides import Asking, Searching, opening
from hansu.learn.alphazero.sparring import Sparring
from hansu.learn.alphazero.trainer import Trainer
from hansu.learn.card import number_kind
from hansu.learn.champion import begin_with, notes_of, save_network
from hansu.learn.device import device_for
from hansu.learn.learner import Batch, Learner, NotANumber, Schedule
from hansu.learn.networks import Size, build, built_as, description, parameter_count, torch
from hansu.learn.recipe import Job, Outcome, Table
from hansu.learn.replay import Encoder, Replay
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import Board
from hansu.learn.view import View
from hansu.search.forest import Forest
from hansu.search.forest import Settings as TreeSettings
from hansu.search.players.named import player_named

FIXED = ("network", "channels", "blocks", "pooling", "extras", "begin")  # what cannot change while a run goes on
NOISE = 0.25  # share of Dirichlet noise at the roots of self-play with puct
SHARD_SAMPLES = 50_000
OPENINGS = 500  # drawn at the start where a game names its own opening moves
SWITCH_SECONDS = 0.0005  # how long a thread may hold the interpreter while another waits: the search must not wait long


def train(game: Game, settings: Settings, given: dict[str, str], job: Job) -> Outcome:
    """Begin a run or go on with one, as the settings say."""
    run = Run(Path(settings.run or f"runs/{game.name}"))
    device = device_for(settings.device)
    if settings.resume:
        facts = run.read_facts()
        check_same_game(run, facts, game)
        check_same_network(facts, given)
        check_no_programs(run, facts, given, game)
        given = {**facts["given"], **given}
        settings = Settings(**read_settings(options_of(Settings), given, "alphazero"))
    settings = filled(settings, game, device)
    training = Training(game, settings, given, device, run, job)
    try:
        return training.go()
    finally:
        run.close()


def check_same_game(run: Run, facts: dict[str, Any], game: Game) -> None:
    identity = Board(game).identity
    if facts.get("identity") != identity:
        other, folder = facts.get("identity"), run.folder
        what = Phrase(
            "{folder} holds a run of {other}, not of {identity}", folder=folder, other=other, identity=identity
        )
        raise HansuError(what, Phrase("name another folder: --run DIR"))


def check_same_network(facts: dict[str, Any], given: dict[str, str]) -> None:
    for key in FIXED:
        if key in given and given[key] != str(facts["settings"].get(key, "")):
            what = Phrase("{key} cannot change while a run goes on", key=key)
            hint = Phrase("a new run can begin with its champion: --begin RUN/champion.npz")
            raise HansuError(what, hint)


def check_no_programs(run: Run, facts: dict[str, Any], given: dict[str, str], game: Game) -> None:
    """A run's files may name players, but none that start programs: those are named by whoever goes on with it."""
    kept = facts.get("given")
    if not isinstance(kept, dict) or not all(isinstance(value, str) for value in kept.values()):
        raise HansuError(Phrase("the files in {folder} are not those of a run", folder=run.folder))
    for key in ("against", "references"):
        for spec in [] if key in given else kept.get(key, "").split():
            kind = game.players().get(split_spec(spec)[0])
            if kind is not None and kind.starts_programs():
                what = Phrase("{folder} names a program for --{key}: {spec}", folder=run.folder, key=key, spec=spec)
                raise HansuError(what, Phrase("name it yourself if you want it to run"))


class Training:
    def __init__(self, game: Game, settings: Settings, given: dict[str, str], device: str, run: Run, job: Job) -> None:
        self._game, self._settings, self._given, self._run, self._job = game, settings, given, run, job
        self._device = device
        self._view, self._board = View(game), Board(game)
        self._progress = Progress(settings.minutes * 60, settings.steps)
        self._log_at = time.monotonic()
        self._last_steps = 0

    # Setting up.

    def go(self) -> Outcome:
        torch.manual_seed(self._settings.seed)
        references = {name: player_named(name, self._game) for name in references_of(self._settings)}
        sparring_partner = player_named(self._settings.against, self._game) if self._settings.against else None
        network = self._network()
        self._kind = number_kind(network, self._device, min(self._settings.games or 1, 128))
        learner = self._learner(network)
        self._set_up(learner, references, sparring_partner)
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            return self._play()
        finally:
            sys.setswitchinterval(before)

    def _network(self) -> Any:
        settings, shape = self._settings, self._view.shape
        if self._settings.resume:
            network = built_as(self._run.resume()["described"])
            if network.shape != shape:
                raise HansuError(
                    f"{self._run.folder}: {self._game.name} has changed since: {network.shape}, now {shape}"
                )
            return network
        if settings.begin:
            network = begin_with(Path(settings.begin), shape)
        else:
            size = Size(settings.channels or 0, settings.blocks or 0, settings.pooling, extras_of(settings))
            network = build(settings.network, shape, size)
        self._run.begin(self._facts(network))
        return network

    def _facts(self, network: Any) -> dict[str, Any]:
        chosen = {f.name: getattr(self._settings, f.name) for f in fields(Settings)}
        size = network.size
        return {
            "hansu": __version__, "recipe": "alphazero", "game": self._game.spec, "identity": self._board.identity,
            "device": self._device, "given": self._given, "settings": chosen, "described": description(network),
            "parameters": parameter_count(network),
            "network_text": f"{network.named} {size.channels or ''} x {size.blocks or ''}".strip(" x"),
        }  # fmt: skip

    def _learner(self, network: Any) -> Learner:
        s = self._settings
        assert s.rate is not None
        schedule = Schedule(rate=s.rate, warmup=s.warmup, decay=s.decay, clip=s.clip, average=s.average)
        learner = Learner(network, schedule, self._device, half=self._kind != torch.float32)
        if s.resume:
            self._take_checkpoint(learner)
            facts = {**self._run.facts, **self._facts(network)}
            self._run.note(facts)
        return learner

    def _take_checkpoint(self, learner: Learner) -> None:
        for row in reversed(self._run.read_log()):
            if row.get("kind") == "progress":
                self._progress.take(row)
                break
        found = self._run.last_checkpoint()
        if found is None:
            self._job.tell(Phrase("no checkpoint yet: weights begin anew"))
            return
        arrays, facts, wrong = found
        for what in wrong:
            self._job.tell(what)
        learner.take_arrays(arrays)
        learner.steps = facts["steps"]
        self._progress.take(facts)
        self._progress.steps = learner.steps
        if self._progress.over:
            done = f"{self._progress.before / 60:.1f}"
            what = Phrase("this run has had its time: {done} minutes, {steps:,} steps", done=done, steps=learner.steps)
            raise HansuError(what, Phrase("give it more in all: --minutes"))

    def _filled(self) -> tuple[Replay, int]:
        """What was played before, and the number of the next game."""
        assert self._settings.window is not None
        number = 0
        replay = Replay(self._board, self._settings.window, min(self._view.shape.actions, MOST_ENTRIES))
        parts, damages = self._run.read_samples(self._board, self._settings.window)
        for damage in damages:
            self._job.tell(Phrase("{damage}: passed over", damage=damage))
            self._run.log({"kind": "damage", "text": str(damage)})
        for part in parts:
            replay.add(part)
            number = max(number, int(part.game.max()) + 1)
        if parts:
            count = sum(map(len, parts))
            self._progress.positions = max(self._progress.positions, count)
            self._job.tell(Phrase("{count:,} positions from before", count=count))
        return replay, number

    def _set_up(self, learner: Learner, references: dict[str, Any], sparring_partner: Any) -> None:
        s = self._settings
        assert s.games and s.groups and s.threads and s.temperature_plies is not None and s.keep is not None
        self._playing = Playing(learner.average, self._device, self._kind)
        players = [self._playing]
        beginnings = self._beginnings()
        self._groups = [self._group(i, beginnings) for i in range(s.groups)]
        replay, number = self._filled()
        shards = ShardWriter(self._run, self._board, SHARD_SAMPLES, s.keep)
        self._intake = Intake(self._game, self._run, replay, shards, self._progress, number)
        self._sparring: Sparring | None = None
        if sparring_partner is not None:
            spare = Playing(learner.average, self._device, self._kind)
            players.append(spare)
            self._sparring = self._spar(spare, sparring_partner)
        self._judge = self._judged(learner, references)
        encoder = Encoder(self._game, self._board, s.search_value, s.symmetries, 4 if self._device == "cuda" else 1)
        self._trainer = Trainer(learner, replay, encoder, s, self._progress, players, self._view.whole, self._run,
                                self._saved)  # fmt: skip
        self._warm_up(encoder)
        self._trainer.prepare(self._job.tell)
        if not self._run.champion.is_file():
            self._crown(learner.average, 0)

    def _forest(self, trees: int, simulations: int, answerer: Answerer, noise: float, seed: int) -> Forest:
        settings = TreeSettings(algorithm=self._settings.algorithm, noise=noise)
        threads = min(self._settings.threads or 1, max(1, trees // 64))
        return Forest(
            self._board.first, trees, simulations, settings, threads=threads, seed=seed, inputs=answerer.inputs
        )

    def _group(self, number: int, beginnings: Beginnings) -> Group:
        s = self._settings
        assert s.games and s.temperature_plies is not None
        answerer = Answerer(self._playing, s.games, self._view.whole, s.compile, self._job.tell)
        seed = s.seed + 1000 * (number + 1) + self._progress.games
        most = max(*simulations_of(s), s.fast_simulations if s.fast_share else 0)
        forest = self._forest(s.games, most, answerer, NOISE, seed)
        games = Games(self._game, self._board, s.games, self._view.shape.actions, beginnings, s.longest, s.resign, seed)
        chance = np.random.default_rng(seed)
        return Group(games, forest, answerer, lambda: self._effort(chance), s.temperature, s.temperature_plies)

    def _warm_up(self, encoder: Encoder) -> None:
        """Compile everything before the clock starts: the first moves of some games, and a batch of their samples."""
        beginnings = Beginnings(np.array([flat(self._board.first.state)], np.int64), 1.0, 1)
        count = 16  # a forest of very few trees is read by other code
        answerer = Answerer(self._playing, count, self._view.whole, tell=self._job.tell)
        games = Games(self._game, self._board, count, self._view.shape.actions, beginnings, 2, 0.0, 1)
        group = Group(games, self._forest(count, 2, answerer, NOISE, 1), answerer, lambda: Effort(2), 1.0, 1)
        group.start()
        done = None
        while done is None:
            done = group.turn(Clock())
        samples = done.samples.with_room(min(self._view.shape.actions, MOST_ENTRIES))
        batch = Batch.room(len(samples), self._view.shape, self._view.whole)
        encoder.encode(samples, batch, np.random.default_rng(1))

    def _effort(self, chance: np.random.Generator) -> Effort:
        """Few simulations at first, more as the network knows more; some moves are only played."""
        s = self._settings
        if s.fast_share and chance.random() < s.fast_share:
            return Effort(s.fast_simulations, False)
        return Effort(self._simulations)

    @property
    def _simulations(self) -> int:
        first, last = simulations_of(self._settings)
        return round(first + self._progress.share * (last - first))

    def _beginnings(self) -> Beginnings:
        s = self._settings
        states = [self._board.first.state]
        if s.openings:
            states = [self._game.position(line).state for line in _lines(Path(s.openings))]
        elif self._game.opening_actions is not None and self._game.opening_plies:
            chance = random.Random(s.seed)
            plies = self._game.opening_plies
            states += [opening(self._game, chance.randint(1, plies), chance).state for _ in range(OPENINGS)]
        return Beginnings(np.array([flat(state) for state in states], np.int64), s.random_share, s.random_plies or 0)

    def _searching(self, playing: Playing, trees: int, simulations: int, seed: int) -> Searching:
        answerer = Answerer(playing, trees, self._view.whole, tell=self._job.tell)
        return Searching(playing, self._forest(trees, simulations, answerer, 0.0, seed), answerer, simulations)

    def _spar(self, playing: Playing, player: Any) -> Sparring:
        s = self._settings
        assert s.games and s.groups and s.temperature_plies is not None
        count = max(2, round(s.games * s.groups * s.share / (1 - s.share)))
        most = min(self._view.shape.actions, MOST_ENTRIES)
        ours = self._searching(playing, min(count, 256), simulations_of(s)[1], s.seed + 7)
        return Sparring(
            self._game, ours, Asking(player), min(count, 256), most, s.temperature, s.temperature_plies,
            s.random_plies or 0, s.longest, s.seed + 8, self._more_sparring, self._intake.take_sparred,
        )  # fmt: skip

    def _more_sparring(self) -> bool:
        """Is the share of games against the named player below what was asked for?"""
        return self._intake.sparred <= self._settings.share * (self._progress.games + 1)

    def _judged(self, learner: Learner, references: dict[str, Any]) -> Judge:
        s = self._settings
        self._last_judged = -1
        trees = max(2, s.rating_games, 40 if s.gate == "sprt" else 7)
        sides = [
            self._searching(
                Playing(learner.average, self._device, self._kind), trees, s.rating_simulations, s.seed + 11 + i
            )
            for i in range(2 if s.gate != "none" else 1)
        ]
        return Judge(
            self._game, s.seed + 13, s.longest, sides[0], sides[-1], references, self._newest, self._log, self._crowned,
            gate=s.gate, gate_seconds=60 * s.gate_minutes, rating_games=s.rating_games,
            rating_seconds=60 * s.rating_minutes,
        )  # fmt: skip

    # While it runs.

    def _play(self) -> Outcome:
        self_play = SelfPlay(self._playing, self._groups, self._intake.take)
        beside = [self._intake.beside, self._trainer.beside]
        beside += [self._judge.beside] if self._judge.needed else []
        beside += [self._sparring.beside] if self._sparring is not None else []
        self._progress.started = time.monotonic()
        self._log_at = time.monotonic()
        for thread in beside:
            thread.start()
        stopped = False
        try:
            self_play.run(lambda: self._going_on(self_play, beside))
        except KeyboardInterrupt:
            stopped = True
        finally:
            for thread in reversed(beside):
                thread.stop()
        failures = [thread for thread in beside if thread.failure is not None]
        if failures:
            self._fail(failures[0])
        return self._end(self_play, stopped)

    def _going_on(self, self_play: SelfPlay, beside: list[Beside]) -> bool:
        if any(thread.failure is not None for thread in beside):
            return False
        if time.monotonic() >= self._log_at + self._settings.log_seconds:
            self._tell_progress(self_play)
        return not self._progress.over

    def _newest(self) -> Any:
        """The averaged weights, if they have changed since the judge last asked."""
        if self._trainer.learner.steps == self._last_judged:
            return None
        network = self._trainer.snapshot()
        if network is not None:
            self._last_judged = network.steps
        return network

    def _saved(self) -> None:
        if self._settings.gate == "none":
            self._crown(self._trainer.learner.average, self._trainer.learner.steps)

    def _crowned(self, network: Any) -> None:
        self._crown(network, network.steps)

    def _crown(self, network: Any, steps: int) -> None:
        """A new champion. The ONNX file is for playing: if it cannot be written, the run goes on without."""
        told = {"recipe": "alphazero", "run": self._run.folder.name, "steps": steps, **self._progress.facts()}
        try:
            save_network(self._run.champion, network, notes_of(network, self._board.identity, told))
        except HansuError:
            raise
        except Exception as error:  # the exporter has many ways to fail, none of them worth a run
            self._job.tell(f"champion.onnx could not be written: {type(error).__name__}: {error}")

    def _log(self, row: dict[str, Any]) -> None:
        row = {**row, "steps": self._trainer.learner.steps, "seconds": round(self._progress.seconds, 1)}
        self._run.log(row)
        self._job.show(row)

    def _tell_progress(self, self_play: SelfPlay) -> None:
        now, clock = time.monotonic(), self_play.clock
        passed = max(time.perf_counter() - clock.began, 1e-9)
        self_play.clock = Clock()
        self._log_at = now
        waited = sum(group.answerer.waited for group in self._groups)
        for group in self._groups:
            group.answerer.waited = 0.0
        self._progress.simulations += clock.simulations
        learner = self._trainer.learner
        row = {
            "kind": "progress", **self._progress.facts(), "whole": self._progress.whole,
            "simulations_a_second": round(clock.simulations / passed), "simulations": self._simulations,
            "searching": round(clock.searching / passed, 3), "waiting": round(waited / passed, 3),
            "moving": round(clock.moving / passed, 3), "learner_waiting": round(self._trainer.beside.waited(), 3),
            "steps": learner.steps, "steps_a_second": round((learner.steps - self._last_steps) / passed, 2),
            "window": self._trainer.window, **{name: round(loss, 4) for name, loss in self._trainer.losses.items()},
            "rate": learner.schedule.rate_at(learner.steps, self._progress.share), **self._intake.told(),
            "processor_seconds": round(time.process_time(), 1),
        }  # fmt: skip
        self._last_steps = learner.steps
        self._run.log(row)
        self._job.show(row)

    # The end.

    def _fail(self, thread: Beside) -> None:
        failure = thread.failure
        assert failure is not None
        if isinstance(failure, NotANumber):
            found = self._run.last_checkpoint()
            step = found[1]["steps"] if found is not None else 0
            trouble = failure.what
            what = Phrase(
                "{trouble}; the run stands at its last good checkpoint, step {step:,}", trouble=trouble, step=step
            )
            self._run.log({"kind": "failure", "text": str(what)})
            raise HansuError(what, failure.hint) from failure
        raise failure

    def _end(self, self_play: SelfPlay, stopped: bool) -> Outcome:
        self._intake.close()
        self._trainer.checkpoint()
        self._tell_progress(self_play)
        if not stopped and self._judge.needed:
            self._judge.last_word(self._trainer.copy())
        facts = self._progress.facts()
        self._run.log({"kind": "stopped" if stopped else "finished", **facts, "steps": self._trainer.learner.steps})
        if stopped:
            self._job.tell(Phrase("stopped; go on with --resume --run {folder}", folder=self._run.folder))  # fmt: skip
        from hansu.learn.report import write_report

        report = write_report(self._run.folder, self._game)
        lines = (
            ("games", f"{facts['games']:,}"), ("positions", f"{facts['positions']:,}"),
            ("simulations", f"{facts['simulations_in_all']:,}"), ("steps", f"{self._trainer.learner.steps:,}"),
            ("minutes", f"{facts['seconds'] / 60:.1f}"),
        )  # fmt: skip
        files = [path for path in (self._run.champion_onnx, self._run.champion, report) if path.is_file()]
        return Outcome([Table(("run", str(self._run.folder)), lines)], [], files)


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise HansuError(f"{path} cannot be read: {error.strerror}") from None
    found = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not found:
        raise HansuError(f"{path} holds no positions", "one a line")
    return found
