"""Two players, many games: both seats, varied openings, nobody's crash spoils it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hansu.core.errors import HansuError, PlayerFault
from hansu.core.game import Game
from hansu.core.generic import CHANCE, probability
from hansu.core.limit import Limit
from hansu.core.player import Player
from hansu.core.position import Position

LONGEST_GAME = 10_000  # plies; a game that is longer counts as a draw


@dataclass(frozen=True)
class Record:
    """One finished game. `outcome` is +1, 0 or -1 for the player in the first seat."""

    game: str
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    outcome: int
    score: float | None
    fault: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)  # thought by each seat


def step_chance(position: Position, chance: random.Random) -> Position:
    """Let chance move wherever it is to."""
    while not position.over and position.mover == CHANCE:
        weights = [probability(position.state, a) for a in position.actions]
        position = position.play(chance.choices(position.actions, weights)[0])
    return position


def play_game(
    position: Position, first: Player, second: Player, limit: Limit, chance: random.Random,
    on_move: Callable[[Position], None] | None = None,
) -> Record:  # fmt: skip
    """One game from a position. `first` moves for team 0, `second` for team 1."""
    opening = position.moves
    seconds = [0.0, 0.0]
    fault, outcome, score = "", 0, None
    first.new_game()
    second.new_game()
    position = step_chance(position, chance)
    while not position.over and len(position.history) < LONGEST_GAME:
        seat = position.team
        player = second if seat else first
        started = time.perf_counter()
        try:
            decision = player.decide(position, limit)
            if decision.action not in position.actions:
                raise PlayerFault(f"{player.name} chose {decision.action!r}, which is not legal")
            position = step_chance(position.play(decision.action), chance)
        except PlayerFault as error:
            fault = error.what
        except HansuError:
            raise
        except Exception as error:
            fault = f"{player.name} raised {type(error).__name__}: {error}"
        seconds[seat] += time.perf_counter() - started
        if fault:
            outcome = 1 if seat else -1
            break
        if on_move is not None:
            on_move(position)
    if not fault and position.over:
        score = position.score
        outcome = (score > 0) - (score < 0)
    names = (first.name, second.name)
    return Record(position.game.spec, *names, opening, position.moves[len(opening) :], outcome, score, fault,
                  (seconds[0], seconds[1]))  # fmt: skip


def opening(game: Game, plies: int, chance: random.Random) -> Position:
    """A few random plies from the start that do not end the game."""
    for _ in range(100):
        position = step_chance(game.first, chance)
        for _ in range(plies):
            actions = game.opening_actions(position.state) if game.opening_actions else position.actions
            position = step_chance(position.play(chance.choice(actions)), chance)
            if position.over:
                break
        else:
            return position
    return game.first


@dataclass
class Tally:
    """Results from the side of player A."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: list[str] = field(default_factory=list)
    pairs: list[float] = field(default_factory=list)  # points of each pair of games with swapped seats, 0 to 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def add(self, outcome_for_a: int) -> None:
        self.wins += outcome_for_a > 0
        self.draws += outcome_for_a == 0
        self.losses += outcome_for_a < 0


def match(
    game: Game, a: Player, b: Player, games: int, limit: Limit, seed: int, plies: int | None = None
) -> Iterator[tuple[Record, Tally]]:
    """Play `games` games: each opening twice, with seats swapped. Yields after each game, so an interrupted match
    has its partial result."""
    chance = random.Random(seed)
    plies = game.opening_plies if plies is None else plies
    tally = Tally()
    pair = 0.0
    position = game.first
    for number in range(games):
        swapped = number % 2 == 1
        if not swapped:
            # Openings differ in length too, so that either side may be the one to move.
            position = opening(game, chance.randint(max(plies - 1, 0), plies), chance)
        first, second = (b, a) if swapped else (a, b)
        record = play_game(position, first, second, limit, random.Random(chance.random()))
        points_for_a = -record.outcome if swapped else record.outcome
        tally.add(points_for_a)
        if record.fault:
            tally.faults.append(record.fault)
        pair += (points_for_a + 1) / 2
        if swapped:
            tally.pairs.append(pair)
            pair = 0.0
        yield record, tally
