"""`minimax`: the lecture's first agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core.generic import State
from hansu.core.message import Message
from hansu.search.minimax import minimax
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Minimax(TreeSearch):
    """The lecture's first agent."""

    kind: ClassVar[str] = "minimax"
    title: ClassVar[str] = Message("Minimax")
    about: ClassVar[str] = Message("looks at every line; expects the best reply")
    judges_all: ClassVar[bool] = True
    _algorithm = staticmethod(minimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]
