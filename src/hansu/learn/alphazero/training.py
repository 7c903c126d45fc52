"""A run from beginning to end: self-play in this thread, or on a cluster; learner, judge, sparring and
the writer of samples beside."""

from __future__ import annotations

import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from hansu import __version__
from hansu.arena.game_transfer import PackedGame
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.options import read_settings, split_spec
from hansu.core.player import options_of
from hansu.core.ray_session import joined
from hansu.learn.alphazero.actor import Role
from hansu.learn.alphazero.background_thread import Beside
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.cluster import Cluster
from hansu.learn.alphazero.evaluator import Playing
from hansu.learn.alphazero.game_recorder import Intake
from hansu.learn.alphazero.games import MOST_ENTRIES
from hansu.learn.alphazero.gating import Gate
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.alphazero.seats import Asking
from hansu.learn.alphazero.self_play import SelfPlay
from hansu.learn.alphazero.settings import (
    AlphaZeroSettings,
    extras_of,
    filled,
    for_actor,
    references_of,
    simulations_of,
)
from hansu.learn.alphazero.sparring import Sparring
from hansu.learn.alphazero.trainer import Taker, Trainer
from hansu.learn.champion import begin_with, how_to_play, notes_of, save_network
from hansu.learn.cuda import number_kind
from hansu.learn.device import device_for
from hansu.learn.learner import Learner, LearningRateSchedule, NotANumber, TrainingBatch
from hansu.learn.networks import Size, build, built_as, description, parameter_count, torch
from hansu.learn.recipe import Job, ResultTable, TrainingResult
from hansu.learn.replay_buffer import Encoder, Replay
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import Board
from hansu.search.players.named import player_named

FIXED = ("network", "channels", "blocks", "pooling", "extras", "init")  # what cannot change while a run goes on
SHARD_SAMPLES = 50_000
SWITCH_SECONDS = 0.0005  # how long a thread may hold the interpreter while another waits: the search must not wait long


def train(game: Game, settings: AlphaZeroSettings, given: dict[str, str], job: Job) -> TrainingResult:
    """Begin a run or go on with one, as the settings say."""
    run = Run(Path(settings.run or f"runs/{game.name}"))
    device = device_for(settings.device)
    if settings.resume:
        facts = run.read_facts()
        check_same_game(run, facts, game)
        check_same_network(facts, given)
        check_no_programs(run, facts, given, game)
        given = {**facts["given"], **given}
        settings = AlphaZeroSettings(**read_settings(options_of(AlphaZeroSettings), given, "alphazero"))
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
        raise HansuError(
            "{folder} holds a run of {other}, not of {identity}",
            "name another folder: --run DIR",
            folder=folder,
            other=other,
            identity=identity,
        )


def check_same_network(facts: dict[str, Any], given: dict[str, str]) -> None:
    for key in FIXED:
        if key in given and given[key] != str(facts["settings"].get(key, "")):
            what = Message("{key} cannot change while a run goes on", key=key)
            hint = Message("a new run can begin with its champion: --init RUN/champion.npz")
            raise HansuError(what, hint)


def check_no_programs(run: Run, facts: dict[str, Any], given: dict[str, str], game: Game) -> None:
    """A run's files may name players, but none that start programs: those are named by whoever goes on with it."""
    kept = facts.get("given")
    if not isinstance(kept, dict) or not all(isinstance(value, str) for value in kept.values()):
        raise HansuError("the files in {folder} are not those of a run", folder=run.folder)
    for key in ("opponent", "rating_opponents"):
        for spec in [] if key in given else kept.get(key, "").split():
            kind = game.players().get(split_spec(spec)[0])
            if kind is not None and kind.starts_programs():
                raise HansuError(
                    "{folder} names a program for --{key}: {spec}",
                    "name it yourself if you want it to run",
                    folder=run.folder,
                    key=key,
                    spec=spec,
                )


class Training:
    def __init__(
        self, game: Game, settings: AlphaZeroSettings, given: dict[str, str], device: str, run: Run, job: Job
    ) -> None:
        self._game, self._settings, self._given, self._run, self._job = game, settings, given, run, job
        self._device = device
        self._progress = RunProgress(settings.minutes * 60, settings.steps)
        self._builder = Builder(game, settings, lambda: self._progress.share, job.tell)
        self._view, self._board = self._builder.view, self._builder.board
        self._cluster: Cluster | None = None

    # Setting up.

    def go(self) -> TrainingResult:
        if not self._settings.cluster:
            return self._go()
        with joined(self._settings.cluster) as self._ray:
            return self._go()

    def _go(self) -> TrainingResult:
        torch.manual_seed(self._settings.seed)
        references = {name: player_named(name, self._game) for name in references_of(self._settings)}
        sparring_partner = player_named(self._settings.opponent, self._game) if self._settings.opponent else None
        before = sys.getswitchinterval()
        try:
            with self._run.starting():
                network = self._network()
                self._kind = number_kind(network, self._device, min(self._settings.games or 1, 128))
                self._set_up(self._learner(network), references, sparring_partner)
                if self._settings.resume:  # only now: settings that were refused must not stay in the run
                    self._run.note({**self._run.facts, **self._facts(network)})
            sys.setswitchinterval(SWITCH_SECONDS)
            return self._play()
        finally:
            sys.setswitchinterval(before)
            if self._cluster is not None:
                self._cluster.close()

    def _network(self) -> Any:
        settings, shape = self._settings, self._view.shape
        if self._settings.resume:
            network = built_as(self._run.resume()["described"])
            if network.shape != shape:
                raise HansuError(
                    f"{self._run.folder}: {self._game.name} has changed since: {network.shape}, now {shape}"
                )
            return network
        if settings.init:
            network = begin_with(Path(settings.init), self._view)
        else:
            size = Size(settings.channels or 0, settings.blocks or 0, settings.pooling, extras_of(settings))
            network = build(settings.network, shape, size)
        self._run.begin(self._facts(network))
        return network

    def _facts(self, network: Any) -> dict[str, Any]:
        chosen = {f.name: getattr(self._settings, f.name) for f in fields(AlphaZeroSettings)}
        size = network.size
        return {
            "hansu": __version__, "recipe": "alphazero", "game": self._game.spec, "identity": self._board.identity,
            "device": self._device, "given": self._given, "settings": chosen, "described": description(network),
            "parameters": parameter_count(network),
            "network_text": f"{network.named} {size.channels or ''} x {size.blocks or ''}".strip(" x"),
        }  # fmt: skip

    def _learner(self, network: Any) -> Learner:
        s = self._settings
        assert s.learning_rate is not None
        schedule = LearningRateSchedule(
            rate=s.learning_rate, warmup=s.warmup, decay=s.weight_decay, clip=s.gradient_clip, average=s.ema
        )
        learner = Learner(network, schedule, self._device, half=self._kind != torch.float32)
        if s.resume:
            self._take_checkpoint(learner)
        return learner

    def _take_checkpoint(self, learner: Learner) -> None:
        for row in reversed(self._run.read_log()):
            if row.get("kind") == "progress":
                self._progress.take(row)
                break
        found = self._run.last_checkpoint()
        if found is None:
            self._job.tell(Message("no checkpoint yet: weights begin anew"))
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
            raise HansuError(
                "this run has had its time: {done} minutes, {steps:,} steps",
                "give it more in all: --minutes",
                done=done,
                steps=learner.steps,
            )

    def _filled(self) -> tuple[Replay, int]:
        """What was played before, and the number of the next game."""
        assert self._settings.window is not None
        number = 0
        replay = Replay(self._board, self._settings.window, min(self._view.shape.actions, MOST_ENTRIES))
        parts, damages = self._run.read_samples(self._board, self._settings.window)
        for damage in damages:
            self._job.tell(Message("{damage}: passed over", damage=damage))
            self._run.log({"kind": "damage", "text": str(damage)})
        for part in parts:
            replay.add(part)
            number = max(number, int(part.game.max()) + 1)
        if parts:
            count = sum(map(len, parts))
            self._progress.positions = max(self._progress.positions, count)
            self._job.tell(Message("{count:,} positions from before", count=count))
        return replay, number

    def _set_up(self, learner: Learner, references: dict[str, Any], sparring_partner: Any) -> None:
        s = self._settings
        assert s.games and s.groups and s.threads and s.temperature_plies is not None and s.keep is not None
        playing = Playing(learner.average, self._device, self._kind)
        replay, number = self._filled()
        shards = ShardWriter(self._run, self._board, SHARD_SAMPLES, s.keep)
        self._intake = Intake(self._game, self._run, replay, shards, self._progress, number)
        self._cluster = self._elsewhere(learner.average) if s.cluster else None
        self._self_play: SelfPlay | Cluster = self._cluster or self._here(playing)
        players: list[Taker] = [self._cluster or playing]
        self._sparring: Sparring | None = None
        if sparring_partner is not None:
            spare = Playing(learner.average, self._device, self._kind)
            players.append(spare)
            self._sparring = self._spar(spare, sparring_partner)
        self._judge = self._judged(learner, references)
        encoder = Encoder(self._game, self._board, s.search_value, s.symmetries, 4 if self._device == "cuda" else 1)
        self._trainer = Trainer(learner, replay, encoder, s, self._progress, players, self._view.whole, self._run,
                                self._saved)  # fmt: skip
        self._warm_up(playing, encoder)
        self._trainer.precompile(self._job.tell)
        if not self._run.champion.is_file():
            self._crown(learner.average, 0)
        if self._cluster is not None:
            self._trainer.offer()
            self._progress.started = time.monotonic()
            self._cluster.begin()

    def _warm_up(self, playing: Playing, encoder: Encoder) -> None:
        """Compile everything before the clock starts: the first moves of some games, and a batch of their samples."""
        samples = self._builder.some_games(playing).samples.with_room(min(self._view.shape.actions, MOST_ENTRIES))
        batch = TrainingBatch.room(len(samples), self._view.shape, self._view.whole)
        encoder.encode(samples, batch, np.random.default_rng(1))

    def _here(self, playing: Playing) -> SelfPlay:
        """Self-play on this machine."""
        beginnings = self._builder.beginnings()
        first = self._settings.seed + self._progress.games
        numbers = range(1, 1 + (self._settings.groups or 1))
        groups = [self._builder.group(playing, beginnings, first + 1000 * number) for number in numbers]
        return SelfPlay(playing, groups, self._intake.take)

    def _elsewhere(self, network: Any) -> Cluster:
        """Self-play on the machines of a cluster."""
        s, game, described = self._settings, PackedGame.of(self._game), description(network)
        beginnings = self._builder.beginnings()
        beginnings = replace(beginnings, states=self._board.without_handles(beginnings.states))
        first = s.seed + self._progress.games

        def role(device: str, threads: int, number: int) -> Role:
            settings = for_actor(s, self._given, self._game, device, threads)
            return Role(game, settings, described, beginnings, first + 1000 * number)

        return Cluster(self._ray, s, self._board, role, lambda: self._progress.share, self._intake.take, self._log)

    def _spar(self, playing: Playing, player: Any) -> Sparring:
        s = self._settings
        assert s.games and s.groups and s.temperature_plies is not None
        count = max(2, round(s.games * s.groups * s.opponent_share / (1 - s.opponent_share)))
        most = min(self._view.shape.actions, MOST_ENTRIES)
        ours = self._builder.searching(playing, min(count, 256), simulations_of(s)[1], s.seed + 7)
        return Sparring(
            self._game, ours, Asking(player), min(count, 256), most, s.temperature, s.temperature_plies,
            s.random_plies or 0, s.max_plies, s.seed + 8, self._more_sparring, self._intake.take_sparred,
        )  # fmt: skip

    def _more_sparring(self) -> bool:
        """Is the share of games against the named player below what was asked for?"""
        return self._intake.sparred <= self._settings.opponent_share * (self._progress.games + 1)

    def _judged(self, learner: Learner, references: dict[str, Any]) -> Gate:
        s = self._settings
        self._last_judged = -1
        trees = max(2, s.rating_games, 40 if s.gate == "sprt" else 7)
        sides = [
            self._builder.searching(
                Playing(learner.average, self._device, self._kind), trees, s.rating_simulations, s.seed + 11 + i
            )
            for i in range(2 if s.gate != "none" else 1)
        ]
        return Gate(
            self._game, s.seed + 13, s.max_plies, sides[0], sides[-1], references, self._newest, self._log,
            self._crowned,
            gate=s.gate, gate_seconds=60 * s.gate_minutes, rating_games=s.rating_games,
            rating_seconds=60 * s.rating_minutes,
        )  # fmt: skip

    # While it runs.

    def _play(self) -> TrainingResult:
        beside = [self._intake.beside, self._trainer.beside]
        beside += [self._judge.beside] if self._judge.needed else []
        beside += [self._sparring.beside] if self._sparring is not None else []
        self._progress.started = time.monotonic()
        self._log_at, self._last_steps = time.monotonic(), self._trainer.learner.steps
        self._self_play.lap()
        for thread in beside:
            thread.start()
        stopped = False
        try:
            self._self_play.run(lambda: self._going_on(beside))
        except KeyboardInterrupt:
            stopped = True
        finally:
            for thread in reversed(beside):
                thread.stop()
        failures = [thread for thread in beside if thread.failure is not None]
        if failures:
            self._fail(failures[0])
        return self._end(stopped)

    def _going_on(self, beside: list[Beside]) -> bool:
        if any(thread.failure is not None for thread in beside):
            return False
        if time.monotonic() >= self._log_at + self._settings.log_seconds:
            self._tell_progress()
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

    def _tell_progress(self) -> None:
        now, clock = time.monotonic(), self._self_play.lap()
        passed, played = max(now - self._log_at, 1e-9), max(clock.seconds, 1e-9)
        self._log_at = now
        self._progress.simulations += clock.simulations
        learner = self._trainer.learner
        row = {
            "kind": "progress", **self._progress.facts(), "whole": self._progress.whole,
            "simulations_a_second": round(clock.simulations / passed), "simulations": self._builder.simulations,
            "searching": round(clock.searching / played, 3), "waiting": round(clock.waiting / played, 3),
            "moving": round(clock.moving / played, 3), "learner_waiting": round(self._trainer.beside.waited(), 3),
            "steps": learner.steps, "steps_a_second": round((learner.steps - self._last_steps) / passed, 2),
            "window": self._trainer.window, **{name: round(loss, 4) for name, loss in self._trainer.losses.items()},
            "rate": learner.schedule.rate_at(learner.steps, self._progress.share), **self._intake.told(),
            **self._self_play.told(), "processor_seconds": round(time.process_time(), 1),
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
            what = Message(
                "{trouble}; the run stands at its last good checkpoint, step {step:,}", trouble=trouble, step=step
            )
            self._run.log({"kind": "failure", "text": str(what)})
            raise HansuError(what, failure.hint) from failure
        raise failure

    def _end(self, stopped: bool) -> TrainingResult:
        self._intake.close()
        self._trainer.checkpoint()
        self._tell_progress()
        if not stopped and self._judge.needed:
            self._job.tell(Message("played to the end; the last rating is being measured"))
            self._judge.last_word(self._trainer.copy())
        facts = self._progress.facts()
        self._run.log({"kind": "stopped" if stopped else "finished", **facts, "steps": self._trainer.learner.steps})
        if stopped:
            self._job.tell(Message("stopped; go on with --resume --run {folder}", folder=self._run.folder))  # fmt: skip
        if not self._trainer.learner.steps:
            count = facts["games"]
            what = Message(
                "nothing was learnt yet: {count:,} games are too few; go on with --resume and more --minutes",
                count=count,
            )
            self._job.tell(what)
        if left := how_to_play(self._run.champion):
            self._job.tell(left)
        from hansu.learn.run_report import write_report

        report = write_report(self._run.folder, self._game)
        lines = (
            (Message("games"), f"{facts['games']:,}"), (Message("positions"), f"{facts['positions']:,}"),
            (Message("simulations"), f"{facts['simulations_in_all']:,}"),
            (Message("steps"), f"{self._trainer.learner.steps:,}"),
            (Message("minutes"), f"{facts['seconds'] / 60:.1f}"),
        )  # fmt: skip
        files = [path for path in (self._run.champion_onnx, self._run.champion, report) if path.is_file()]
        return TrainingResult([ResultTable((Message("run"), str(self._run.folder)), lines)], [], files, stopped=stopped)
