"""Exact values and best play, by `search` to the end of the game."""

from __future__ import annotations

from dataclasses import dataclass

from hansu.core import Control, table
from hansu.core.control import NODES
from hansu.games.triangles.components import Names, new_names
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, TrianglesMemory, best_line, new_memory, search
from hansu.games.triangles.search_board import search_board_of

SLOTS = 1 << 22
NAME_SLOTS = 1 << 20


@dataclass(frozen=True)
class Solution:
    """`value` is the first player's triangles minus the second's over the whole game; `line` is best play."""

    value: int
    line: tuple[int, ...]
    nodes: int


class TrianglesSolver:
    """Solves positions. Keeps its tables between positions of the same board."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._memory: TrianglesMemory = new_memory(slots)
        self._names: Names = new_names(NAME_SLOTS)
        self._words: tuple[int, ...] = ()

    def solve(self, s: Triangles) -> Solution:
        """Solve a position, without a time limit. The line plays the first of equally good moves."""
        words = table(s.board)
        if words is not self._words:  # another board: segment numbers differ
            self._words = words
            self._names.keys[:] = 0
            self._memory.keys[:] = 0
        graph, board = search_board_of(s)
        control = Control()
        value = int(
            search(graph, board, TO_THE_END, -INFINITY, INFINITY, 0, self._memory, self._names, control.address)
        )
        if control.stopped:
            raise KeyboardInterrupt
        nodes = int(control.words[NODES])
        line = best_line(graph, board, value, self._memory, self._names, control)
        return Solution(s.lead + (-value if s.turn else value) // UNIT, line, nodes)
