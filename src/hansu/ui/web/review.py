"""A whole game judged, position by position, so that a page can say which moves were mistakes.

From the last position to the first: what an engine's table learnt of the end helps it with what came before. A move is
judged by the position that it led to, so one look at every position is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hansu.arena.turn import ask
from hansu.core import Limit, Position
from hansu.core.record import thought
from hansu.ui.web.task import AnyTask

LONGEST, SHORTEST = 1.0, 0.02  # seconds for one position


@dataclass
class GameReview:
    """`run` tells of every position (its ply, what was found) until its task is stopped or all are judged."""

    task: AnyTask
    positions: Sequence[Position]
    seconds: float
    tell: Callable[[int, dict[str, Any]], None]
    since: int = 0  # the first position that is judged
    finished: bool = False

    def run(self) -> GameReview:
        asked = [ply for ply, at in enumerate(self.positions) if ply >= self.since and not at.over and at.team >= 0]
        limit = Limit(time=min(max(self.seconds / max(len(asked), 1), SHORTEST), LONGEST))
        for ply in reversed(asked):
            if self.task.stopped:
                return self
            at = self.positions[ply]
            decision = ask(self.task.player, at, limit, self.task.control())
            if self.task.stopped:
                return self  # what was cut short is no judgement
            self.tell(ply, thought(at, decision, moves=self.task.player.judges_all))
        self.finished = True
        return self
