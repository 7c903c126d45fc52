"""`alphabeta`: minimax with alpha-beta pruning."""

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
    """Minimax with alpha-beta pruning."""

    kind: ClassVar[str] = "alphabeta"
    title: ClassVar[str] = Message("Alpha-beta")
    about: ClassVar[str] = Message("minimax without the branches that cannot change the result")
    ties: bool = option(
        True,
        Message("cut off at beta <= alpha; false: only at beta < alpha"),
        title=Message("cutoff at equal values"),
    )
    _algorithm = staticmethod(alphabeta)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        # Cutting off at ties would hide which moves are equally good.
        ties = self.ties and self.seed is None
        return search(s, depth, self.rounds is not None, -inf, inf, ties, 0, watch)  # type: ignore[no-any-return]

    def _annotated(self, position: Position, report: Report) -> Report:
        return replace(report, moves=with_bounds(position.team, report.moves))


def with_bounds(team: int, moves: tuple[MoveValue, ...]) -> tuple[MoveValue, ...]:
    """The root values of an alpha-beta search: a move that did not raise alpha has only an upper bound."""
    best = -inf
    marked = []
    for move in moves:
        assert move.value is not None
        number = move.value.to(team)
        value = Value.seen_from(team, number, bound=EXACT if number > best else AT_MOST)
        marked.append(replace(move, value=value))
        best = max(best, number)
    return tuple(marked)
