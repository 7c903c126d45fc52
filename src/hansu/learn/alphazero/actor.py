"""An actor: it plays games of the network against itself on some machine of a cluster, and sends them in batches.

It does not depend on Ray. It receives its settings once. Each call then says how long to play and, if there are newer
weights, with which. If an actor is lost, only its unsent games are lost.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hansu import __version__
from hansu.arena.game_transfer import PackedGame
from hansu.core.errors import HansuError
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.evaluator import PlayingNetwork
from hansu.learn.alphazero.games import FinishedGames, Openings
from hansu.learn.alphazero.self_play import PhaseTimer, SelfPlay
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Stream, device_name, fastest_dtype
from hansu.learn.device import device_for
from hansu.learn.networks import from_description, torch
from hansu.learn.samples import Board


@dataclass(frozen=True)
class ActorSettings:
    """What an actor plays, and how."""

    game: PackedGame
    settings: AlphaZeroSettings  # complete, for the actor's own device
    described: Mapping[str, Any]  # the network's description
    openings: Openings  # without handles
    seed: int
    version: str = __version__  # of hansu


@dataclass(frozen=True)
class GameBatch:
    """What an actor sends after a call."""

    finished: FinishedGames | None  # without handles
    clock: PhaseTimer
    weights: int  # the version of the actor's weights
    host: str
    process: int
    device: str  # of the network
    messages: tuple[str, ...] = ()  # since the last batch


class Actor:
    def __init__(self, settings: ActorSettings) -> None:
        """Do as little as possible: errors are raised in the first `play`, which can report them."""
        self._settings = settings
        self._share = 0.0
        self._version = 0
        self._done: list[FinishedGames] = []
        self._messages: list[str] = []
        self._self_play: SelfPlay | None = None

    def play(self, seconds: float, share: float, version: int, weights: Mapping[str, Any] | None) -> GameBatch:
        """Play on for some seconds; `share` is the share of the run that is done. `weights` are arrays by name; None
        means that they have not changed."""
        if self._self_play is None:
            self._set_up()
        assert self._self_play is not None
        if weights is not None:
            self._version = version
            self._load(weights)
        self._share, self._done = share, []
        until = time.monotonic() + seconds
        self._self_play.lap()
        self._self_play.run(lambda: time.monotonic() < until)
        finished, device = _without_handles(self._done, self._builder.board), device_name(self._playing.network)
        messages, self._messages[:] = tuple(self._messages), []
        clock = self._self_play.lap()
        return GameBatch(finished, clock, self._version, socket.gethostname(), os.getpid(), device, messages)

    def _set_up(self) -> None:
        actor = self._settings
        if actor.version != __version__:
            raise HansuError(
                "this machine has hansu {ours}, the learner {theirs}",
                "install the same version on all machines",
                ours=__version__,
                theirs=actor.version,
            )
        s, device = actor.settings, device_for(actor.settings.device)
        torch.manual_seed(actor.seed)
        self._builder = Builder(actor.game.unpacked(), s, lambda: self._share, self._messages.append)
        self._network = from_description(dict(actor.described)).eval()
        dtype = fastest_dtype(self._network, device, min(s.games or 1, 128))
        self._playing = PlayingNetwork(self._network, device, dtype)
        states = self._builder.board.with_handles(actor.openings.states.copy())
        openings = replace(actor.openings, states=states)
        self._builder.warmup_games(self._playing)
        groups = [self._builder.group(self._playing, openings, actor.seed + i) for i in range(s.groups or 1)]
        self._self_play = SelfPlay(self._playing, groups, self._add_finished)

    def _add_finished(self, done: FinishedGames) -> None:
        self._done.append(done)

    def _load(self, weights: Mapping[str, Any]) -> None:
        self._network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
        self._playing.publish(self._network, Stream(self._playing.device))


def _without_handles(parts: list[FinishedGames], board: Board) -> FinishedGames | None:
    if not parts:
        return None
    joined = FinishedGames.join(parts)
    return replace(joined, samples=replace(joined.samples, state=board.without_handles(joined.samples.state)))
