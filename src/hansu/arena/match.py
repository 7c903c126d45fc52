"""Two players, many games: both seats, varied openings, nobody's crash spoils it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hansu.arena.turn import ask, step_chance
from hansu.core.errors import PlayerFault
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.core.record import Record

LONGEST_GAME = 10_000  # plies; a game that is longer counts as a draw


def play_game(
    position: Position, first: Player, second: Player, limit: Limit, chance: random.Random,
    on_move: Callable[[Position], None] | None = None,
) -> Record:  # fmt: skip
    """One game from a position. `first` moves for team 0, `second` for team 1."""
    opening = len(position.history)
    seconds = [0.0, 0.0]
    decisions: list[Decision | None] = []
    fault, outcome = "", 0
    first.new_game()
    second.new_game()
    position = step_chance(position, chance)
    while not position.over and len(position.history) < LONGEST_GAME:
        decisions += [None] * (len(position.history) - opening - len(decisions))  # what chance has moved
        seat = position.team
        started = time.perf_counter()
        try:
            decision = ask(second if seat else first, position, limit)
        except PlayerFault as error:
            fault, outcome = error.what, 1 if seat else -1
        seconds[seat] += time.perf_counter() - started
        if fault:
            break
        decisions.append(decision)
        position = step_chance(position.play(decision.action), chance)
        if on_move is not None:
            on_move(position)
    if not fault and position.over:
        outcome = (position.score > 0) - (position.score < 0)
    return Record(
        last=position, players=(first.name, second.name), opening=opening, decisions=tuple(decisions),
        outcome=outcome, fault=fault, seconds=(seconds[0], seconds[1]),
    )  # fmt: skip


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
        outcome = record.outcome or 0
        points_for_a = -outcome if swapped else outcome
        tally.add(points_for_a)
        if record.fault:
            tally.faults.append(record.fault)
        pair += (points_for_a + 1) / 2
        if swapped:
            tally.pairs.append(pair)
            pair = 0.0
        yield record, tally
