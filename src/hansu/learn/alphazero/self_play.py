"""Games of the network with itself: groups of them that take turns, so that neither cores nor graphics card wait.

While the network answers one group's leaves, the cores find the next ones of another:

    cores      A: find leaves    B: find leaves    A: back up, find    B: back up, find    ...
    network                      answers A         answers B           answers A

A group whose searches are done makes a move in each of its games, and begins anew where one has ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hansu.learn.alphazero.evaluator import Answerer, Playing
from hansu.learn.alphazero.games import FinishedGame, Games
from hansu.search.forest import Forest


@dataclass(frozen=True)
class Effort:
    """How the moves of a round are searched."""

    simulations: int
    full: bool = True  # is it worth learning from?


@dataclass
class PhaseTimer:
    """Where the time of self-play goes, and how much was searched."""

    simulations: int = 0
    searching: float = 0.0  # seconds in the search, waiting for the network included
    waiting: float = 0.0  # of them those for the network
    moving: float = 0.0  # seconds spent on moves, new games and samples
    seconds: float = 0.0  # in all, of everyone who played

    def add(self, other: PhaseTimer) -> None:
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class GameGroup:
    """Some games, their trees, and who answers for them."""

    def __init__(self, games: Games, forest: Forest, answerer: Answerer, effort: Callable[[], Effort],
                 temperature: float, temperature_plies: int) -> None:  # fmt: skip
        self.games, self.forest, self.answerer = games, forest, answerer
        self._effort, self._temperature, self._temperature_plies = effort, temperature, temperature_plies
        self._now = Effort(0)
        self._asked = False
        self.begun = False

    def start(self) -> None:
        """Begin the searches of a round."""
        self.begun = True
        self._now = self._effort()
        self.forest.plant(self.games.now, self._now.simulations)
        self._ask(self.forest.select())

    def _ask(self, batch: Any) -> bool:
        self._asked = batch is not None
        if self._asked:
            self.answerer.ask(batch)
        return self._asked

    def turn(self, clock: PhaseTimer) -> FinishedGame | None:
        """Take the answers, go on searching; or make the moves, if the searches are done. Gives what ended then."""
        began = time.perf_counter()
        if self._asked:
            going = self._ask(self.forest.step(*self.answerer.answer()))
            clock.searching += time.perf_counter() - began
            if going:
                return None
        began = time.perf_counter()
        done = self._move(clock)
        clock.moving += time.perf_counter() - began
        began = time.perf_counter()
        self.start()
        clock.searching += time.perf_counter() - began
        return done

    def _move(self, clock: PhaseTimer) -> FinishedGame | None:
        forest, games = self.forest, self.games
        clock.simulations += int(forest.done().sum())
        early = games.ply < self._temperature_plies
        chosen = forest.best(np.where(early, self._temperature, 0.0))
        return games.move(chosen, forest.policy(), forest.values(), self._now.full)


class SelfPlay:
    """All groups, one after the other. `finished` hears of games that ended, `between` is called after each turn."""

    def __init__(self, playing: Playing, groups: Sequence[GameGroup], finished: Callable[[FinishedGame], None]) -> None:
        self._playing, self._groups, self._finished = playing, groups, finished
        self._users = tuple(group.answerer for group in groups)
        self._clock, self._began = PhaseTimer(), time.perf_counter()

    def lap(self) -> PhaseTimer:
        """What was done since this was last asked."""
        clock, self._clock = self._clock, PhaseTimer()
        clock.waiting = sum(user.waited for user in self._users)
        for user in self._users:
            user.waited = 0.0
        now = time.perf_counter()
        clock.seconds, self._began = now - self._began, now
        return clock

    def told(self) -> dict[str, Any]:
        """What else the log should know."""
        return {}

    def run(self, going_on: Callable[[], bool]) -> None:
        """Play until told to stop; called again, go on where that was."""
        for group in self._groups:
            if not group.begun:
                group.start()
        while True:
            for group in self._groups:
                done = group.turn(self._clock)
                if done is not None:
                    self._finished(done)
            self._playing.take(self._users)
            if not going_on():
                return


def search(forest: Forest, answerer: Answerer, states: Any, simulations: Any) -> None:
    """One search from beginning to end, for those who do nothing else meanwhile."""
    forest.plant(states, simulations)
    batch = forest.select()
    while batch is not None:
        answerer.ask(batch)
        batch = forest.step(*answerer.answer())
