"""The engine's Python interface: Renju's searcher for `hansu.search.engine`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hansu.core import Control, Limit, Report
from hansu.games.renju.engine.board import Stones, cell_of, clear, forbidden, key_of, place, point_of, remove, threes
from hansu.games.renju.engine.network import PARTS, SCALE, default_network, load_network, read_network, refresh
from hansu.games.renju.engine.patterns import K_FIVE, K_OPEN_FOUR, K_QUIET, THREE_1, THREE_2
from hansu.games.renju.engine.search import begin, deepen, new_memory, static_score, threat_win
from hansu.search import engine
from hansu.search.engine import Tell
from hansu.search.pvs import NO_ACTION, WIN

VCF_DEPTHS = (7, 15, 31, 61)
VCT_DEPTHS = (7, 9, 11, 13, 15, 17, 21, 25)
THREAT_SHARE = 0.12  # maximum share of the time or nodes for threat searches at the root


class RenjuSearcher(engine.EngineSearcher):
    """A search with its table and its board, for one size and one rule."""

    margin: ClassVar[float] = 0.002
    scale: ClassVar[float] = SCALE
    lasting: ClassVar[frozenset[str]] = frozenset({"code_rows", *PARTS} - {"line_steps"})

    def __init__(self, rule: str = "renju", size: int = 15, megabytes: int = 32, network: Path | bool = True) -> None:
        """`network` is True for the rule's default network, or a file. Without a network only threat searches work."""
        super().__init__(new_memory(rule, size), megabytes)
        if network:
            load_network(self.memory, default_network(rule) if network is True else read_network(network))
        self.rule, self.size = rule, size
        self.won_by = ""  # "fours" or "threes" if the last search found a win by them
        self._stones: list[tuple[int, int]] = []  # (cell, colour) on the board in the memory

    def new_game(self) -> None:
        """Clear the tables."""
        super().new_game()
        for name in ("failed_vcf", "failed_vct"):
            self.memory[name] = 0

    def precompile(self) -> None:
        """Compile before a clock starts."""
        point = point_of(0, self.size)
        place.precompile(self.memory, point, 0)
        remove.precompile(self.memory, point)
        forbidden.precompile(self.memory, point)
        threes.precompile(self.memory, point)
        key_of.precompile(self.memory, 0, point)
        begin.precompile(self.memory)
        refresh.precompile(self.memory)
        static_score.precompile(self.memory, 0)
        threat_win.precompile(self.memory, 0, 5, 0, 1)
        deepen.precompile(self.memory, self.table, 0, 1)

    def set_board(self, stones: Stones) -> None:
        """Set the board to stones given as (cell, colour), in the order of play where it is known. Only stones that
        differ from the current board are changed."""
        same = 0
        while same < min(len(stones), len(self._stones)) and stones[same] == self._stones[same]:
            same += 1
        if len(self._stones) - same > 8:
            clear(self.memory)
            self._stones, same = [], 0
        for cell, _ in reversed(self._stones[same:]):
            remove(self.memory, point_of(cell, self.size))
        for cell, colour in stones[same:]:
            place(self.memory, point_of(cell, self.size), colour)
        self._stones = list(stones)

    def deepen(self, memory: Any, root: int, depth: int) -> bool:
        """One iteration; False if it was the last one."""
        return bool(deepen(memory, self.table, root, depth))

    def has_choice(self, root: int) -> bool:
        """Does neither side have a five, which would force the move?"""
        return not self.memory["totals"][0, K_FIVE] and not self.memory["totals"][1, K_FIVE]

    def search(
        self, stones: Stones, side: int, limit: Limit, control: Control, tell: Tell | None = None,
        soft: float | None = None, threats: bool = True, team: int | None = None,
    ) -> Report:  # fmt: skip
        """Search a position that is not over; actions are cells. No iteration begins after `soft` seconds. `threats`:
        search for wins by fours and threes first. `team` is the mover's, if it differs from the colour (after a swap).
        """
        self.won_by = ""
        with self.thinking(side if team is None else team, limit, control):
            self.set_board(stones)
            self.memory["best"] = self._first_point(side)
            begin(self.memory)
            if not stones:
                return self.report()
            glance = None
            if threats and (limit.depth is None or limit.depth > 2):
                glance = partial(self._win_by_threats, side, limit, control)
            return self.iterate(side, limit.depth, tell, soft, glance)

    def _win_by_threats(self, side: int, limit: Limit, control: Control) -> Report | None:
        """A win by fours, or by fours and threes, within THREAT_SHARE of the limits."""
        share = None if limit.time is None else limit.time * THREAT_SHARE
        budget = int((limit.nodes or 4_000_000) * THREAT_SHARE / 2)
        memory = self.memory
        with control.phase(share):
            for threes, depths in ((0, VCF_DEPTHS), (1, VCT_DEPTHS)):
                ends = int(memory["nodes"]) + budget
                for depth in depths:
                    left = ends - int(memory["nodes"])
                    plies = threat_win(memory, side, depth, threes, left) if left > 0 else 0
                    if plies:
                        self.won_by = "threes" if threes else "fours"
                        return self.found(WIN - plies, self.actions(memory["threat_line"]), depth, plies)
                    if memory["stop"] or left <= 0:
                        break
        memory["stop"] = 0
        return None

    def _first_point(self, side: int) -> int:
        """The move if there is no time to search: make five, stop five, make an open four, stop one, else the legal
        point nearest to the centre; NO_ACTION if no point is legal."""
        middle = (self.size - 1) / 2
        cells: list[int] = []
        for kind in (K_FIVE, K_OPEN_FOUR):
            cells += self._cells_of(side, kind) + self._cells_of(1 - side, kind)
        cells += sorted(
            range(self.size**2), key=lambda c: (c // self.size - middle) ** 2 + (c % self.size - middle) ** 2
        )
        for cell in cells:
            point = point_of(cell, self.size)
            if self.memory["stones"][point] == 0 and self.legal(cell, side):
                return point
        return NO_ACTION

    def _cells_of(self, side: int, kind: int) -> list[int]:
        points = np.flatnonzero((self.memory["stones"] == 0) & (self.memory["kinds"][side] == kind))
        return [cell_of(point, self.size) for point in points.tolist()]

    def classes_at(self, cell: int, side: int) -> tuple[int, int, int, int]:
        """The classes (patterns.py) that a stone of `side` makes on the four lines through an empty cell."""
        key = int(key_of(self.memory, side, point_of(cell, self.size)))
        return key & 15, key >> 4 & 15, key >> 8 & 15, key >> 12 & 15

    def urgent(self, side: int) -> dict[int, tuple[int, int, int, int]]:
        """`classes_at` for every empty cell where a stone makes a three or more."""
        points = np.flatnonzero((self.memory["stones"] == 0) & (self.memory["kinds"][side] != K_QUIET))
        cells = [cell_of(point, self.size) for point in points.tolist()]
        return {cell: self.classes_at(cell, side) for cell in cells}

    def legal(self, cell: int, side: int) -> bool:
        """May `side` play on this empty cell?"""
        return side == 1 or self.rule != "renju" or not forbidden(self.memory, point_of(cell, self.size))

    def threes(self, cell: int, side: int) -> int:
        """The number of lines on which a stone makes a three; for black in Renju only true threes count."""
        point = point_of(cell, self.size)
        if side == 0 and self.rule == "renju":
            return int(threes(self.memory, point))
        return sum(line_class in (THREE_1, THREE_2) for line_class in self.classes_at(cell, side))

    def actions(self, line: Iterable[int]) -> tuple[int, ...]:
        """A line of the memory, up to its end, as cells."""
        return tuple(cell_of(point, self.size) for point in super().actions(line))

    def evaluation(self, stones: Stones, side: int) -> int:
        """The static evaluation for the mover `side`."""
        self.set_board(stones)
        refresh(self.memory)
        return int(static_score(self.memory, side))
