"""The player `gomocup`: any outside engine that speaks the Gomocup protocol, on boards of 5 to 20.

It plays games that begin anywhere (`opening=free`) and those with swap2, which the protocol knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Action, Control, Decision, HansuError, Limit, Message, Position, Report, legal
from hansu.core.errors import PlayerFault
from hansu.games.renju.gomocup.driver import GomocupDriver, GomocupPosition
from hansu.games.renju.openings import DO_SWAP, KIND, PICK, PICK_OR_ADD, STAY, THIRD_CHOICE
from hansu.games.renju.state import OPENINGS, board, colour, rule_of, size_of, step_of, vacant

RULE_BITS = (0, 1, 4)  # freestyle, standard, renju as the protocol numbers them
KNOWN_OPENINGS = ("free", "swap2")


@dataclass
class Gomocup(GomocupDriver):
    """Any engine that speaks the Gomocup protocol."""

    kind: ClassVar[str] = "gomocup"
    title: ClassVar[str] = Message("Gomocup engine")
    about: ClassVar[str] = Message("an outside engine that speaks the Gomocup protocol: gomocup:cmd=path/to/engine")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._planned: tuple[int, ...] = ()  # stones that it has named already, with a choice in the opening

    def new_game(self) -> None:
        super().new_game()
        self._planned = ()

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        opening = OPENINGS[s.setup >> 8 & 7]
        if opening not in KNOWN_OPENINGS:
            raise HansuError(f"engines of the Gomocup protocol do not know opening={opening}",
                             f"they know {' and '.join(KNOWN_OPENINGS)}")  # fmt: skip
        if self._planned and legal(s, self._planned[0]):
            cell, *rest = self._planned
            self._planned = tuple(rest)
            move = position.move_text(cell)
            why = Message("{move}: the engine named it with its choice", move=move)
            return Decision(action=cell, why=why, report=Report(line=(cell,)))
        self._planned = ()
        if not step_of(s):
            return super().decide(position, limit, control)
        return self._open(position, limit or Limit(), control or Control())

    def _open(self, position: Position, limit: Limit, control: Control) -> Decision:
        """A step of swap2."""
        s = position.state
        size = size_of(s)
        query = self.protocol_position(position)
        named = self.opening(query, limit, control)
        if KIND[step_of(s)] in (PICK, PICK_OR_ADD):
            choices = (DO_SWAP, STAY, THIRD_CHOICE)  # it swaps, stays and names its stone, or names two more
            action, self._planned = size * size + choices[min(len(named), 2)], named
            wanted = 2 if KIND[step_of(s)] == PICK_OR_ADD else 1
        else:
            action, self._planned = (named or (-1,))[0], named[1:]
            wanted = 3
        free = len(set(named)) == len(named) and all(vacant(s, cell) for cell in named)
        if len(named) > wanted or not free or not legal(s, action):
            texts = " ".join(self._text(query, cell) for cell in named) or "SWAP"
            raise PlayerFault(f"{self.name} answered {texts} to SWAP2BOARD")
        move = position.move_text(action)
        why = Message("{move}: the engine's choice", move=move)
        return Decision(action=action, why=why, report=Report(line=(action,)))

    def protocol_position(self, position: Position) -> GomocupPosition:
        s = position.state
        size = size_of(s)
        stones = [int(stone) for stone in board(s)]
        order = [cell for cell in position.history if cell < size * size and stones[cell]]
        # Stones that stand there from the beginning take turns like the others, as well as they can.
        black = [cell for cell in range(size * size) if stones[cell] == 1 and cell not in order]
        white = [cell for cell in range(size * size) if stones[cell] == 2 and cell not in order]
        first = [cell for pair in zip(black, white, strict=False) for cell in pair]
        first += black[len(white) :] + white[len(black) :]
        told = tuple((cell, stones[cell]) for cell in (*first, *order))
        return GomocupPosition(size, RULE_BITS[rule_of(s)], told, 1 + colour(s))

    def action(self, position: Position, cell: int) -> Action:
        return position.game.action(position.state, position.move_text(cell))
