"""Any player as the engine behind a protocol."""

from __future__ import annotations

from dataclasses import replace

from hansu.core import Control, Limit, Player, Position, Report


class AskedPlayer:
    """Adapts a player to the interface of an engine."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._team = 0

    def search(self, position: Position, limit: Limit, soft: float | None, control: Control) -> Report:
        """The report of the player's search; its line begins with the chosen move."""
        self._team = position.team
        times = [seconds for seconds in (limit.time, soft) if seconds is not None]
        decision = self.player.decide(position, replace(limit, time=min(times, default=None)), control)
        report = decision.report
        return report if report.line[:1] == (decision.action,) else replace(report, line=(decision.action,))

    def score_of(self, report: Report) -> int:
        """The value in hundredths from the mover's side."""
        return 0 if report.value is None else round(100 * report.value.to(self._team))
