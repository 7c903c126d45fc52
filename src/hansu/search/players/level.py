"""`level:1` to `level:10`: strengths for people. The lower ones see a short way and choose among moves that look about
equal to them; the higher ones are the strongest players of the game with fewer nodes (docs/levels.md)."""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from hansu.core.control import Control
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.phrase import Phrase
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.players.alphabeta import AlphaBeta
from hansu.search.players.iterative import Iterative
from hansu.search.players.words import value_text

CANDIDATES = 8  # moves that are thought about


class Sight(NamedTuple):
    """How far a level looks, and how much worse a move must look to it (in spreads) to be left alone."""

    plies: int
    nodes: int
    care: float


SIGHTS = {
    1: Sight(1, 10_000, 2.0),
    2: Sight(1, 10_000, 0.6),
    3: Sight(2, 10_000, 0.7),
    4: Sight(2, 10_000, 0.35),
    5: Sight(4, 30_000, 0.25),
    6: Sight(4, 50_000, 0.08),
    7: Sight(6, 100_000, 0.03),
}
ENGINE_NODES = {9: 100_000, 10: 1_000_000}
ITERATIVE_NODES = {8: 5_000, 9: 100_000, 10: 3_000_000}


@dataclass
class Level(Player):
    """Ten strengths for people."""

    kind: ClassVar[str] = "level"
    about: ClassVar[str] = Phrase("strengths for people, 1 to 10: short sight, and moves that look about equal to it")
    heeds: ClassVar[frozenset[str]] = frozenset()
    main_option: ClassVar[str] = "strength"
    strength: int = option(5, Phrase("1, a beginner, to 10, the strongest"), low=1, high=10)
    seed: int | None = option(None, Phrase("makes its choices repeatable"))
    _strong: tuple[str, Player, Limit] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """As people write it: `level:3`."""
        return f"{self.kind}:{self.strength}" + ("" if self.seed is None else f",seed={self.seed}")

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        control = control or Control()
        sight = SIGHTS.get(self.strength)
        if sight is None:
            player, bound = self._strong_player(position.game)
            return player.decide(position, bound, control)
        AlphaBeta().prepare(position, control)  # compiled before the clock starts
        started = time.perf_counter()
        moves, depth, nodes = judged(position, sight, control)
        chance = random.Random(None if self.seed is None else f"{self.seed} {position.text} {len(position.history)}")
        action, alike = chosen(position, moves, sight.care, chance)
        value = next(move.value for move in moves if move.action == action)
        assert value is not None
        report = Report(
            value=value, line=(action,), moves=moves, depth=depth, nodes=nodes, seconds=time.perf_counter() - started
        )
        return Decision(action=action, why=_why(position, action, value, alike, depth), report=report)

    def _strong_player(self, game: Game) -> tuple[Player, Limit]:
        """The game's own engine, or `iterative`; kept while the game is the same."""
        if self._strong is None or self._strong[0] != game.spec:
            self.close()
            self._strong = (game.spec, *strong_player(game, self.strength))
        return self._strong[1:]

    def new_game(self) -> None:
        if self._strong is not None:
            self._strong[1].new_game()

    def close(self) -> None:
        if self._strong is not None:
            self._strong[1].close()
            self._strong = None


def strong_player(game: Game, strength: int) -> tuple[Player, Limit]:
    """Who plays for the levels from 8 on, and within what."""
    own = game.players()
    if strength == 10 and "solver" in own:
        return own["solver"](), Limit()
    if "engine" in own and strength in ENGINE_NODES:
        return own["engine"](), Limit(nodes=ENGINE_NODES[strength])
    return Iterative(), Limit(nodes=ITERATIVE_NODES[strength])


def judged(position: Position, sight: Sight, control: Control) -> tuple[tuple[MoveValue, ...], int, int]:
    """Every move with its value, the plies that were looked ahead and the nodes that it took."""
    search = AlphaBeta()
    after = [position.play(action) for action in position.actions]
    kept: tuple[MoveValue, ...] = ()
    spent = reached = 0
    for depth in range(1, sight.plies + 1):
        found: list[MoveValue] = []
        for action, child in zip(position.actions, after, strict=True):
            if child.over:
                found.append(MoveValue(action=action, value=Value(child.score, proved=True, plies=1)))
                continue
            report = search.search(child, depth - 1, control, max(sight.nodes - spent, 1))
            assert report.value is not None
            spent += report.nodes
            found.append(MoveValue(action=action, value=Value(report.value)))
        out = control.stopped or spent >= sight.nodes
        if out and kept:
            break
        kept, reached = tuple(found), depth
        if out or all(child.over for child in after):
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
    order = sorted((won or not_lost or values).items(), key=lambda item: -item[1])[:CANDIDATES]
    best, spread = order[0][1], statistics.pstdev(value for _, value in order)
    weights = [math.exp((value - best) / (care * spread)) if spread > 0 else 1.0 for _, value in order]
    alike = sum(weight > math.exp(-1) for weight in weights)
    return chance.choices([action for action, _ in order], weights)[0], alike


def _why(position: Position, action: Action, value: Value, alike: int, depth: int) -> Phrase:
    move, text = position.move_text(action), value_text(position, value)
    if alike > 1:
        return Phrase(
            "{move}, one of {count} moves that look about equal {plies} plies ahead: {value}",
            move=move, count=alike, plies=depth, value=text,
        )  # fmt: skip
    return Phrase("{move} looks best {plies} plies ahead: {value}", move=move, plies=depth, value=text)
