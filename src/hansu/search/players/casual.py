"""`casual`: plays like a casual human. It looks a few plies ahead and picks at random among moves of similar value.

All moves get a one-ply evaluation. Alpha-beta searches the best twelve to `plies` (or as far as `nodes` allow). A win
in sight is played, and a loss in sight avoided where possible. Each of the remaining moves is played with probability
proportional to

    exp(-(best - value) / (temperature * spread))        spread: the standard deviation of the values

so `temperature` has no unit: it means the same whether a game's evaluation counts pieces or chances.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass
from typing import ClassVar

from hansu.core.control import Control
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.players.alphabeta import AlphaBeta
from hansu.search.players.explanations import ahead, value_text

CANDIDATES = 12  # moves that are searched deeper: no human considers two hundred


@dataclass
class Casual(Player):
    """A shallow search, and a random choice among moves of similar value."""

    kind: ClassVar[str] = "casual"
    title: ClassVar[str] = Message("Casual")
    about: ClassVar[str] = Message(
        "plays like a casual human: a shallow search, then a random choice among moves of similar value"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    plies: int = option(2, Message("search depth in plies"), title=Message("depth"), low=1, high=100)
    temperature: float = option(
        0.3,
        Message("how readily it plays weaker moves; 0: always the best move it sees"),
        title=Message("temperature"),
        low=0,
        high=1000,
        old="care",
    )
    nodes: int = option(
        30_000, Message("maximum positions searched per move"), title=Message("maximum positions"), low=1, high=1 << 16
    )
    seed: int | None = option(
        None, Message("random seed; the same seed repeats the same moves"), title=Message("random seed")
    )

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def drawn_as(self, game: Game) -> Player:
        return AlphaBeta(depth=self.plies)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        control = control or Control()
        AlphaBeta().precompile(position, control)
        started = time.perf_counter()
        moves, depth, nodes = judged(position, self.plies, self.nodes, control)
        action, alike = chosen(position, moves, self.temperature, self._chance)
        value = next(move.value for move in moves if move.action == action)
        assert value is not None
        seconds = time.perf_counter() - started
        report = Report(value=value, line=(action,), moves=moves, depth=depth, nodes=nodes, seconds=seconds)
        return Decision(action=action, why=_why(position, action, value, alike, depth), report=report)


def judged(position: Position, plies: int, nodes: int, control: Control) -> tuple[tuple[MoveValue, ...], int, int]:
    """The candidate moves with their values, the best first; the depth reached; the nodes searched.

    Deepens iteratively. The values are those of the last completed depth.
    """
    search = AlphaBeta()
    after = {action: position.play(action) for action in position.actions}
    spent = reached = 0
    while reached < plies:
        values = []
        for action, child in after.items():
            if child.over:
                value = Value(child.score, proved=True, plies=1)
            else:
                report = search.search(child, reached, control, max(nodes - spent, 1))
                assert report.value is not None
                spent += report.nodes
                value = Value(report.value)
            values.append(MoveValue(action=action, value=value))
        exhausted = control.stopped or spent >= nodes
        if not exhausted or not reached:
            values.sort(key=lambda move: -move.value.to(position.team) if move.value is not None else 0.0)
            candidates, reached = tuple(values[:CANDIDATES]), reached + 1
        after = {move.action: after[move.action] for move in candidates}
        if exhausted or all(child.over for child in after.values()):
            break
    return candidates, reached, spent


def chosen(
    position: Position, moves: tuple[MoveValue, ...], temperature: float, chance: random.Random
) -> tuple[Action, int]:  # fmt: skip
    """A sampled move, and the number of moves of similar value."""
    most = position.game.score_range
    values = {move.action: move.value.to(position.team) for move in moves if move.value is not None}
    won = {action: value for action, value in values.items() if value >= most}
    not_lost = {action: value for action, value in values.items() if value > -most}
    left = won or not_lost or values
    best, unit = max(left.values()), temperature * statistics.pstdev(left.values())
    weights = [math.exp((value - best) / unit) if unit > 0 else float(value == best) for value in left.values()]
    similar = sum(weight > math.exp(-1) for weight in weights)
    return chance.choices(list(left), weights)[0], similar


def _why(position: Position, action: Action, value: Value, alike: int, depth: int) -> Message:
    move, text, how_far = position.move_text(action), value_text(position, value), ahead(depth)
    if alike > 1:
        return Message(
            "{move}, one of {count} moves of similar value {how_far}: {value}",
            move=move, count=alike, how_far=how_far, value=text,
        )  # fmt: skip
    return Message("{move} looks best {how_far}: {value}", move=move, how_far=how_far, value=text)
