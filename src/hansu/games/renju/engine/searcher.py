"""The engine as Python sees it: a board in memory, a table, and iterations that can be watched and stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hansu.core import Control, Limit
from hansu.games.renju.engine.evaluation import read_weights
from hansu.games.renju.engine.memory import Stones, cell_of, clear, forbidden, lift, place, point_of, threes
from hansu.games.renju.engine.patterns import K_FIVE, K_OPEN_FOUR, THREE_1, THREE_2
from hansu.games.renju.engine.search import (
    MAX_DEPTH,
    NO_POINT,
    begin,
    deepen,
    new_memory,
    static_score,
    threat_win,
)
from hansu.search.principal import WIN, new_table, plies_to_end

MARGIN = 0.002  # seconds kept back for returning
VCF_DEPTHS = (7, 15, 31, 61)
VCT_DEPTHS = (7, 9, 11, 13, 15, 17, 21, 25)
THREAT_SHARE = 0.12  # of the time or the nodes, at most, for wins by threats at the root


class Report(NamedTuple):
    """What a search found. The score is the mover's; `threats` is "fours" or "threes" where the line wins by them."""

    cell: int
    score: int
    depth: int
    seldepth: int
    nodes: int
    line: tuple[int, ...]
    threats: str = ""
    seconds: float = 0.0

    @property
    def plies_to_end(self) -> int | None:
        return plies_to_end(self.score)


class Searcher:
    """One searching thread with its table, for boards of one size under one rule."""

    def __init__(self, rule: str = "renju", size: int = 15, megabytes: int = 32) -> None:
        self.rule, self.size, self.megabytes = rule, size, megabytes
        self.memory = new_memory(rule, size, *read_weights(rule))
        self.table = new_table(megabytes)
        self._stones: list[tuple[int, int]] = []  # (cell, colour) as they lie in the memory

    def new_game(self) -> None:
        self.table[:] = 0
        self.memory["history"] = 0
        for name in ("vain", "vain_threes"):
            self.memory[name] = 0

    def prepare(self) -> None:
        """Compile, or load what was compiled, so that a clock can start afterwards."""
        point = point_of(0, self.size)
        place.prepare(self.memory, point, 0)
        lift.prepare(self.memory, point)
        forbidden.prepare(self.memory, point)
        threes.prepare(self.memory, point)
        begin.prepare(self.memory)
        static_score.prepare(self.memory, 0)
        threat_win.prepare(self.memory, 0, 5, 0, 1)
        deepen.prepare(self.memory, self.table, 0, 1)

    def set_board(self, stones: Stones) -> None:
        """Stones as (cell, colour), in the order they were played where that is known."""
        same = 0
        while same < min(len(stones), len(self._stones)) and stones[same] == self._stones[same]:
            same += 1
        if len(self._stones) - same > 8:
            clear(self.memory)
            self._stones, same = [], 0
        for cell, _ in reversed(self._stones[same:]):
            lift(self.memory, point_of(cell, self.size))
        for cell, colour in stones[same:]:
            place(self.memory, point_of(cell, self.size), colour)
        self._stones = list(stones)

    def search(
        self, stones: Stones, side: int, limit: Limit, control: Control,
        tell: Callable[[Report], None] | None = None, soft: float | None = None, threats: bool = True,
    ) -> Report:  # fmt: skip
        """Think about a position that is not over. No iteration begins after `soft` seconds."""
        started = time.perf_counter()
        self.set_board(stones)
        memory = self.memory
        memory["flag"] = control.address
        memory["node_limit"] = limit.nodes or 1 << 62
        memory["best"] = first = self._first_point(side)
        with control.deadline(None if limit.time is None else max(limit.time - MARGIN, 0.0)):
            begin(memory)
            if not stones:
                return Report(cell_of(first, self.size), 0, 0, 0, 0, (cell_of(first, self.size),))
            deepest = min(limit.depth or MAX_DEPTH, MAX_DEPTH)
            if threats and deepest > 2:
                won = self._win_by_threats(side, limit, control)
                if won is not None:
                    return won._replace(seconds=time.perf_counter() - started)
            for depth in range(1, deepest + 1):
                goes_on = deepen(memory, self.table, side, depth)
                spent = time.perf_counter() - started
                if tell is not None and int(memory["completed"]) == depth:
                    tell(self.report()._replace(seconds=spent))
                if not goes_on or (soft is not None and spent > soft):
                    break
        return self.report()._replace(seconds=time.perf_counter() - started)

    def _win_by_threats(self, side: int, limit: Limit, control: Control) -> Report | None:
        share = None if limit.time is None else limit.time * THREAT_SHARE
        budget = int((limit.nodes or 4_000_000) * THREAT_SHARE / 2)
        with control.phase(share):
            for threes, depths in ((0, VCF_DEPTHS), (1, VCT_DEPTHS)):
                ends = int(self.memory["nodes"]) + budget
                for depth in depths:
                    left = ends - int(self.memory["nodes"])
                    plies = threat_win(self.memory, side, depth, threes, left) if left > 0 else 0
                    if plies:
                        line = self.cells(self.memory["threat_line"])
                        kind = "threes" if threes else "fours"
                        return Report(line[0], WIN - plies, depth, plies, int(self.memory["nodes"]), line, kind)
                    if self.memory["stop"] or left <= 0:
                        break
        self.memory["stop"] = 0
        return None

    def _first_point(self, side: int) -> int:
        """A point to answer with when there is no time at all, or nothing helps: five, what stops five, an open four,
        what stops one, else the free point nearest to the middle; NO_POINT where no point is legal."""
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
        return NO_POINT

    def _cells_of(self, side: int, kind: int) -> list[int]:
        kinds = self.memory["kinds"][side][self.memory["shapes"][side]]
        points = np.flatnonzero((self.memory["stones"] == 0) & (kinds == kind))
        return [cell_of(point, self.size) for point in points.tolist()]

    def shapes(self, side: int) -> dict[int, tuple[int, int, int, int]]:
        """For every empty cell of the board that is set: what a stone of `side` makes on each line (patterns.py)."""
        keys, stones = self.memory["keys"][side], self.memory["stones"]
        found = {}
        for cell in range(self.size**2):
            point = point_of(cell, self.size)
            if stones[point] == 0:
                key = int(keys[point])
                found[cell] = (key & 15, key >> 4 & 15, key >> 8 & 15, key >> 12 & 15)
        return found

    def legal(self, cell: int, side: int) -> bool:
        return side == 1 or self.rule != "renju" or not forbidden(self.memory, point_of(cell, self.size))

    def threes(self, cell: int, side: int) -> int:
        """On how many lines a stone makes a three; for black in Renju one that may become a straight four."""
        point = point_of(cell, self.size)
        if side == 0 and self.rule == "renju":
            return int(threes(self.memory, point))
        return sum(int(self.memory["keys"][side, point]) >> 4 * d & 15 in (THREE_1, THREE_2) for d in range(4))

    def cells(self, points: Sequence[int]) -> tuple[int, ...]:
        """A line of points, up to its end, as cells."""
        cells = []
        for point in points:
            if point == NO_POINT:
                break
            cells.append(cell_of(point, self.size))
        return tuple(cells)

    def report(self) -> Report:
        """The last completed iteration, with the best move known."""
        memory, completed = self.memory, int(self.memory["completed"])
        depth, seldepth, _, score = map(int, memory["report"][completed - 1]) if completed else (0, 0, 0, 0)
        line = self.cells(memory["lines"][completed - 1]) if completed else ()
        best = cell_of(memory["best"], self.size)
        if not line or line[0] != best:  # an iteration that was stopped had found a better move already
            line = (best,)
        return Report(best, score, depth, seldepth, int(memory["nodes"]), line)

    def evaluation(self, stones: Stones, side: int) -> int:
        """The evaluation alone, for the mover."""
        self.set_board(stones)
        return int(static_score(self.memory, side))
