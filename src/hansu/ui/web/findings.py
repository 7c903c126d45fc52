"""A player's decision in the words of the contract."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from hansu.core import Action, Decision, MoveValue, Position, Report
from hansu.core.report import EXACT
from hansu.ui.web.messages import Findings, Rated
from hansu.ui.web.picture import numbered
from hansu.ui.web.words import words


def finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def chance_of(position: Position, value: float | None) -> float | None:
    """A value as a share of the score range: 0 is all for the second seat, 1 all for the first."""
    if value is None or math.isnan(value):
        return None
    return min(max(0.5 + value / (2 * position.game.score_range), 0.0), 1.0)


def of_decision(position: Position, decision: Decision) -> Findings:
    report = decision.report
    if not report.moves and report.value is not None:  # who does not rate every move has still rated its own
        report = replace(report, moves=(MoveValue(action=decision.action, value=report.value),))
    found = of_report(position, report, report.seconds, decision.action)
    return found.model_copy(update={"why": words(decision.why) if decision.why else None})


def of_report(position: Position, report: Report, seconds: float, best: Action = None) -> Findings:
    line = position.line_text(report.line)
    if best is None and line:
        best = report.line[0]
    return Findings(
        move=None if best is None else position.move_text(best),
        action=None if best is None else number_of(position, best),
        value=finite(report.value),
        chance=chance_of(position, report.value),
        proved=report.proved,
        line=line,
        depth=report.depth,
        nodes=report.nodes,
        speed=speed(report.nodes, seconds),
        seconds=round(seconds, 4),
        moves=rated(position, report.moves, best),
    )


def speed(nodes: int, seconds: float) -> int:
    return round(nodes / seconds) if seconds > 1e-6 else 0


def number_of(position: Position, action: Action) -> int:
    if isinstance(action, int):
        return int(action)
    return position.actions.index(action)


def action_of(position: Position, number: int) -> Action | None:
    """The legal action that a page means by a number; None if there is none."""
    return next((action for known, action in numbered(position) if known == number), None)


def rated(position: Position, moves: Sequence[MoveValue], best: Action) -> list[Rated]:
    """Every known move with the strength of its colour: by visits if they were counted, else by value."""
    return [
        Rated(
            action=number_of(position, move.action),
            move=position.move_text(move.action),
            value=finite(move.value),
            chance=chance_of(position, move.value),
            bound=EXACT if move.value is None else move.value.bound,  # type: ignore[arg-type]
            visits=move.visits,
            share=round(share, 3),
            proved=move.value is not None and move.value.proved,
            best=move.action == best,
        )
        for move, share in zip(moves, _shares(position, moves), strict=True)
    ]


def _shares(position: Position, moves: Sequence[MoveValue]) -> list[float]:
    if any(move.visits for move in moves):
        most = max(move.visits or 0 for move in moves)
        return [(move.visits or 0) / most for move in moves]
    known = [
        None if finite(move.value) is None or move.value is None else move.value.to(position.team) for move in moves
    ]
    values = [value for value in known if value is not None]
    if not values:
        return [0.0 for _ in moves]
    low, high = min(values), max(values)
    return [0.0 if value is None else 1.0 if high == low else (value - low) / (high - low) for value in known]
