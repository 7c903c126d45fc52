"""An event: a schedule's pairings, played by a pool of processes, every finished game committed to a store.

    schedule -> pairing -> pool -> record -> store -> whoever counts

What is known of an event is what its store holds: an event that was stopped goes on where it stopped, and two processes
that play the same event share it.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import Entry
from hansu.arena.openings import Openings
from hansu.arena.pool import FinishedTask, Pool, PoolTask
from hansu.arena.schedule import Pairing, Schedule
from hansu.arena.store import Claim, GameFilter, Store, StoredGame
from hansu.core.game import Game

if TYPE_CHECKING:
    from hansu.arena.cluster_pool import ClusterPool

TICK = 0.5  # seconds without news after which whoever watches has a turn


class Tournament:
    """One event of a store."""

    def __init__(
        self, store: Store, game: Game, players: Sequence[Contestant], schedule: Schedule, openings: Openings,
        seed: int, adjudication: Adjudication = Adjudication(), settings: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`settings`: what else tells this event from others of its kind."""
        self.store, self.game, self.players, self.schedule, self.openings = store, game, players, schedule, openings
        self.seed, self.adjudication = seed, adjudication
        told = {"openings": openings.told, "seed": seed, "adjudicate": str(adjudication), **(settings or {})}
        self.event = store.event(game.spec, schedule.kind, told)
        self.ids = [store.player(who) for who in players]
        self.stopped = False  # set it, and no new games are begun
        self._checked = False
        self._last, self._looked = 0, 0.0
        self._done: set[tuple[int, int, int]] = set()  # slot, first, second
        self._taken: list[tuple[int, int, float]] = []  # slot, player, points
        self._elsewhere: list[Pairing] = []
        self._numbers = count()
        self._playing: dict[int, Pairing] = {}

    def known(self) -> Iterator[StoredGame]:
        """The event's games that have come to the store since this was asked last, whoever has played them."""
        self._looked = time.monotonic()
        for played in self.store.games(GameFilter(event=self.event, since=self._last)):
            self._last = played.id
            if (played.slot, played.first, played.second) not in self._done:
                self._count(played)
                yield played

    def _count(self, played: StoredGame) -> None:
        self._done.add((played.slot, played.first, played.second))
        if played.outcome is not None:
            points = (1 + played.outcome) / 2
            self._taken += [(played.slot, played.first, points), (played.slot, played.second, 1 - points)]

    def play(self, pool: Pool | ClusterPool) -> Generator[StoredGame | None, None, None]:
        """Play what is left, after every player has shown that it can move. Yields every game of the event that comes
        to the store, and None every now and then. Whoever closes this generator stops the event; the games in progress
        are lost."""
        self.store.release_all()
        try:
            yield from self.known()
            for number in count():
                if self.schedule.waits:
                    yield from self._settle(pool)
                pairings = () if self.stopped else self.schedule.round(number, self._points)
                if not pairings:
                    break
                for pairing in pairings:
                    yield from self._begin(pairing, pool)
            yield from self._settle(pool)
        finally:
            self.store.release_all()

    def _begin(self, pairing: Pairing, pool: Pool | ClusterPool) -> Iterator[StoredGame | None]:
        """Hand a pairing to the pool as soon as that has room, unless it is played already or elsewhere."""
        if not self._missing(pairing):
            return
        while not pool.free:
            yield from self._hear(pool)
        seats = self._missing(pairing)
        if self.stopped or not seats:
            return
        if not self.store.claim(self._claim(pairing)):
            self._elsewhere.append(pairing)
            return
        if not self._checked:
            pool.check(self.openings[0])
            self._checked = True
        number = next(self._numbers)
        self._playing[number] = pairing
        seed = f"{self.seed} {pairing.slot}"
        pool.submit(PoolTask(number, pairing.a, pairing.b, self.openings[pairing.slot], seed, seats))

    def _missing(self, pairing: Pairing) -> list[int]:
        """The seats from which a pairing has still to be played."""
        a, b = self.ids[pairing.a], self.ids[pairing.b]
        return [seat for seat, game in enumerate(((a, b), (b, a))) if (pairing.slot, *game) not in self._done]

    def _hear(self, pool: Pool | ClusterPool) -> Iterator[StoredGame | None]:
        finished = pool.wait(TICK)
        if finished is None:
            yield None
        elif finished.game is None:
            del self._playing[finished.task.number]
        elif (played := self._keep(finished, finished.game)) is not None:
            self._count(played)
            yield played
        if time.monotonic() - self._looked > TICK:
            yield from self.known()  # of other processes

    def _keep(self, finished: FinishedTask, game: Entry) -> StoredGame | None:
        """Commit a game. With the last of its pairing the claim is released."""
        claim = self._claim(self._playing[finished.task.number])
        first, second = (claim.b, claim.a) if finished.seat else (claim.a, claim.b)
        opening = self.store.opening(self.game.spec, finished.task.opening)
        over = None if finished.task.seats else claim
        return self.store.add(self.event, claim.slot, first, second, opening, game, claim=over)

    def _claim(self, pairing: Pairing) -> Claim:
        return Claim(self.event, pairing.slot, self.ids[pairing.a], self.ids[pairing.b])

    def _settle(self, pool: Pool | ClusterPool) -> Iterator[StoredGame | None]:
        """Until everything that was begun is finished; also what another process plays, or has left."""
        while pool.busy or (self._elsewhere and not self.stopped):
            while pool.busy:
                yield from self._hear(pool)
            waiting, self._elsewhere = self._elsewhere, []
            yield from self.known()
            for pairing in waiting:
                yield from self._begin(pairing, pool)
            if self._elsewhere and not pool.busy:
                time.sleep(TICK)
                yield None

    def _points(self, before: int) -> dict[int, float]:
        """What each player, by number, has taken in the slots before one."""
        taken = dict.fromkeys(range(len(self.players)), 0.0)
        numbers = {id: number for number, id in enumerate(self.ids)}
        for slot, id, points in self._taken:
            if slot < before and id in numbers:
                taken[numbers[id]] += points
        return taken
