"""`maxn`: everybody for the own good, in games with a result for each agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hansu.core.game import Game
from hansu.core.generic import DEFAULTS, State, agents, rules_of
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.search.maxn import MOST_PLIES, maxn
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Maxn(TreeSearch):
    """The agent of games in which more than two play, each for the own good."""

    kind: ClassVar[str] = "maxn"
    title: ClassVar[str] = Message("Max^n")
    about: ClassVar[str] = Message("looks at every line; expects everybody to play for themselves")
    judges_all: ClassVar[bool] = True
    _algorithm = staticmethod(maxn)

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        """Offered where agents have results of their own; elsewhere it is minimax."""
        if rules_of(game.state).words["score_for"] is DEFAULTS["score_for"]:
            return False
        first = game.first  # a position keeps the board that its state speaks of
        return agents(first.state) > 2

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        import numpy as np

        self._worth = np.zeros((MOST_PLIES, agents(s)))
        return search(s, depth, self.rounds is not None, 0, self._worth, watch)  # type: ignore[no-any-return]

    def _judged(self, position: Position, found: Report) -> Report:
        return replace(found, shares=tuple(map(float, self._worth[0])))

    def _worth_text(self, position: Position, found: Report) -> Message:
        own, shares = found.shares[position.mover], ", ".join(f"{share:.3g}" for share in found.shares)
        return Message("worth {own:.3g} to the mover ({shares} to all)", own=own, shares=shares)
