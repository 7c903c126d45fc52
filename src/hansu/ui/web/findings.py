"""A player's decision in the words of the contract."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from hansu.core import Action, Decision, Position
from hansu.core.control import Progress
from hansu.core.player import MoveValue
from hansu.ui.web.messages import Findings, Rated
from hansu.ui.web.picture import numbered
from hansu.ui.web.words import words


@dataclass(frozen=True)
class Judged:
    """What is known of one move: a player's word, and whether it is proved."""

    move: MoveValue
    proved: bool = False


def finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def chance_of(position: Position, value: float | None) -> float | None:
    """A value as a share of the score range: 0 is all for the second seat, 1 all for the first."""
    if value is None or math.isnan(value):
        return None
    return min(max(0.5 + value / (2 * position.game.score_range), 0.0), 1.0)


def of_decision(position: Position, decision: Decision) -> Findings:
    known = decision.moves
    if not known and decision.value is not None:  # who does not rate every move has still rated its own
        known = (MoveValue(decision.action, decision.value),)
    moves = rated(position, [Judged(move) for move in known], decision.action)
    return Findings(
        move=position.move_text(decision.action),
        action=number_of(position, decision.action),
        value=finite(decision.value),
        chance=chance_of(position, decision.value),
        proved=decision.proved,
        why=words(decision.why) if decision.why else None,
        line=position.line_text(decision.line),
        depth=decision.depth,
        nodes=decision.nodes,
        speed=speed(decision.nodes, decision.seconds),
        seconds=round(decision.seconds, 4),
        moves=moves,
    )


def of_progress(position: Position, progress: Progress, seconds: float) -> Findings:
    line = position.line_text(progress.line)
    return Findings(
        move=line[0] if line else None,
        action=number_of(position, progress.line[0]) if line else None,
        value=finite(progress.value),
        chance=chance_of(position, progress.value),
        line=line,
        depth=progress.depth,
        nodes=progress.nodes,
        speed=speed(progress.nodes, seconds),
        seconds=round(seconds, 2),
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


def rated(position: Position, judged: Iterable[Judged], best: Action) -> list[Rated]:
    """Every known move with the strength of its colour: by visits if they were counted, else by value."""
    known = list(judged)
    shares = _shares(position, [one.move for one in known])
    return [
        Rated(
            action=number_of(position, one.move.action),
            move=position.move_text(one.move.action),
            value=finite(one.move.value),
            chance=chance_of(position, one.move.value),
            bound=one.move.bound,  # type: ignore[arg-type]
            visits=one.move.visits,
            share=round(share, 3),
            proved=one.proved,
            best=one.move.action == best,
        )
        for one, share in zip(known, shares, strict=True)
    ]


def _shares(position: Position, moves: list[MoveValue]) -> list[float]:
    if any(move.visits for move in moves):
        most = max(move.visits or 0 for move in moves)
        return [(move.visits or 0) / most for move in moves]
    sign = 1 if position.team == 0 else -1
    values = [sign * move.value for move in moves if finite(move.value) is not None and move.value is not None]
    if not values:
        return [0.0 for _ in moves]
    low, high = min(values), max(values)
    return [
        0.0 if finite(move.value) is None or move.value is None
        else 1.0 if high == low else (sign * move.value - low) / (high - low)
        for move in moves
    ]  # fmt: skip
