"""The board of a Gomocup game as the manager describes it: the owner of each stone. A cell is y * size + x."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from hansu.core import HansuError
from hansu.games.renju.gomocup.engine import BLACK, WHITE, Situation
from hansu.protocols.server import one_line

SMALLEST, LARGEST = 5, 20  # sizes
OWN, OTHER, NOBODY = 1, 2, 3  # the values of `field` in BOARD


class GomocupBoard:
    """The stones on the board, and the parsing of the commands that change it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: dict[int, int] = {}  # cell -> OWN, OTHER or NOBODY, in the order of arrival

    @property
    def full(self) -> bool:
        """Are all cells taken?"""
        return len(self.stones) == self.size**2

    def text(self, cell: int) -> str:
        """A cell in the protocol's notation: 7,7."""
        return f"{cell % self.size},{cell // self.size}"

    def name(self, cell: int) -> str:
        """A cell in the notation for people: h8."""
        return f"{chr(ord('a') + cell % self.size)}{self.size - cell // self.size}"

    def has(self, x: int, y: int) -> bool:
        """Are these coordinates on the board?"""
        return 0 <= x < self.size and 0 <= y < self.size

    def cell(self, text: str, usage: str) -> int:
        """The cell of the text x,y; `usage` shows the command in an error."""
        x, y = numbers(text, 2, usage)
        if not self.has(x, y):
            raise HansuError(
                "{x},{y} is not on the {size}x{size} board",
                "coordinates are 0 to {last}",
                x=x,
                y=y,
                size=self.size,
                last=self.size - 1,
            )
        return y * self.size + x

    def free_cell(self, text: str, usage: str) -> int:
        """The empty cell of the text x,y."""
        cell = self.cell(text, usage)
        if cell in self.stones:
            raise HansuError("{point} is already taken", "choose an empty point", point=self.text(cell))
        return cell

    def read(self, lines: Sequence[str], kind: str) -> None:
        """Replace all stones by those of the lines x,y,field; `kind` is the command."""
        stones: dict[int, int] = {}
        for number, line in enumerate(lines, 1):
            x, y, field = numbers(line, 3, f"stone {number} of {kind} x,y,field")
            cell = self._listed_cell(number, kind, x, y, stones)
            if field not in (OWN, OTHER, NOBODY):
                raise HansuError(
                    "stone {number} of {command}: the field is {field}",
                    "the field is 1 (own), 2 (opponent) or 3 (nobody)",
                    number=number,
                    command=kind,
                    field=field,
                )
            stones[cell] = field
        self.stones = stones

    def opening(self, lines: Sequence[str], kind: str) -> tuple[int, ...]:
        """The cells of an opening, from lines x,y. The board does not change."""
        stones: list[int] = []
        for number, line in enumerate(lines, 1):
            x, y = numbers(line, 2, f"stone {number} of {kind} x,y")
            stones.append(self._listed_cell(number, kind, x, y, stones))
        return tuple(stones)

    def _listed_cell(self, number: int, kind: str, x: int, y: int, others: Container[int]) -> int:
        """The cell of a stone in a list; it must be on the board and not among the stones before it."""
        if not self.has(x, y):
            raise HansuError(
                "stone {number} of {command}: {x},{y} is not on the {size}x{size} board",
                "coordinates are 0 to {last}",
                number=number,
                command=kind,
                x=x,
                y=y,
                size=self.size,
                last=self.size - 1,
            )
        if y * self.size + x in others:
            raise HansuError(
                "stone {number} of {command}: {x},{y} is already taken",
                "list each point once",
                number=number,
                command=kind,
                x=x,
                y=y,
            )
        return y * self.size + x

    def situation(self) -> Situation:
        """The position with colours instead of owners. The mover is black if both sides have the same number of stones,
        and white if the opponent has one more; otherwise the first stone is black's. A stone of nobody (from a
        continuous game) counts as the opponent's."""
        owners = [owner for owner in self.stones.values() if owner != NOBODY]
        lead = owners.count(OTHER) - owners.count(OWN)
        regular = lead in (0, 1)
        first_is_own = lead == 0 if regular else owners[0] == OWN
        colour = BLACK if first_is_own else WHITE
        board = bytearray(self.size**2)
        for cell, owner in self.stones.items():
            board[cell] = colour if owner == OWN else 3 - colour
        moves: tuple[int, ...] = ()
        if regular and len(owners) == len(self.stones):
            blacks = [cell for cell in self.stones if board[cell] == BLACK]
            whites = [cell for cell in self.stones if board[cell] == WHITE]
            # The order of arrival if the colours alternate in it, else a possible order of play.
            moves = tuple((whites if ply % 2 else blacks)[ply // 2] for ply in range(len(owners)))
        return Situation(bytes(board), colour, moves)


def numbers(text: str, count: int, usage: str) -> Sequence[int]:
    """The `count` integers of a text, separated by commas; `usage` shows the expected form in an error."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count or not all(re.fullmatch(r"[+-]?[0-9]{1,9}", part) for part in parts):
        raise HansuError(
            "{usage}: invalid value {text!r}", "write integers separated by commas", usage=usage, text=one_line(text)
        )
    return [int(part) for part in parts]
