"""`expectimax`: the lecture's agent for an opponent that errs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core.generic import State
from hansu.core.said import said
from hansu.search.expectimax import expectimax
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Expectimax(TreeSearch):
    """The lecture's agent for an opponent that errs."""

    kind: ClassVar[str] = "expectimax"
    about: ClassVar[str] = said(
        "looks at every line; expects each reply equally often",
        "모든 수순을 읽고, 상대의 응수가 모두 같은 확률이라고 봅니다",
    )
    judges_all: ClassVar[bool] = True
    _algorithm = staticmethod(expectimax)

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        return search(s, depth, self.rounds is not None, 0, watch)  # type: ignore[no-any-return]
