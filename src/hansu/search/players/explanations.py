"""Sentences with which the general players explain their moves."""

from __future__ import annotations

from hansu.core.generic import Action
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.report import Value

TO_THE_END = Message("to the end")
UNTIL_STOPPED = Message("until it was stopped")


def ahead(plies: int) -> Message:
    """The depth of a search, as text."""
    return Message("one ply ahead") if plies == 1 else Message("{plies} plies ahead", plies=plies)


def looked(chosen: str, how_far: Message, worth: Message) -> Message:
    """The reason for a move: how far the search looked, and the value it found."""
    return Message("{chosen} after looking {how_far}: {worth}", chosen=chosen, how_far=how_far, worth=worth)


def no_time(position: Position, action: Action) -> Message:
    """The reason for a move that was played without a search."""
    move = position.move_text(action)
    return Message("{move} is the first legal move; there was no time", move=move)


def value_text(position: Position, value: Value) -> Message:
    """A value as text: "Red wins in 15 plies" or "Red 58 %" in games with a winner, "Red +2.3 points" in games with a
    score. The web page formats values the same way (`static/value.js`)."""
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
    share = min(round(50 * (1 + abs(value))), 99)  # only a proved value is certain
    return Message("even, 50 %") if share == 50 else Message("{seat} {share} %", seat=seat, share=share)


def _lead_text(seat: str, value: Value, unit: str) -> Message:
    digits = 0 if value.is_integer() or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    size = f"{abs(value):.{digits}f}"
    if float(size) == 0:
        return Message("proved to end level") if value.proved else Message("level so far")
    if value.proved:
        return Message("proved: {seat} +{size} {unit}", seat=seat, size=size, unit=unit)
    return Message("{seat} +{size} {unit}", seat=seat, size=size, unit=unit)
