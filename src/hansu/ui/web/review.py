"""An evaluation of every position of a game, so that a page can show which moves were mistakes.

It goes from the last position to the first, because an engine's transposition table then helps with earlier positions.
A move is judged by the position after it, so one evaluation per position is enough.
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
    """`run` passes the ply and report of every position to `report`, until the task is stopped or all are done."""

    task: AnyTask
    positions: Sequence[Position]
    seconds: float
    report: Callable[[int, dict[str, Any]], None]
    since: int = 0  # the first evaluated position
    finished: bool = False

    def run(self) -> GameReview:
        plies = [ply for ply, at in enumerate(self.positions) if ply >= self.since and not at.over and at.team >= 0]
        limit = Limit(time=min(max(self.seconds / max(len(plies), 1), SHORTEST), LONGEST))
        for ply in reversed(plies):
            if self.task.stopped:
                return self
            at = self.positions[ply]
            decision = ask(self.task.player, at, limit, self.task.control())
            if self.task.stopped:
                return self  # an interrupted search is no evaluation
            self.report(ply, thought(at, decision, moves=self.task.player.judges_all))
        self.finished = True
        return self
