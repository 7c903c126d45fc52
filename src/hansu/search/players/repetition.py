"""Repetition at the root. A search sees states without their history, so it cannot know that a move ends the game.

In games with a repetition rule, every root move is therefore replayed with its history after the search.
"""

from __future__ import annotations

from dataclasses import replace

from hansu.core.message import Message
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import MoveValue, Value
from hansu.search.players.explanations import value_text


def apply_repetition(position: Position, decision: Decision) -> Decision:
    """The decision with correct values for moves that end the game by repetition, and with another move if that is
    better now."""
    if position.game.repetition is None:
        return decision
    ended = {
        action: Value(after.repeated, proved=True, plies=1)
        for action in position.actions
        if (after := position.play(action)).repeated is not None
    }
    if not ended:
        return decision
    team, report = position.team, decision.report
    moves = tuple(
        replace(move, value=ended[move.action], line=(move.action,)) if move.action in ended else move
        for move in report.moves or (MoveValue(action=decision.action, value=report.value, line=report.line),)
    )
    others = tuple(move for move in moves if move.action not in ended and move.value is not None)
    chosen = next((move for move in others if move.action == decision.action), None)
    chosen = chosen or next(iter(replace(report, moves=others).best_first(team)), None)
    ending = max(ended, key=lambda action: ended[action].to(team))
    if chosen is None or chosen.value is None or ended[ending].to(team) > chosen.value.to(team):
        chosen = MoveValue(action=ending, value=ended[ending], line=(ending,))
    assert chosen.value is not None
    if chosen.action == decision.action and chosen.action not in ended:
        return replace(decision, report=replace(report, moves=moves))
    move, worth = position.move_text(chosen.action), value_text(position, chosen.value)
    why = Message("{move} because of the repetition rule: {worth}", move=move, worth=worth)
    line = chosen.line or (chosen.action,)
    return Decision(action=chosen.action, why=why, report=replace(report, moves=moves, value=chosen.value, line=line))
