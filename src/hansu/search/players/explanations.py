"""What the general players say of their moves, in words."""

from __future__ import annotations

from hansu.core.generic import Action
from hansu.core.message import Phrase
from hansu.core.position import Position
from hansu.core.report import Value

TO_THE_END = Phrase("to the end")
UNTIL_STOPPED = Phrase("until it was stopped")


def ahead(plies: int) -> Phrase:
    """How far a search looked."""
    return Phrase("one ply ahead") if plies == 1 else Phrase("{plies} plies ahead", plies=plies)


def looked(chosen: str, how_far: Phrase, worth: Phrase) -> Phrase:
    """Why a search chose a move: how far it looked, and what it saw there."""
    return Phrase("{chosen} after looking {how_far}: {worth}", chosen=chosen, how_far=how_far, worth=worth)


def no_time(position: Position, action: Action) -> Phrase:
    move = position.move_text(action)
    return Phrase("{move} is the first legal move; there was no time", move=move)


def value_text(position: Position, value: Value) -> Phrase:
    """A value in words, in the unit of its game, as the browser says it too (`static/value.js`): "Red wins in 15 plies"
    or "Red 58 %" where a game is won or lost, "Red +2.3 triangles" where something is counted."""
    game = position.game
    seat = game.seats[0 if value > 0 else -1]
    if game.score_range > 1:
        return _lead_text(seat, value, game.unit)
    if value.proved:
        if not value:
            return Phrase("a draw with best play")
        if value.plies is None:
            return Phrase("{winner} wins", winner=seat)
        if value.plies <= 1:
            return Phrase("{seat} wins at once", seat=seat)
        return Phrase("{seat} wins in {plies} plies", seat=seat, plies=value.plies)
    share = min(round(50 * (1 + abs(value))), 99)  # what is not proved is not certain
    return Phrase("even, 50 %") if share == 50 else Phrase("{seat} {share} %", seat=seat, share=share)


def _lead_text(seat: str, value: Value, unit: str) -> Phrase:
    digits = 0 if value.is_integer() or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    size = f"{abs(value):.{digits}f}"
    if float(size) == 0:
        return Phrase("proved to end level") if value.proved else Phrase("level so far")
    if value.proved:
        return Phrase("proved: {seat} +{size} {unit}", seat=seat, size=size, unit=unit)
    return Phrase("{seat} +{size} {unit}", seat=seat, size=size, unit=unit)
