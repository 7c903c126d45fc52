"""The player `gomocup`: any outside engine that speaks the Gomocup protocol, on boards of 5 to 20."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Action, HansuError, Position
from hansu.games.renju.rules import board, legal, rule_of, size_of
from hansu.protocols.gomocup_driver import Asked, Driver

RULE_BITS = (0, 1, 4)  # freestyle, standard, renju as the protocol numbers them


@dataclass
class Gomocup(Driver):
    """Any engine that speaks the Gomocup protocol."""

    kind: ClassVar[str] = "gomocup"
    about: ClassVar[str] = "an outside engine that speaks the Gomocup protocol: gomocup:cmd=path/to/engine"

    def asked(self, position: Position) -> Asked:
        s = position.state
        size = size_of(s)
        stones = [int(stone) for stone in board(s)]
        order = [cell for cell in position.history if cell < size * size and stones[cell]]
        unknown = [cell for cell in range(size * size) if stones[cell] and cell not in order]
        # Stones that stand there from the beginning take turns like the others, as well as they can.
        black = [cell for cell in unknown if stones[cell] == 1]
        white = [cell for cell in unknown if stones[cell] == 2]
        first = [cell for pair in zip(black, white, strict=False) for cell in pair]
        first += black[len(white) :] + white[len(black) :]
        told = tuple((cell, stones[cell]) for cell in (*first, *order))
        return Asked(size, RULE_BITS[rule_of(s)], told, 1 + (s.turn & 1))

    def action(self, position: Position, cell: int) -> Action:
        s = position.state
        if legal(s, cell):
            return cell
        if board(s)[cell]:
            raise HansuError("there is a stone already")
        raise HansuError("that point is forbidden for black" if s.turn & 1 == 0 else "that is no legal move")
