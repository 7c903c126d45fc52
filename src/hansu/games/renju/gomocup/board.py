"""The board of a Gomocup game as its manager tells it: whose stone lies where. A cell is y * size + x."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hansu.core import HansuError
from hansu.games.renju.gomocup.engine import BLACK, WHITE, Situation
from hansu.protocols.server import one_line

SMALLEST, LARGEST = 5, 20  # sizes
OWN, OTHER, NOBODY = 1, 2, 3  # what BOARD calls the stones


class GomocupBoard:
    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: dict[int, int] = {}  # cell -> OWN, OTHER or NOBODY, in the order in which they came

    @property
    def full(self) -> bool:
        return len(self.stones) == self.size**2

    def text(self, cell: int) -> str:
        return f"{cell % self.size},{cell // self.size}"

    def name(self, cell: int) -> str:
        """For people: h8."""
        return f"{chr(ord('a') + cell % self.size)}{self.size - cell // self.size}"

    def has(self, x: int, y: int) -> bool:
        return 0 <= x < self.size and 0 <= y < self.size

    def cell(self, text: str, usage: str) -> int:
        x, y = numbers(text, 2, usage)
        if not self.has(x, y):
            raise HansuError(f"{x},{y} is not on the board of {self.size}x{self.size}")
        return y * self.size + x

    def free_cell(self, text: str, usage: str) -> int:
        cell = self.cell(text, usage)
        if cell in self.stones:
            raise HansuError(f"{self.text(cell)} is taken already")
        return cell

    def read(self, lines: Sequence[str], kind: str) -> None:
        """All stones anew, each x,y,field."""
        stones: dict[int, int] = {}
        for number, line in enumerate(lines, 1):
            x, y, field = numbers(line, 3, f"stone {number} of {kind} is x,y,field; it")
            if not self.has(x, y):
                raise HansuError(f"stone {number} of {kind}: {x},{y} is not on the board of {self.size}x{self.size}")
            if field not in (OWN, OTHER, NOBODY):
                raise HansuError(f"stone {number} of {kind}: the field is 1, 2 or 3, not {field}")
            cell = y * self.size + x
            if cell in stones:
                raise HansuError(f"stone {number} of {kind}: {x},{y} is taken already")
            stones[cell] = field
        self.stones = stones

    def opening(self, lines: Sequence[str], kind: str) -> tuple[int, ...]:
        """The stones of an opening, each x,y, which are not put on this board."""
        stones: list[int] = []
        for number, line in enumerate(lines, 1):
            x, y = numbers(line, 2, f"stone {number} of {kind} is x,y; it")
            if not self.has(x, y) or y * self.size + x in stones:
                raise HansuError(f"stone {number} of {kind}: {x},{y} is taken or not on the board")
            stones.append(y * self.size + x)
        return tuple(stones)

    def situation(self) -> Situation:
        """Colours instead of owners. Black moved first, so whoever has to move is black if both have as many stones,
        and white if the other has one more; otherwise the first stone is black's. A stone that belongs to nobody (a
        continuous game) is the other's: it stands in the mover's way."""
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
            # Where they came in order this gives them back; where not, it is an order that could have been.
            moves = tuple((whites if ply % 2 else blacks)[ply // 2] for ply in range(len(owners)))
        return Situation(bytes(board), colour, moves)


def numbers(text: str, count: int, usage: str) -> Sequence[int]:
    """So many whole numbers with commas between, or a HansuError that says how it should look."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count or not all(re.fullmatch(r"[+-]?[0-9]{1,9}", part) for part in parts):
        raise HansuError(f"{usage} is not {one_line(text)!r}" if usage.endswith("it") else f"{usage} is expected")
    return [int(part) for part in parts]
