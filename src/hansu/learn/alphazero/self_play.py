"""Games of the network against itself, in groups that take turns, so that neither the cores nor the graphics card wait.

While the network evaluates one group's leaves, the cores select the next leaves of another:

    cores      A: select         B: select         A: back up, select    B: back up, select    ...
    network                      evaluates A       evaluates B           evaluates A

When the searches of a group are done, it makes a move in each of its games and starts new games where one has ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hansu.learn.alphazero.evaluator import Evaluator, PlayingNetwork
from hansu.learn.alphazero.games import FinishedGames, Games
from hansu.search.forest import Forest


@dataclass(frozen=True)
class SearchBudget:
    """How the moves of a round are searched."""

    simulations: int
    full: bool = True  # do they become samples?


@dataclass
class PhaseTimer:
    """Where the time of self-play goes, and how much was searched."""

    simulations: int = 0
    searching: float = 0.0  # seconds in the search, including the network
    waiting: float = 0.0  # of these, seconds spent waiting for the network
    moving: float = 0.0  # seconds spent on moves, new games and samples
    seconds: float = 0.0  # total over all players

    def add(self, other: PhaseTimer) -> None:
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class GameGroup:
    """Some games, their search trees and their evaluator."""

    def __init__(self, games: Games, forest: Forest, evaluator: Evaluator, budget: Callable[[], SearchBudget],
                 temperature: float, temperature_plies: int) -> None:  # fmt: skip
        """`budget` returns the budget of the next round."""
        self.games, self.forest, self.evaluator = games, forest, evaluator
        self._next_budget, self._temperature, self._temperature_plies = budget, temperature, temperature_plies
        self._budget = SearchBudget(0)
        self._submitted = False
        self.started = False

    def start(self) -> None:
        """Start the searches of a round."""
        self.started = True
        self._budget = self._next_budget()
        self.forest.plant(self.games.now, self._budget.simulations)
        self._submit(self.forest.select())

    def _submit(self, batch: Any) -> bool:
        self._submitted = batch is not None
        if self._submitted:
            self.evaluator.submit(batch)
        return self._submitted

    def step(self, clock: PhaseTimer) -> FinishedGames | None:
        """Back up the evaluations and select new leaves; if all searches are done, make the moves and return the games
        that ended."""
        began = time.perf_counter()
        if self._submitted:
            searching = self._submit(self.forest.step(*self.evaluator.result()))
            clock.searching += time.perf_counter() - began
            if searching:
                return None
        began = time.perf_counter()
        done = self._move(clock)
        clock.moving += time.perf_counter() - began
        began = time.perf_counter()
        self.start()
        clock.searching += time.perf_counter() - began
        return done

    def _move(self, clock: PhaseTimer) -> FinishedGames | None:
        forest, games = self.forest, self.games
        clock.simulations += int(forest.done().sum())
        early = games.ply < self._temperature_plies
        chosen = forest.best(np.where(early, self._temperature, 0.0))
        return games.move(chosen, forest.policy(), forest.values(), self._budget.full)


class SelfPlay:
    """All groups, in turns. `finished` receives the games that ended."""

    def __init__(self, playing: PlayingNetwork, groups: Sequence[GameGroup],
                 finished: Callable[[FinishedGames], None]) -> None:  # fmt: skip
        self._playing, self._groups, self._finished = playing, groups, finished
        self._evaluators = tuple(group.evaluator for group in groups)
        self._clock, self._began = PhaseTimer(), time.perf_counter()

    def lap(self) -> PhaseTimer:
        """The times since the last call."""
        clock, self._clock = self._clock, PhaseTimer()
        clock.waiting = sum(evaluator.waited for evaluator in self._evaluators)
        for evaluator in self._evaluators:
            evaluator.waited = 0.0
        now = time.perf_counter()
        clock.seconds, self._began = now - self._began, now
        return clock

    def statistics(self) -> dict[str, Any]:
        """More numbers for the log."""
        return {}

    def run(self, continues: Callable[[], bool]) -> None:
        """Play as long as `continues()` is true. A later call continues the same games."""
        for group in self._groups:
            if not group.started:
                group.start()
        while True:
            for group in self._groups:
                done = group.step(self._clock)
                if done is not None:
                    self._finished(done)
            self._playing.refresh(self._evaluators)
            if not continues():
                return


def search(forest: Forest, evaluator: Evaluator, states: Any, simulations: Any) -> None:
    """One complete search of some states, int64[n, words]."""
    forest.plant(states, simulations)
    batch = forest.select()
    while batch is not None:
        evaluator.submit(batch)
        batch = forest.step(*evaluator.result())
