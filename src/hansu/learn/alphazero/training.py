"""A run from start to end: self-play in this thread or on a cluster; the learner, matches, sparring games and the
writer of samples in background threads."""

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
from hansu.learn.alphazero.actor import ActorSettings
from hansu.learn.alphazero.background_thread import BackgroundThread
from hansu.learn.alphazero.batch_players import PlayerAdapter
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.cluster import Cluster
from hansu.learn.alphazero.evaluator import PlayingNetwork
from hansu.learn.alphazero.game_recorder import GameRecorder
from hansu.learn.alphazero.games import MAX_ENTRIES
from hansu.learn.alphazero.gating import Gate
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.alphazero.self_play import SelfPlay
from hansu.learn.alphazero.settings import (
    AlphaZeroSettings,
    extras_of,
    filled,
    for_actor,
    rating_opponents_of,
    simulations_of,
)
from hansu.learn.alphazero.sparring import Sparring
from hansu.learn.alphazero.trainer import Trainer, WeightConsumer
from hansu.learn.champion import export_hint, initial_network, notes_of, save_network
from hansu.learn.cuda import fastest_dtype
from hansu.learn.device import device_for
from hansu.learn.learner import Diverged, Learner, LearningRateSchedule, TrainingBatch
from hansu.learn.networks import Size, build, description, from_description, parameter_count, torch
from hansu.learn.recipe import Job, ResultTable, TrainingResult
from hansu.learn.replay_buffer import BatchEncoder, ReplayBuffer
from hansu.learn.run import Run, ShardWriter
from hansu.learn.samples import Board
from hansu.search.players.named import player_named

FIXED = ("network", "channels", "blocks", "pooling", "extras", "init")  # cannot change when a run is resumed
SHARD_SAMPLES = 50_000
SWITCH_SECONDS = 0.0005  # a thread yields the interpreter after this time, so that the search never waits long
MAX_SPARRING_GAMES = 256


def train(game: Game, settings: AlphaZeroSettings, given: dict[str, str], job: Job) -> TrainingResult:
    """Start or resume a run. `given` are the options that were set, as text."""
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
            "{folder} contains a run of {other}, not of {identity}",
            "name another folder: --run DIR",
            folder=folder,
            other=other,
            identity=identity,
        )


def check_same_network(facts: dict[str, Any], given: dict[str, str]) -> None:
    for key in FIXED:
        if key in given and given[key] != str(facts["settings"].get(key, "")):
            raise HansuError(
                "{key} cannot change when a run is resumed",
                "start a new run from its champion: --init RUN/champion.npz",
                key=key,
            )


def check_no_programs(run: Run, facts: dict[str, Any], given: dict[str, str], game: Game) -> None:
    """Reject a run whose files name players that start programs. Only the user may name those."""
    saved = facts.get("given")
    if not isinstance(saved, dict) or not all(isinstance(value, str) for value in saved.values()):
        raise HansuError("{folder} does not contain the files of a run", folder=run.folder)
    for key in ("opponent", "rating_opponents"):
        for spec in [] if key in given else saved.get(key, "").split():
            kind = game.players().get(split_spec(spec)[0])
            if kind is not None and kind.starts_programs():
                raise HansuError(
                    "the files in {folder} name a program for --{key}: {spec}",
                    "give this option yourself if you want to run the program",
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
        self._entries = min(self._view.shape.actions, MAX_ENTRIES)  # of a policy
        self._cluster: Cluster | None = None

    # Setting up.

    def go(self) -> TrainingResult:
        if not self._settings.cluster:
            return self._go()
        with joined(self._settings.cluster) as self._ray:
            return self._go()

    def _go(self) -> TrainingResult:
        torch.manual_seed(self._settings.seed)
        opponents = {name: player_named(name, self._game) for name in rating_opponents_of(self._settings)}
        sparring_partner = player_named(self._settings.opponent, self._game) if self._settings.opponent else None
        before = sys.getswitchinterval()
        try:
            with self._run.starting():
                network = self._network()
                self._dtype = fastest_dtype(network, self._device, min(self._settings.games or 1, 128))
                self._set_up(self._learner(network), opponents, sparring_partner)
                if self._settings.resume:  # only now, so that rejected settings are not saved
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
            network = from_description(self._run.resume()["described"])
            if network.shape != shape:
                raise HansuError(
                    "{folder}: {game} has changed since this run started",
                    "the network has {before}, the game needs {now}",
                    folder=self._run.folder,
                    game=self._game.name,
                    before=str(network.shape),
                    now=str(shape),
                )
            return network
        if settings.init:
            network = initial_network(Path(settings.init), self._view)
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
        learner = Learner(network, schedule, self._device, half=self._dtype != torch.float32)
        if s.resume:
            self._load_checkpoint(learner)
        return learner

    def _load_checkpoint(self, learner: Learner) -> None:
        for row in reversed(self._run.read_log()):
            if row.get("kind") == "progress":
                self._progress.restore(row)
                break
        checkpoint = self._run.last_checkpoint()
        if checkpoint is None:
            self._job.tell(Message("no checkpoint yet: training starts with new weights"))
            return
        arrays, facts, problems = checkpoint
        for problem in problems:
            self._job.tell(problem)
        learner.load_arrays(arrays)
        learner.steps = facts["steps"]
        self._progress.restore(facts)
        self._progress.steps = learner.steps
        if self._progress.over:
            done = f"{self._progress.earlier_seconds / 60:.1f}"
            raise HansuError(
                "this run is complete: {done} minutes, {steps:,} steps",
                "increase its total time: --minutes",
                done=done,
                steps=learner.steps,
            )

    def _filled_replay(self) -> tuple[ReplayBuffer, int]:
        """A replay buffer with the run's earlier samples, and the number of the next game."""
        assert self._settings.window is not None
        number = 0
        replay = ReplayBuffer(self._board, self._settings.window, self._entries)
        parts, damages = self._run.read_samples(self._board, self._settings.window)
        for damage in damages:
            self._job.tell(Message("skipped {damage}", damage=damage))
            self._run.log({"kind": "damage", "text": str(damage)})
        for part in parts:
            replay.add(part)
            number = max(number, int(part.game.max()) + 1)
        if parts:
            count = sum(map(len, parts))
            self._progress.positions = max(self._progress.positions, count)
            self._job.tell(Message("{count:,} earlier positions loaded", count=count))
        return replay, number

    def _set_up(self, learner: Learner, opponents: dict[str, Any], sparring_partner: Any) -> None:
        s = self._settings
        assert s.games and s.groups and s.threads and s.temperature_plies is not None and s.keep is not None
        playing = PlayingNetwork(learner.average, self._device, self._dtype)
        replay, number = self._filled_replay()
        shards = ShardWriter(self._run, self._board, SHARD_SAMPLES, s.keep)
        self._recorder = GameRecorder(self._game, self._run, replay, shards, self._progress, number)
        self._cluster = self._new_cluster(learner.average) if s.cluster else None
        self._self_play: SelfPlay | Cluster = self._cluster or self._local_self_play(playing)
        consumers: list[WeightConsumer] = [self._cluster or playing]
        self._sparring: Sparring | None = None
        if sparring_partner is not None:
            sparring_network = PlayingNetwork(learner.average, self._device, self._dtype)
            consumers.append(sparring_network)
            self._sparring = self._new_sparring(sparring_network, sparring_partner)
        self._gate = self._new_gate(learner, opponents)
        threads = 4 if self._device == "cuda" else 1
        encoder = BatchEncoder(self._game, self._board, s.search_value, s.symmetries, threads)
        self._trainer = Trainer(learner, replay, encoder, s, self._progress, consumers, self._view.whole, self._run,
                                self._saved)  # fmt: skip
        self._warm_up(playing, encoder)
        self._trainer.precompile(self._job.tell)
        if not self._run.champion.is_file():
            self._save_champion(learner.average, 0)
        if self._cluster is not None:
            self._trainer.publish()
            self._progress.started = time.monotonic()
            self._cluster.begin()

    def _warm_up(self, playing: PlayingNetwork, encoder: BatchEncoder) -> None:
        """Compile everything before the clock starts: the first moves of some games, and a batch of their samples."""
        samples = self._builder.warmup_games(playing).samples.with_entries(self._entries)
        batch = TrainingBatch.empty(len(samples), self._view.shape, self._view.whole)
        encoder.encode(samples, batch, np.random.default_rng(1))

    def _local_self_play(self, playing: PlayingNetwork) -> SelfPlay:
        openings = self._builder.openings()
        first = self._settings.seed + self._progress.games
        numbers = range(1, 1 + (self._settings.groups or 1))
        groups = [self._builder.group(playing, openings, first + 1000 * number) for number in numbers]
        return SelfPlay(playing, groups, self._recorder.record)

    def _new_cluster(self, network: Any) -> Cluster:
        s, game, described = self._settings, PackedGame.of(self._game), description(network)
        openings = self._builder.openings()
        openings = replace(openings, states=self._board.without_handles(openings.states))
        first = s.seed + self._progress.games

        def actor_settings(device: str, threads: int, number: int) -> ActorSettings:
            settings = for_actor(s, self._given, self._game, device, threads)
            return ActorSettings(game, settings, described, openings, first + 1000 * number)

        return Cluster(
            self._ray, s, self._board, actor_settings, lambda: self._progress.share, self._recorder.record, self._log
        )

    def _new_sparring(self, playing: PlayingNetwork, player: Any) -> Sparring:
        s = self._settings
        assert s.games and s.groups and s.temperature_plies is not None
        count = max(2, round(s.games * s.groups * s.opponent_share / (1 - s.opponent_share)))
        count = min(count, MAX_SPARRING_GAMES)
        network = self._builder.network_player(playing, count, simulations_of(s)[1], s.seed + 7)
        return Sparring(
            self._game, network, PlayerAdapter(player), count, self._entries, s.temperature, s.temperature_plies,
            s.random_plies or 0, s.max_plies, s.seed + 8, self._sparring_needed, self._recorder.record_sparring,
        )  # fmt: skip

    def _sparring_needed(self) -> bool:
        """Is the share of games against the named player below `opponent_share`?"""
        return self._recorder.sparred <= self._settings.opponent_share * (self._progress.games + 1)

    def _new_gate(self, learner: Learner, opponents: dict[str, Any]) -> Gate:
        s = self._settings
        self._last_judged = -1
        trees = max(2, s.rating_games, 40 if s.gate == "sprt" else 7)
        players = [
            self._builder.network_player(
                PlayingNetwork(learner.average, self._device, self._dtype), trees, s.rating_simulations, s.seed + 11 + i
            )
            for i in range(2 if s.gate != "none" else 1)
        ]
        return Gate(
            self._game, s.seed + 13, s.max_plies, players[0], players[-1], opponents, self._newest, self._log,
            self._promoted,
            gate=s.gate, gate_seconds=60 * s.gate_minutes, rating_games=s.rating_games,
            rating_seconds=60 * s.rating_minutes,
        )  # fmt: skip

    # While it runs.

    def _play(self) -> TrainingResult:
        threads = [self._recorder.thread, self._trainer.thread]
        threads += [self._gate.thread] if self._gate.needed else []
        threads += [self._sparring.thread] if self._sparring is not None else []
        self._progress.started = time.monotonic()
        self._log_at, self._last_steps = time.monotonic(), self._trainer.learner.steps
        self._self_play.lap()
        for thread in threads:
            thread.start()
        stopped = False
        try:
            self._self_play.run(lambda: self._continues(threads))
        except KeyboardInterrupt:
            stopped = True
        finally:
            for thread in reversed(threads):
                thread.stop()
        failures = [thread for thread in threads if thread.failure is not None]
        if failures:
            self._fail(failures[0])
        return self._end(stopped)

    def _continues(self, threads: list[BackgroundThread]) -> bool:
        if any(thread.failure is not None for thread in threads):
            return False
        if time.monotonic() >= self._log_at + self._settings.log_seconds:
            self._log_progress()
        return not self._progress.over

    def _newest(self) -> Any:
        """A copy of the averaged weights, if they have changed since the last call."""
        if self._trainer.learner.steps == self._last_judged:
            return None
        network = self._trainer.snapshot()
        if network is not None:
            self._last_judged = network.steps
        return network

    def _saved(self) -> None:
        if self._settings.gate == "none":
            self._save_champion(self._trainer.learner.average, self._trainer.learner.steps)

    def _promoted(self, network: Any) -> None:
        self._save_champion(network, network.steps)

    def _save_champion(self, network: Any, steps: int) -> None:
        """Write a new champion. Without its ONNX file, which is for playing, the run still goes on."""
        facts = {"recipe": "alphazero", "run": self._run.folder.name, "steps": steps, **self._progress.facts()}
        try:
            save_network(self._run.champion, network, notes_of(network, self._board.identity, facts))
        except HansuError:
            raise
        except Exception as error:  # the exporter can fail in many ways; none of them should stop the run
            self._job.tell(f"champion.onnx could not be written: {type(error).__name__}: {error}")

    def _log(self, row: dict[str, Any]) -> None:
        row = {**row, "steps": self._trainer.learner.steps, "seconds": round(self._progress.seconds, 1)}
        self._run.log(row)
        self._job.show(row)

    def _log_progress(self) -> None:
        now, clock = time.monotonic(), self._self_play.lap()
        passed, played = max(now - self._log_at, 1e-9), max(clock.seconds, 1e-9)
        self._log_at = now
        self._progress.simulations += clock.simulations
        learner = self._trainer.learner
        row = {
            "kind": "progress", **self._progress.facts(), "whole": self._progress.total_seconds,
            "simulations_a_second": round(clock.simulations / passed), "simulations": self._builder.simulations,
            "searching": round(clock.searching / played, 3), "waiting": round(clock.waiting / played, 3),
            "moving": round(clock.moving / played, 3), "learner_waiting": round(self._trainer.thread.idle_share(), 3),
            "steps": learner.steps, "steps_a_second": round((learner.steps - self._last_steps) / passed, 2),
            "window": self._trainer.window, **{name: round(loss, 4) for name, loss in self._trainer.losses.items()},
            "rate": learner.schedule.rate_at(learner.steps, self._progress.share), **self._recorder.statistics(),
            **self._self_play.statistics(), "processor_seconds": round(time.process_time(), 1),
        }  # fmt: skip
        self._last_steps = learner.steps
        self._run.log(row)
        self._job.show(row)

    # The end.

    def _fail(self, thread: BackgroundThread) -> None:
        failure = thread.failure
        assert failure is not None
        if isinstance(failure, Diverged):
            checkpoint = self._run.last_checkpoint()
            step = checkpoint[1]["steps"] if checkpoint is not None else 0
            what = Message("{trouble}; the last good checkpoint is step {step:,}", trouble=failure.what, step=step)
            self._run.log({"kind": "failure", "text": str(what)})
            raise HansuError(what, failure.hint) from failure
        raise failure

    def _end(self, stopped: bool) -> TrainingResult:
        self._recorder.close()
        self._trainer.checkpoint()
        self._log_progress()
        if not stopped and self._gate.needed:
            self._job.tell(Message("self-play is complete; measuring the final rating"))
            self._gate.rate_final_network(self._trainer.copy())
        facts = self._progress.facts()
        self._run.log({"kind": "stopped" if stopped else "finished", **facts, "steps": self._trainer.learner.steps})
        if stopped:
            self._job.tell(Message("stopped; continue with --resume --run {folder}", folder=self._run.folder))
        if not self._trainer.learner.steps:
            text = Message(
                "no training step was taken: {count:,} games are too few; continue with --resume and more --minutes",
                count=facts["games"],
            )
            self._job.tell(text)
        if hint := export_hint(self._run.champion):
            self._job.tell(hint)
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
