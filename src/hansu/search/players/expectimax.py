"""`expectimax`: the lecture's agent for an opponent that errs."""

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
    """The lecture's agent for an opponent that errs."""

    kind: ClassVar[str] = "expectimax"
    title: ClassVar[str] = Message("Expectimax")
    about: ClassVar[str] = Message("looks at every line; expects each reply equally often")
    judges_all: ClassVar[bool] = True
    averages: ClassVar[bool] = True
    _algorithm = staticmethod(expectimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]

    def _worth_text(self, position: Position, found: Report) -> Message:
        """Exact or not, it is a mean: what comes may be worse."""
        assert found.value is not None
        return Message("{worth} on average", worth=value_text(position, Value(found.value)))
