"""A pool on the machines of a Ray cluster: every game is a task, which Ray gives to a free core somewhere.

The process that leads the event keeps its store; what travels is a game's opening on the way there and the finished
game on the way back. A process keeps its players for the next games of the same event. What a process or a machine
that dies was playing is played again elsewhere, and a machine that comes is used, both by Ray.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansu import __version__
from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import Entry
from hansu.arena.game_transfer import PackedGame
from hansu.arena.openings import Opening
from hansu.arena.pool import MOST_DEATHS, FinishedTask, PoolTask, told_event, told_task
from hansu.arena.pool_worker import Room, trouble
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.ray_session import trouble_of

AHEAD = 2  # pairs of games for each core: one is played while the next one waits there


@dataclass(frozen=True)
class Setting:
    """What a process that plays has to know."""

    game: PackedGame
    event: str  # as `told_event` has it, in JSON
    version: str = __version__  # of hansu


_kept: list[tuple[Setting, Room]] = []
"""Of this process: the event that it plays."""


def _room(setting: Setting) -> Room:
    if setting.version != __version__:
        raise HansuError(
            "a machine of the cluster has hansu {there}, the event {here}",
            "all machines need the same version",
            there=__version__,
            here=setting.version,
        )
    if not _kept or _kept[0][0] != setting:
        _kept[:] = [(setting, Room({"game": setting.game.unpacked().spec, **json.loads(setting.event)}))]
    return _kept[0][1]


def play_task(setting: Setting, task: dict[str, Any]) -> dict[str, Any]:
    """In a process of the cluster: the one game that a task asks for, or what the event cannot go on with."""
    try:
        ((_, game),) = _room(setting).games(task)
        return {"game": tuple(game)}
    except Exception as error:
        return trouble(error)


def check_players(setting: Setting, start: str, moves: tuple[str, ...]) -> dict[str, Any]:
    """In a process of the cluster: can every player move?"""
    try:
        _room(setting).check(Opening(start, moves))
        return {}
    except Exception as error:
        return trouble(error)


class ClusterPool:
    """As `Pool`: whoever leads an event cannot tell them apart. `ray`: in touch with a cluster. Close it."""

    def __init__(
        self, ray: Any, game: Game, players: Sequence[Contestant], workers: int | None,
        adjudication: Adjudication = Adjudication(),
    ) -> None:  # fmt: skip
        """`workers`: cores that are used at most; None: all that there are."""
        self._ray, self._workers, self._players = ray, workers, players
        event = json.dumps(told_event(players, adjudication))
        self._setting = ray.put(Setting(PackedGame.of(game), event))
        again = {"num_cpus": 1, "max_retries": MOST_DEATHS - 1, "retry_exceptions": False}
        self._play, self._check = ray.remote(**again)(play_task), ray.remote(**again)(check_players)
        self._playing: dict[Any, tuple[PoolTask, int]] = {}  # by what will come of them
        self._heard: deque[FinishedTask] = deque()

    @property
    def workers(self) -> int:
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if cores < 1:
            raise HansuError("no machine of the cluster has a core to play on")
        return cores if self._workers is None else min(self._workers, cores)

    def check(self, opening: Opening) -> None:
        """One process makes every player and lets it move: one that cannot is told now."""
        self._answer(self._check.remote(self._setting, opening.start, opening.moves), "the players cannot be started")

    @property
    def free(self) -> bool:
        ahead = 1 if self._workers is not None else AHEAD
        return len({task.number for task, _ in self._playing.values()}) < ahead * self.workers

    @property
    def busy(self) -> bool:
        return bool(self._playing or self._heard)

    def submit(self, task: PoolTask) -> None:
        for seat in task.seats:
            self._playing[self._play.remote(self._setting, told_task(task, [seat]))] = task, seat

    def wait(self, seconds: float | None = None) -> FinishedTask | None:
        """The next game or end of a task; None after so many seconds without one."""
        if not self._heard:
            arrived, _ = self._ray.wait(list(self._playing), num_returns=1, timeout=seconds)
            for one in arrived:
                self._take(one)
        return self._heard.popleft() if self._heard else None

    def _take(self, reference: Any) -> None:
        task, seat = self._playing.pop(reference)
        a, b = self._players[task.a].name, self._players[task.b].name
        answer = self._answer(reference, f"a game of {a} and {b} has ended its process {MOST_DEATHS} times")
        task.seats = [other for other in task.seats if other != seat]
        self._heard.append(FinishedTask(task, seat, Entry._make(answer["game"])))
        if not task.seats:
            self._heard.append(FinishedTask(task))

    def _answer(self, reference: Any, failed: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise HansuError(f"{failed}: {trouble_of(error)}") from None
        if "error" in answer:
            raise HansuError(Message(dict(answer["error"])), Message(dict(answer["hint"])))
        return answer

    def close(self) -> None:
        """Games that are being played are lost. Ray ends their processes when it is left (cancelling tasks one by one
        crashes Ray 2.x where one is just finished)."""
        self._playing = {}

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
