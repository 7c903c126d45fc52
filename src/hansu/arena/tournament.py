"""An event: a runner plays the pairings of a schedule, and every finished game is committed to a store.

    schedule -> pairing -> runner -> game -> store -> standings

The store holds the whole state of an event: an interrupted event continues where it stopped, and two processes that
play the same event share its games.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from itertools import count
from typing import Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.openings import Openings
from hansu.arena.runner import PairTask, Runner, TaskResult
from hansu.arena.schedule import Pairing, Schedule
from hansu.arena.store import Claim, GameFilter, Store, StoredGame
from hansu.core.game import Game

TICK = 0.5  # seconds between two looks at what other processes have played


class Tournament:
    """One event of a store."""

    def __init__(
        self, store: Store, game: Game, players: Sequence[Contestant], schedule: Schedule, openings: Openings,
        seed: int, adjudication: Adjudication = Adjudication(), settings: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`settings`: what else distinguishes this event from others of its kind."""
        self.store, self.game, self.players, self.schedule, self.openings = store, game, players, schedule, openings
        self.seed, self.adjudication = seed, adjudication
        settings = {
            "openings": openings.description, "seed": seed, "adjudicate": str(adjudication), **(settings or {})
        }  # fmt: skip
        self.event = store.event(game.spec, schedule.kind, settings)
        self.ids = [store.player(who) for who in players]
        self.stopped = False  # set it to start no new games
        self._checked = False
        self._last_id, self._last_look = 0, 0.0
        self._played: set[tuple[int, int, int]] = set()  # slot, first, second
        self._scores: list[tuple[int, int, float]] = []  # slot, player, points
        self._elsewhere: list[Pairing] = []  # claimed by other processes
        self._numbers = count()
        self._running: dict[int, Pairing] = {}  # by task number

    def new_games(self) -> Iterator[StoredGame]:
        """The games of this event that have reached the store since the last call, whoever played them."""
        self._last_look = time.monotonic()
        for game in self.store.games(GameFilter(event=self.event, since=self._last_id)):
            self._last_id = game.id
            if (game.slot, game.first, game.second) not in self._played:
                self._count(game)
                yield game

    def _count(self, game: StoredGame) -> None:
        self._played.add((game.slot, game.first, game.second))
        if game.outcome is not None:
            points = (1 + game.outcome) / 2
            self._scores += [(game.slot, game.first, points), (game.slot, game.second, 1 - points)]

    def play(self, runner: Runner) -> Generator[StoredGame | None, None, None]:
        """Check the players and play the games that are left. Yields every game of the event that reaches the store,
        and None now and then. Closing this generator stops the event; unfinished games are lost."""
        self.store.release_all()
        try:
            yield from self.new_games()
            for number in count():
                if self.schedule.waits:
                    yield from self._finish(runner)
                pairings = () if self.stopped else self.schedule.round(number, self._points)
                if not pairings:
                    break
                for pairing in pairings:
                    yield from self._start(pairing, runner)
            yield from self._finish(runner)
        finally:
            self.store.release_all()

    def _start(self, pairing: Pairing, runner: Runner) -> Iterator[StoredGame | None]:
        """Submit a pairing as soon as the runner is free, unless it is played already or by another process."""
        if not self._missing(pairing):
            return
        while not runner.free:
            yield from self._wait(runner)
        seats = self._missing(pairing)
        if self.stopped or not seats:
            return
        if not self.store.claim(self._claim(pairing)):
            self._elsewhere.append(pairing)
            return
        if not self._checked:
            runner.check(self.openings[0])
            self._checked = True
        number = next(self._numbers)
        self._running[number] = pairing
        seed = f"{self.seed} {pairing.slot}"
        runner.submit(PairTask(number, pairing.a, pairing.b, self.openings[pairing.slot], seed, seats))

    def _missing(self, pairing: Pairing) -> list[int]:
        """The seats from which a pairing is still to be played."""
        a, b = self.ids[pairing.a], self.ids[pairing.b]
        games = (a, b), (b, a)
        return [seat for seat in pairing.seats if (pairing.slot, *games[seat]) not in self._played]

    def _wait(self, runner: Runner) -> Iterator[StoredGame | None]:
        result = runner.wait(TICK)
        if result is None:
            yield None
        elif result.game is None:
            del self._running[result.task.number]
        elif (game := self._commit(result, result.game)) is not None:
            self._count(game)
            yield game
        if time.monotonic() - self._last_look > TICK:
            yield from self.new_games()

    def _commit(self, result: TaskResult, game: GameRow) -> StoredGame | None:
        """Add a game to the store. The last game of a pairing releases its claim."""
        claim = self._claim(self._running[result.task.number])
        first, second = (claim.b, claim.a) if result.seat else (claim.a, claim.b)
        opening = self.store.opening(self.game.spec, result.task.opening)
        release = None if result.task.seats else claim
        return self.store.add(self.event, claim.slot, first, second, opening, game, claim=release)

    def _claim(self, pairing: Pairing) -> Claim:
        return Claim(self.event, pairing.slot, self.ids[pairing.a], self.ids[pairing.b])

    def _finish(self, runner: Runner) -> Iterator[StoredGame | None]:
        """Wait for all games in progress, including pairings that another process plays or has abandoned."""
        while runner.busy or (self._elsewhere and not self.stopped):
            while runner.busy:
                yield from self._wait(runner)
            waiting, self._elsewhere = self._elsewhere, []
            yield from self.new_games()
            for pairing in waiting:
                yield from self._start(pairing, runner)
            if self._elsewhere and not runner.busy:
                time.sleep(TICK)
                yield None

    def _points(self, before: int) -> dict[int, float]:
        """The points of each player, by number, in the slots before `before`."""
        points = dict.fromkeys(range(len(self.players)), 0.0)
        numbers = {id: number for number, id in enumerate(self.ids)}
        for slot, id, score in self._scores:
            if slot < before and id in numbers:
                points[numbers[id]] += score
        return points
