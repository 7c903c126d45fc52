"""A runner that plays on the machines of a Ray cluster: every game is a Ray task for one free core.

The process that runs the event keeps its store. A game's opening travels to the cluster, and the finished game comes
back. A Ray process keeps its players for the next games of the same event. When a process or machine dies, Ray replays
its games elsewhere. Ray also uses machines that join later.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansu import __version__
from hansu.arena import pool_worker
from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.game_transfer import PackedGame
from hansu.arena.openings import Opening
from hansu.arena.pool import MAX_CRASHES, event_message, task_message
from hansu.arena.runner import PairTask, PlayerSet, TaskResult
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.ray_session import trouble_of

QUEUED_PAIRS = 2  # per core: one is being played while the next one waits there


@dataclass(frozen=True)
class Setting:
    """What a process of the cluster needs to know of an event."""

    game: PackedGame
    event: str  # JSON of `event_message`
    version: str = __version__  # of hansu


_cache: list[tuple[Setting, PlayerSet]] = []
"""The event that this process plays."""


def _players(setting: Setting) -> PlayerSet:
    if setting.version != __version__:
        raise HansuError(
            "a machine of the cluster has hansu {there}, the event {here}",
            "all machines need the same version",
            there=__version__,
            here=setting.version,
        )
    if not _cache or _cache[0][0] != setting:
        event = {"game": setting.game.unpacked().spec, **json.loads(setting.event)}
        _cache[:] = [(setting, pool_worker.player_set(event))]
    return _cache[0][1]


def play_task(setting: Setting, task: dict[str, Any]) -> dict[str, Any]:
    """In a process of the cluster: play a task of one game. The answer has the game, or an error."""
    try:
        ((_, game),) = pool_worker.play_games(_players(setting), task)
        return {"game": tuple(game)}
    except Exception as error:
        return pool_worker.error_message(error)


def check_players(setting: Setting, start: str, moves: tuple[str, ...]) -> dict[str, Any]:
    """In a process of the cluster: let every player move once. The answer is empty, or an error."""
    try:
        pool_worker.check_players(_players(setting), start, moves)
        return {}
    except Exception as error:
        return pool_worker.error_message(error)


class ClusterPool:
    """A pool whose workers are the cores of a cluster. `ray` is connected to it. Close the pool."""

    def __init__(
        self, ray: Any, game: Game, players: Sequence[Contestant], workers: int | None,
        adjudication: Adjudication = Adjudication(),
    ) -> None:  # fmt: skip
        """`workers`: the largest number of cores to use; None: all cores."""
        self._ray, self._workers, self._contestants = ray, workers, players
        event = json.dumps(event_message(players, adjudication))
        self._setting = ray.put(Setting(PackedGame.of(game), event))
        options = {"num_cpus": 1, "max_retries": MAX_CRASHES - 1, "retry_exceptions": False}
        self._play, self._check = ray.remote(**options)(play_task), ray.remote(**options)(check_players)
        self._running: dict[Any, tuple[PairTask, int]] = {}  # by Ray reference
        self._results: deque[TaskResult] = deque()

    @property
    def workers(self) -> int:
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if cores < 1:
            raise HansuError("no machine of the cluster has a core to play on")
        return cores if self._workers is None else min(self._workers, cores)

    def check(self, opening: Opening) -> None:
        reference = self._check.remote(self._setting, opening.start, opening.moves)
        self._answer(reference, Message("the players cannot be started"))

    @property
    def free(self) -> bool:
        pairs = 1 if self._workers is not None else QUEUED_PAIRS
        return len({task.number for task, _ in self._running.values()}) < pairs * self.workers

    @property
    def busy(self) -> bool:
        return bool(self._running or self._results)

    def submit(self, task: PairTask) -> None:
        for seat in task.seats:
            self._running[self._play.remote(self._setting, task_message(task, [seat]))] = task, seat

    def wait(self, seconds: float | None = None) -> TaskResult | None:
        if not self._results:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
            for reference in ready:
                self._take(reference)
        return self._results.popleft() if self._results else None

    def _take(self, reference: Any) -> None:
        task, seat = self._running.pop(reference)
        a, b = self._contestants[task.a].name, self._contestants[task.b].name
        failure = Message("{a} against {b} crashed {count} worker processes", a=a, b=b, count=MAX_CRASHES)
        answer = self._answer(reference, failure)
        task.seats = [other for other in task.seats if other != seat]
        self._results.append(TaskResult(task, seat, GameRow._make(answer["game"])))
        if not task.seats:
            self._results.append(TaskResult(task))

    def _answer(self, reference: Any, failure: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise HansuError("{failure}: {reason}", failure=failure, reason=trouble_of(error)) from None
        if "error" in answer:
            raise HansuError(Message(dict(answer["error"])), Message(dict(answer["hint"])))
        return answer

    def close(self) -> None:
        """Unfinished games are lost. Ray ends their processes when its session ends (cancelling a task that has just
        finished crashes Ray 2.x)."""
        self._running = {}

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
