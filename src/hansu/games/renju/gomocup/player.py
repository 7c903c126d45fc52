"""The player `gomocup`: any external engine that speaks the Gomocup protocol.

The protocol supports games without an opening rule (`opening=free`) and with swap2.
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
SUPPORTED_OPENINGS = ("free", "swap2")


@dataclass
class Gomocup(GomocupDriver):
    """Any engine that speaks the Gomocup protocol."""

    kind: ClassVar[str] = "gomocup"
    title: ClassVar[str] = Message("Gomocup engine")
    about: ClassVar[str] = Message("an external engine that speaks the Gomocup protocol: gomocup:cmd=path/to/engine")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._planned: tuple[int, ...] = ()  # further stones of the engine's last choice in the opening

    def new_game(self) -> None:
        super().new_game()
        self._planned = ()

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        opening = OPENINGS[s.setup >> 8 & 7]
        if opening not in SUPPORTED_OPENINGS:
            raise HansuError(
                "the Gomocup protocol does not support opening={opening}",
                "choose opening=free or opening=swap2",
                opening=opening,
            )
        if self._planned and legal(s, self._planned[0]):
            cell, *rest = self._planned
            self._planned = tuple(rest)
            move = position.move_text(cell)
            why = Message("{move}: part of the engine's opening choice", move=move)
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
        cells = self.opening(query, limit, control)
        if KIND[step_of(s)] in (PICK, PICK_OR_ADD):
            choices = (DO_SWAP, STAY, THIRD_CHOICE)  # no stone: swap; one: stay and play it; two: add both
            action, self._planned = size * size + choices[min(len(cells), 2)], cells
            maximum = 2 if KIND[step_of(s)] == PICK_OR_ADD else 1
        else:
            action, self._planned = (cells or (-1,))[0], cells[1:]
            maximum = 3
        free = len(set(cells)) == len(cells) and all(vacant(s, cell) for cell in cells)
        if len(cells) > maximum or not free or not legal(s, action):
            raise PlayerFault(
                "{name} answered {answer} to SWAP2BOARD, which is not a legal choice",
                name=self.name,
                answer=" ".join(self._text(query, cell) for cell in cells) or "SWAP",
            )
        move = position.move_text(action)
        why = Message("{move}: the engine's choice", move=move)
        return Decision(action=action, why=why, report=Report(line=(action,)))

    def protocol_position(self, position: Position) -> GomocupPosition:
        """The position in the protocol's terms."""
        s = position.state
        size = size_of(s)
        stones = [int(stone) for stone in board(s)]
        order = [cell for cell in position.history if cell < size * size and stones[cell]]
        # The order of stones that were set up is unknown; alternate the colours as far as possible.
        black = [cell for cell in range(size * size) if stones[cell] == 1 and cell not in order]
        white = [cell for cell in range(size * size) if stones[cell] == 2 and cell not in order]
        first = [cell for pair in zip(black, white, strict=False) for cell in pair]
        first += black[len(white) :] + white[len(black) :]
        ordered = tuple((cell, stones[cell]) for cell in (*first, *order))
        return GomocupPosition(size, RULE_BITS[rule_of(s)], ordered, 1 + colour(s))

    def action(self, position: Position, cell: int) -> Action:
        """The legal action that places a stone on a cell."""
        return position.game.action(position.state, position.move_text(cell))
