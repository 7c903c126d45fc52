"""`maxn`: every agent maximises its own result, in games with a result for each agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hansu.core.game import Game
from hansu.core.generic import DEFAULTS, State, agents, rules_of
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.search.maxn import MAX_PLIES, maxn
from hansu.search.players.tree_search import TreeSearch


@dataclass
class Maxn(TreeSearch):
    """The search for games of more than two players, each for itself."""

    kind: ClassVar[str] = "maxn"
    title: ClassVar[str] = Message("Max^n")
    about: ClassVar[str] = Message("searches every line; assumes that every player maximises its own result")
    judges_all: ClassVar[bool] = True
    _algorithm = staticmethod(maxn)

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        """Only for games with more than two agents and a result for each; elsewhere it equals minimax."""
        if rules_of(game.state).words["score_for"] is DEFAULTS["score_for"]:
            return False
        first = game.first  # keeps the board tables of its state alive
        return agents(first.state) > 2

    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        import numpy as np

        self._values = np.zeros((MAX_PLIES, agents(s)))
        return search(s, depth, self.rounds is not None, 0, self._values, watch)  # type: ignore[no-any-return]

    def _annotated(self, position: Position, report: Report) -> Report:
        return replace(report, shares=tuple(map(float, self._values[0])))

    def _value_text(self, position: Position, report: Report) -> Message:
        own, shares = report.shares[position.mover], ", ".join(f"{share:.3g}" for share in report.shares)
        return Message("value {own:.3g} for the mover (all players: {shares})", own=own, shares=shares)
