"""`alphabeta`: minimax that skips what cannot matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

from hansu.core.generic import State
from hansu.core.message import Message
from hansu.core.player import option
from hansu.core.position import Position
from hansu.core.report import AT_MOST, EXACT, MoveValue, Report, Value
from hansu.search.alphabeta import alphabeta
from hansu.search.players.tree_search import TreeSearch


@dataclass
class AlphaBeta(TreeSearch):
    """Minimax that skips what cannot matter."""

    kind: ClassVar[str] = "alphabeta"
    title: ClassVar[str] = Message("Alpha-beta")
    about: ClassVar[str] = Message("minimax that skips what cannot matter")
    ties: bool = option(
        True,
        Message("cut at beta <= alpha; false: only at beta < alpha"),
        title=Message("cut at equal values"),
    )
    _algorithm = staticmethod(alphabeta)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        # Equal moves can only be told from worse ones by the rule that does not cut at a tie.
        ties = self.ties and self.seed is None
        return search(s, depth, self.rounds is not None, -inf, inf, ties, 0, watch)  # type: ignore[no-any-return]

    def _judged(self, position: Position, found: Report) -> Report:
        return replace(found, moves=with_bounds(position.team, found.moves))


def with_bounds(team: int, moves: tuple[MoveValue, ...]) -> tuple[MoveValue, ...]:
    """Root values of an alpha-beta search: a move that did not raise the best so far only has a bound."""
    best = -inf
    judged = []
    for move in moves:
        assert move.value is not None
        number = move.value.to(team)
        value = Value.seen_from(team, number, bound=EXACT if number > best else AT_MOST)
        judged.append(replace(move, value=value))
        best = max(best, number)
    return tuple(judged)
