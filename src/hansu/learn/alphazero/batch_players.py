"""Players that choose moves in several positions at once: a network with its search, or a named player."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hansu.core.bits import flat
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.player import Player
from hansu.core.position import Position
from hansu.learn.alphazero.evaluator import Evaluator, PlayingNetwork
from hansu.learn.alphazero.self_play import search
from hansu.search.chance import step_chance
from hansu.search.forest import Forest


class BatchPlayer(Protocol):
    def choose(self, positions: list[Position]) -> list[Action]: ...


@dataclass
class SearchResult:
    """The result of a network's search in a position."""

    policy: Any  # float32[actions]
    value: float  # from player 0's side


class NetworkPlayer:
    """A network with its search. `results` are those of the last choice."""

    def __init__(self, playing: PlayingNetwork, forest: Forest, evaluator: Evaluator, simulations: int) -> None:
        self.playing, self.evaluator = playing, evaluator
        self._forest, self._simulations = forest, simulations
        self.results: list[SearchResult] = []

    def choose(self, positions: list[Position], temperature: Any = 0.0) -> list[Action]:
        """Search the positions, as many at once as there are trees. `temperature` is one number, or one for each
        position."""
        self.playing.refresh((self.evaluator,))
        self.results = []
        chosen: list[Action] = []
        trees = self._forest.trees
        temperatures = np.broadcast_to(np.asarray(temperature, float), len(positions))
        for start in range(0, len(positions), trees):
            part = positions[start : start + trees]
            idle = trees - len(part)  # unused trees get the last position and no simulations
            states = np.array([flat(p.state) for p in part] + [flat(part[-1].state)] * idle, np.int64)
            simulations = np.array([self._simulations] * len(part) + [0] * idle)
            search(self._forest, self.evaluator, states, simulations)
            best = self._forest.best(np.append(temperatures[start : start + len(part)], np.zeros(idle)))
            policy, values = self._forest.policy(), self._forest.values()
            chosen += best[: len(part)].tolist()
            self.results += [SearchResult(policy[i].copy(), float(values[i])) for i in range(len(part))]
        return chosen


class PlayerAdapter:
    """A player that is called position by position. It plays many games at once, so each call starts a new game."""

    def __init__(self, player: Player, limit: Limit | None = None) -> None:
        self._player, self._limit = player, limit

    def choose(self, positions: list[Position]) -> list[Action]:
        chosen = []
        for position in positions:
            self._player.new_game()
            chosen.append(self._player.decide(position, self._limit).action)
        return chosen


def opening(game: Game, plies: int, chance: random.Random) -> Position:
    """The position after some random plies that do not end the game."""
    position = step_chance(game.first, chance)
    for _ in range(plies):
        actions = game.opening_actions(position.state) if game.opening_actions else position.actions
        after = step_chance(position.play(chance.choice(actions)), chance)
        if after.over:
            break
        position = after
    return position


def play_games(game: Game, a: BatchPlayer, b: BatchPlayer, count: int, chance: random.Random, max_plies: int,
               stopping: Callable[[], bool]) -> list[int]:  # fmt: skip
    """Play `count` games at once, each opening with both seatings; the outcomes for `a` are +1, 0 or -1. Returns an
    empty list if the games were stopped."""
    plies = max(game.opening_plies, 1)
    openings = [opening(game, chance.randint(plies - 1, plies), chance) for _ in range((count + 1) // 2)]
    positions = [openings[i // 2] for i in range(count)]
    seat_of_a = [i % 2 for i in range(count)]
    unfinished = list(range(count))
    while unfinished:
        for player, is_a in ((a, True), (b, False)):
            to_move = [i for i in unfinished if (positions[i].team == seat_of_a[i]) == is_a]
            if stopping():
                return []
            if not to_move:
                continue
            for i, action in zip(to_move, player.choose([positions[i] for i in to_move]), strict=True):
                positions[i] = step_chance(positions[i].play(action), chance)
            unfinished = [i for i in unfinished if not positions[i].over and len(positions[i].history) < max_plies]
    return [_outcome(positions[i], seat_of_a[i]) for i in range(count)]


def _outcome(position: Position, seat: int) -> int:
    if not position.over:
        return 0
    score = position.score if seat == 0 else -position.score
    return int(score > 0) - int(score < 0)
