"""`expectimax`: search against an opponent that plays at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core.generic import State
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.report import Report, Value
from hansu.search.expectimax import expectimax
from hansu.search.players.explanations import value_text
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Expectimax(TreeSearch):
    """The lecture's agent for an opponent that makes mistakes."""

    kind: ClassVar[str] = "expectimax"
    title: ClassVar[str] = Message("Expectimax")
    about: ClassVar[str] = Message("searches every line to a fixed depth; assumes that all replies are equally likely")
    judges_all: ClassVar[bool] = True
    averages: ClassVar[bool] = True
    _algorithm = staticmethod(expectimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]

    def _value_text(self, position: Position, report: Report) -> Message:
        """Always a mean, even if exact: the game may end worse."""
        assert report.value is not None
        return Message("{worth} on average", worth=value_text(position, Value(report.value)))
