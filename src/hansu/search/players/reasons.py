"""What the general players say of their moves, in words."""

from __future__ import annotations

from hansu.core.generic import Action
from hansu.core.phrase import Phrase
from hansu.core.position import Position
from hansu.core.report import Value

TO_THE_END = Phrase("to the end")


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
    """A value in words."""
    seat = position.game.seats[0 if value > 0 else -1]
    if value.proved:
        if not value:
            return Phrase("proved to end level")
        size = f"{abs(value):g}"
        return Phrase("proved, {size} for {seat}", size=size, seat=seat)
    if not value:
        return Phrase("looks level")
    size = f"{abs(value):.3g}"
    return Phrase("looks {size} in favour of {seat}", size=size, seat=seat)
