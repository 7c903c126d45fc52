"""The exact value of a position and a line of best play, by `search` to the end of the game."""

from __future__ import annotations

from dataclasses import dataclass

from hansu.core import Control, table
from hansu.core.control import NODES
from hansu.games.triangles.board import drawing_of
from hansu.games.triangles.components import Names, new_names
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, TrianglesMemory, best_line, new_memory, search

SLOTS = 1 << 22
NAME_SLOTS = 1 << 20


@dataclass(frozen=True)
class Solution:
    """`value` is the first player's triangles less the second's over the whole game."""

    value: int
    line: tuple[int, ...]
    nodes: int


class TrianglesSolver:
    """Keeps its tables from position to position of a board."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._memory: TrianglesMemory = new_memory(slots)
        self._names: Names = new_names(NAME_SLOTS)
        self._board: tuple[int, ...] = ()

    def solve(self, s: Triangles) -> Solution:
        """Exact, however long it takes. The line takes the first of equally good moves in the game's order."""
        board = table(s.board)
        if board is not self._board:  # segments have other numbers now
            self._board = board
            self._names.keys[:] = 0
            self._memory.keys[:] = 0
        net, drawing = drawing_of(s)
        control = Control()
        value = int(
            search(net, drawing, TO_THE_END, -INFINITY, INFINITY, 0, self._memory, self._names, control.address)
        )
        if control.stopped:
            raise KeyboardInterrupt
        nodes = int(control.words[NODES])
        line = best_line(net, drawing, value, self._memory, self._names, control)
        return Solution(s.lead + (-value if s.turn else value) // UNIT, line, nodes)
