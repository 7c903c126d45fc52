"""An actor: one that plays games of the network with itself on some machine of a cluster, and sends them in lots.

It knows nothing of Ray: it is told its role once, and then again and again how long to play and, if there are newer
ones, with which weights. It can be lost at any time, with nothing but its games.
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
from hansu.learn.alphazero.evaluator import Playing
from hansu.learn.alphazero.games import Beginnings, FinishedGame
from hansu.learn.alphazero.self_play import PhaseTimer, SelfPlay
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Lane, number_kind, where
from hansu.learn.device import device_for
from hansu.learn.networks import built_as, torch
from hansu.learn.samples import Board


@dataclass(frozen=True)
class Role:
    """What an actor is to play, and with what."""

    game: PackedGame
    settings: AlphaZeroSettings  # everything set, for the actor's own device
    described: Mapping[str, Any]  # the network's shape
    beginnings: Beginnings  # without handles
    seed: int
    version: str = __version__  # of hansu


@dataclass(frozen=True)
class Lot:
    """What an actor did in one go."""

    finished: FinishedGame | None  # without handles
    clock: PhaseTimer
    weights: int  # the version that it plays with
    host: str
    process: int
    device: str  # where its network answers
    told: tuple[str, ...] = ()  # what is worth saying since the last lot


class Actor:
    def __init__(self, role: Role) -> None:
        """Light: what can go wrong goes wrong in the first `play`, which can say so."""
        self._role = role
        self._share = 0.0
        self._version = 0
        self._done: list[FinishedGame] = []
        self._told: list[str] = []
        self._self_play: SelfPlay | None = None

    def play(self, seconds: float, share: float, version: int, weights: Mapping[str, Any] | None) -> Lot:
        """Go on for so long, `share` of the run being over. `weights` are arrays by name; None: those it has."""
        if self._self_play is None:
            self._set_up()
        assert self._self_play is not None
        if weights is not None:
            self._version = version
            self._learn(weights)
        self._share, self._done = share, []
        until = time.monotonic() + seconds
        self._self_play.lap()
        self._self_play.run(lambda: time.monotonic() < until)
        finished, device = _without_handles(self._done, self._builder.board), where(self._playing.plain)
        told, self._told[:] = tuple(self._told), []
        return Lot(finished, self._self_play.lap(), self._version, socket.gethostname(), os.getpid(), device, told)

    def _set_up(self) -> None:
        role = self._role
        if role.version != __version__:
            raise HansuError(
                "this machine has hansu {ours}, the learner {theirs}",
                "install the same version on all machines",
                ours=__version__,
                theirs=role.version,
            )
        s, device = role.settings, device_for(role.settings.device)
        torch.manual_seed(role.seed)
        self._builder = Builder(role.game.unpacked(), s, lambda: self._share, self._told.append)
        self._network = built_as(dict(role.described)).eval()
        kind = number_kind(self._network, device, min(s.games or 1, 128))
        self._playing = Playing(self._network, device, kind)
        states = self._builder.board.with_handles(role.beginnings.states.copy())
        beginnings = replace(role.beginnings, states=states)
        self._builder.some_games(self._playing)
        groups = [self._builder.group(self._playing, beginnings, role.seed + i) for i in range(s.groups or 1)]
        self._self_play = SelfPlay(self._playing, groups, self._done_with)

    def _done_with(self, done: FinishedGame) -> None:
        self._done.append(done)

    def _learn(self, weights: Mapping[str, Any]) -> None:
        self._network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
        self._playing.offer(self._network, Lane(self._playing.device))


def _without_handles(parts: list[FinishedGame], board: Board) -> FinishedGame | None:
    if not parts:
        return None
    joined = FinishedGame.join(parts)
    return replace(joined, samples=replace(joined.samples, state=board.without_handles(joined.samples.state)))
