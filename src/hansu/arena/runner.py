"""Runners play the pairs of games of an event: tasks go in, finished games come out.

    LocalRunner    in this process, one game after the other (`hansu match`)
    Pool           in worker processes of this machine (`arena/pool.py`)
    ClusterPool    on the machines of a Ray cluster (`arena/cluster_pool.py`)

Wherever the games are played, a `PlayerSet` builds each player once and plays them.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.match import check, play_game
from hansu.arena.openings import Opening
from hansu.arena.roster import player
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.player import Player
from hansu.core.position import Position
from hansu.core.record import Record


@dataclass
class PairTask:
    """A pair of games to play: two players by number, an opening, and the seats that are left to play."""

    number: int
    a: int
    b: int
    opening: Opening
    seed: str  # of the chance nodes in the games, so they are the same wherever and in whatever order pairs are played
    seats: Sequence[int] = (0, 1)  # 0: `a` moves first, 1: `b` moves first
    crashes: int = field(default=0, compare=False)  # of worker processes that played it


@dataclass(frozen=True)
class TaskResult:
    """A finished game of a task; without a game, the end of the task."""

    task: PairTask
    seat: int = 0
    game: GameRow | None = None


class Runner(Protocol):
    """Plays tasks. Submit while it is `free`; wait while it is `busy`."""

    def check(self, opening: Opening) -> None:
        """Let every player move once. Raises HansuError if one cannot be built or cannot move."""

    @property
    def free(self) -> bool:
        """Whether it takes another task."""

    @property
    def busy(self) -> bool:
        """Whether a task is unfinished."""

    def submit(self, task: PairTask) -> None: ...

    def wait(self, seconds: float | None = None) -> TaskResult | None:
        """The next result; None if there is none within `seconds`. Raises HansuError if the event cannot continue."""

    def close(self) -> None:
        """Release processes and players. Unfinished games are lost."""


class PlayerSet:
    """The players of an event, each built when it is first needed, and the games they play. Close it."""

    def __init__(
        self, game: Game, contestants: Sequence[Contestant], adjudication: Adjudication = Adjudication()
    ) -> None:  # fmt: skip
        self.game, self._contestants, self._adjudication = game, contestants, adjudication
        self._players: dict[int, Player] = {}

    def player(self, number: int) -> Player:
        if number not in self._players:
            contestant = self._contestants[number]
            self._players[number] = contestant.player or player(contestant.spec, self.game)
        return self._players[number]

    def check(self, position: Position) -> None:
        """Let every player move once. Raises HansuError if one cannot be built or cannot move."""
        for number, contestant in enumerate(self._contestants):
            try:
                built = self.player(number)
            except HansuError as error:  # an agent's file that cannot be loaded
                if error.what.startswith(contestant.name):
                    raise
                raise HansuError("{name}: {what}", error.hint, name=contestant.name, what=error.what) from None
            check(built, position, contestant.limit, contestant.name)

    def play(self, task: PairTask) -> Iterator[tuple[int, Record]]:
        """Play a task: its seats, and the game from each."""
        position = task.opening.position(self.game)
        for seat in task.seats:
            first, second = (task.b, task.a) if seat else (task.a, task.b)
            limits = self._contestants[first].limit, self._contestants[second].limit
            chance = random.Random(f"{task.seed} {seat}")
            record = play_game(
                position, self.player(first), self.player(second), limits, chance, adjudication=self._adjudication
            )
            yield seat, replace(record, players=(self._contestants[first].name, self._contestants[second].name))

    def close(self) -> None:
        for built in self._players.values():
            built.close()
        self._players.clear()


class LocalRunner:
    """Plays in this process, one game in each `wait`. Close it."""

    def __init__(self, players: PlayerSet, on_record: Callable[[int, Record], None] | None = None) -> None:
        """`on_record` gets the seat and the record of every game."""
        self._players, self._on_record = players, on_record
        self._tasks: deque[tuple[PairTask, Iterator[tuple[int, Record]]]] = deque()
        self._checked = False

    def check(self, opening: Opening) -> None:
        """As `Runner.check`, once: players that have moved in one check need no other."""
        if not self._checked:
            self._players.check(opening.position(self._players.game))
        self._checked = True

    @property
    def free(self) -> bool:
        return not self._tasks

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    def submit(self, task: PairTask) -> None:
        self._tasks.append((task, self._players.play(task)))

    def wait(self, seconds: float | None = None) -> TaskResult | None:
        """Play the next game, however long it takes."""
        if not self._tasks:
            return None
        task, games = self._tasks[0]
        for seat, record in games:
            task.seats = [other for other in task.seats if other != seat]
            if self._on_record is not None:
                self._on_record(seat, record)
            return TaskResult(task, seat, GameRow.of(record.as_json()))
        self._tasks.popleft()
        return TaskResult(task)

    def close(self) -> None:
        self._tasks.clear()
        self._players.close()

    def __enter__(self) -> LocalRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
