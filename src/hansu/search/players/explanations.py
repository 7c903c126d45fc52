"""What the general players say of their moves, in words."""

from __future__ import annotations

from hansu.core.generic import Action
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.report import Value

TO_THE_END = Message("to the end")
UNTIL_STOPPED = Message("until it was stopped")


def ahead(plies: int) -> Message:
    """How far a search looked."""
    return Message("one ply ahead") if plies == 1 else Message("{plies} plies ahead", plies=plies)


def looked(chosen: str, how_far: Message, worth: Message) -> Message:
    """Why a search chose a move: how far it looked, and what it saw there."""
    return Message("{chosen} after looking {how_far}: {worth}", chosen=chosen, how_far=how_far, worth=worth)


def no_time(position: Position, action: Action) -> Message:
    move = position.move_text(action)
    return Message("{move} is the first legal move; there was no time", move=move)


def value_text(position: Position, value: Value) -> Message:
    """A value in words, in the unit of its game, as the browser says it too (`static/value.js`): "Red wins in 15 plies"
    or "Red 58 %" where a game is won or lost, "Red +2.3 points" where something is counted."""
    game = position.game
    seat = game.seats[0 if value > 0 else -1]
    if game.score_range > 1:
        return _lead_text(seat, value, game.unit)
    if value.proved:
        if not value:
            return Message("a draw with best play")
        if value.plies is None:
            return Message("{winner} wins", winner=seat)
        if value.plies <= 1:
            return Message("{seat} wins at once", seat=seat)
        return Message("{seat} wins in {plies} plies", seat=seat, plies=value.plies)
    share = min(round(50 * (1 + abs(value))), 99)  # what is not proved is not certain
    return Message("even, 50 %") if share == 50 else Message("{seat} {share} %", seat=seat, share=share)


def _lead_text(seat: str, value: Value, unit: str) -> Message:
    digits = 0 if value.is_integer() or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    size = f"{abs(value):.{digits}f}"
    if float(size) == 0:
        return Message("proved to end level") if value.proved else Message("level so far")
    if value.proved:
        return Message("proved: {seat} +{size} {unit}", seat=seat, size=size, unit=unit)
    return Message("{seat} +{size} {unit}", seat=seat, size=size, unit=unit)
