"""Who sits at a board in games that are played to measure or to spar: a network with its search, or a named player. A
*side* chooses a move in several positions at once."""

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
from hansu.learn.alphazero.evaluator import Answerer, Playing
from hansu.learn.alphazero.self_play import search
from hansu.search.chance import step_chance
from hansu.search.forest import Forest


class Side(Protocol):
    def choose(self, positions: list[Position]) -> list[Action]: ...


@dataclass
class SeatMove:
    """What a network's search found in a position."""

    policy: Any  # float32[actions]
    value: float  # player 0's side


class Searching:
    """A network with its search, at most `room` positions at once. `thoughts` are those of the last choice."""

    def __init__(self, playing: Playing, forest: Forest, answerer: Answerer, simulations: int) -> None:
        self.playing, self.answerer = playing, answerer
        self._forest, self._simulations = forest, simulations
        self.thoughts: list[SeatMove] = []

    def choose(self, positions: list[Position]) -> list[Action]:
        return self.choose_with(positions, 0.0)

    def choose_with(self, positions: list[Position], temperature: Any) -> list[Action]:
        """`temperature`: one number, or one a position."""
        self.playing.take((self.answerer,))
        self.thoughts = []
        chosen: list[Action] = []
        room, heat = self._forest.trees, np.broadcast_to(np.asarray(temperature, float), len(positions))
        for start in range(0, len(positions), room):
            part = positions[start : start + room]
            idle = room - len(part)  # trees that are not needed do as the last one, with nothing to do
            states = np.array([flat(p.state) for p in part] + [flat(part[-1].state)] * idle, np.int64)
            simulations = np.array([self._simulations] * len(part) + [0] * idle)
            search(self._forest, self.answerer, states, simulations)
            best = self._forest.best(np.append(heat[start : start + len(part)], np.zeros(idle)))
            policy, values = self._forest.policy(), self._forest.values()
            chosen += best[: len(part)].tolist()
            self.thoughts += [SeatMove(policy[i].copy(), float(values[i])) for i in range(len(part))]
        return chosen


class Asking:
    """A player, asked position by position. It plays many games at once, so it must not think that they are one."""

    def __init__(self, player: Player, limit: Limit | None = None) -> None:
        self._player, self._limit = player, limit

    def choose(self, positions: list[Position]) -> list[Action]:
        chosen = []
        for position in positions:
            self._player.new_game()
            chosen.append(self._player.decide(position, self._limit).action)
        return chosen


def opening(game: Game, plies: int, chance: random.Random) -> Position:
    """A few random plies that do not end the game."""
    position = step_chance(game.first, chance)
    for _ in range(plies):
        actions = game.opening_actions(position.state) if game.opening_actions else position.actions
        after = step_chance(position.play(chance.choice(actions)), chance)
        if after.over:
            break
        position = after
    return position


def play_games(game: Game, a: Side, b: Side, count: int, chance: random.Random, longest: int,
               stopping: Callable[[], bool]) -> list[int]:  # fmt: skip
    """`count` games at once, each opening with both seatings; +1, 0, -1 for `a` each. None at all, if they were stopped
    before their end."""
    plies = max(game.opening_plies, 1)
    openings = [opening(game, chance.randint(plies - 1, plies), chance) for _ in range((count + 1) // 2)]
    positions = [openings[i // 2] for i in range(count)]
    seat_of_a = [i % 2 for i in range(count)]
    going = list(range(count))
    while going:
        for side, is_a in ((a, True), (b, False)):
            mine = [i for i in going if (positions[i].team == seat_of_a[i]) == is_a]
            if stopping():
                return []
            if not mine:
                continue
            for i, action in zip(mine, side.choose([positions[i] for i in mine]), strict=True):
                positions[i] = step_chance(positions[i].play(action), chance)
            going = [i for i in going if not positions[i].over and len(positions[i].history) < longest]
    return [_outcome(positions[i], seat_of_a[i]) for i in range(count)]


def _outcome(position: Position, seat: int) -> int:
    if not position.over:
        return 0
    score = position.score if seat == 0 else -position.score
    return int(score > 0) - int(score < 0)
