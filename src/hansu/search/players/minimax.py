"""`minimax`: full-width search to a fixed depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core.generic import State
from hansu.core.message import Message
from hansu.search.minimax import minimax
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Minimax(TreeSearch):
    """The lecture's first agent: full-width search to a fixed depth."""

    kind: ClassVar[str] = "minimax"
    title: ClassVar[str] = Message("Minimax")
    about: ClassVar[str] = Message("searches every line to a fixed depth; assumes the best reply")
    judges_all: ClassVar[bool] = True
    _algorithm = staticmethod(minimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]
