"""Repetition at the root: a search sees states without the way there, so it does not know that a move ends the game.

Asked only in games with a `repetition`: there every move of the root is played once more, with its history.
"""

from __future__ import annotations

from dataclasses import replace

from hansu.core.message import Message
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import MoveValue, Value
from hansu.search.players.explanations import value_text


def minding_repetition(position: Position, decision: Decision) -> Decision:
    """The decision, unless repetition makes another move the best: a move that ends the game so is worth what the game
    says, and not what the search thought."""
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
    known = tuple(move for move in moves if move.action not in ended and move.value is not None)
    chosen = next((move for move in known if move.action == decision.action), None)
    chosen = chosen or next(iter(replace(report, moves=known).best_first(team)), None)
    ending = max(ended, key=lambda action: ended[action].to(team))
    if chosen is None or chosen.value is None or ended[ending].to(team) > chosen.value.to(team):
        chosen = MoveValue(action=ending, value=ended[ending], line=(ending,))
    assert chosen.value is not None
    if chosen.action == decision.action and chosen.action not in ended:
        return replace(decision, report=replace(report, moves=moves))
    move, worth = position.move_text(chosen.action), value_text(position, chosen.value)
    why = Message("{move}, minding repetition: {worth}", move=move, worth=worth)
    line = chosen.line or (chosen.action,)
    return Decision(action=chosen.action, why=why, report=replace(report, moves=moves, value=chosen.value, line=line))
