"""`casual`: errs as people do. It sees a short way, and among moves that look about equal to it takes one or the other.

Every move is judged at a glance, one ply ahead, the best dozen by alpha-beta, `plies` ahead (or as far as `nodes`
allow). A win that is seen is taken, a loss that is seen is avoided while there is anything else. One of the rest is
drawn with the chance

    exp(-(best - value) / (care * spread))        spread: the standard deviation of their values

so `care` has no unit: it means the same whether a game's evaluation counts pieces or chances.
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

CANDIDATES = 12  # moves that are thought about: nobody looks at two hundred


@dataclass
class Casual(Player):
    """Short sight, and a choice among moves that look about equal."""

    kind: ClassVar[str] = "casual"
    title: ClassVar[str] = Message("Casual")
    about: ClassVar[str] = Message("errs as people do: sees a short way, chooses among moves that look about equal")
    heeds: ClassVar[frozenset[str]] = frozenset()
    plies: int = option(2, Message("plies that it sees ahead"), title=Message("look-ahead"), low=1, high=100)
    temperature: float = option(
        0.3,
        Message("how much worse a move may look and still be played"),
        title=Message("carelessness"),
        low=0,
        high=1000,
        old="care",
    )
    nodes: int = option(
        30_000, Message("positions that it looks at, at most"), title=Message("most positions"), low=1, high=1 << 16
    )
    seed: int | None = option(None, Message("makes its choices repeatable"), title=Message("seed of chance"))

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
    """The moves that are thought about with their values, the best first; the plies that were looked ahead, and the
    nodes that it took. One ply deeper each time: the last depth that was finished counts."""
    search = AlphaBeta()
    after = {action: position.play(action) for action in position.actions}
    spent = reached = 0
    while reached < plies:
        found = []
        for action, child in after.items():
            if child.over:
                value = Value(child.score, proved=True, plies=1)
            else:
                report = search.search(child, reached, control, max(nodes - spent, 1))
                assert report.value is not None
                spent += report.nodes
                value = Value(report.value)
            found.append(MoveValue(action=action, value=value))
        out = control.stopped or spent >= nodes
        if not out or not reached:
            found.sort(key=lambda move: -move.value.to(position.team) if move.value is not None else 0.0)
            kept, reached = tuple(found[:CANDIDATES]), reached + 1
        after = {move.action: after[move.action] for move in kept}
        if out or all(child.over for child in after.values()):
            break
    return kept, reached, spent


def chosen(
    position: Position, moves: tuple[MoveValue, ...], care: float, chance: random.Random
) -> tuple[Action, int]:  # fmt: skip
    """One of the moves, and how many there were to choose among."""
    most = position.game.score_range
    values = {move.action: move.value.to(position.team) for move in moves if move.value is not None}
    won = {action: value for action, value in values.items() if value >= most}
    not_lost = {action: value for action, value in values.items() if value > -most}
    left = won or not_lost or values
    best, unit = max(left.values()), care * statistics.pstdev(left.values())
    weights = [math.exp((value - best) / unit) if unit > 0 else float(value == best) for value in left.values()]
    alike = sum(weight > math.exp(-1) for weight in weights)
    return chance.choices(list(left), weights)[0], alike


def _why(position: Position, action: Action, value: Value, alike: int, depth: int) -> Message:
    move, text, how_far = position.move_text(action), value_text(position, value), ahead(depth)
    if alike > 1:
        return Message(
            "{move}, one of {count} moves that look about equal {how_far}: {value}",
            move=move, count=alike, how_far=how_far, value=text,
        )  # fmt: skip
    return Message("{move} looks best {how_far}: {value}", move=move, how_far=how_far, value=text)
