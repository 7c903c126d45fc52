"""The engine behind `hansu engine renju`: what the Gomocup protocol asks, answered by the search."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from hansu import __version__
from hansu.core import Control, Limit, Report
from hansu.protocols.gomocup_mind import Situation
from hansu.protocols.uai import Info

if TYPE_CHECKING:
    from hansu.games.renju.engine.searcher import Searcher

INFINITE = 1 << 30
MEGABYTE = 1 << 20
USUAL_MEGABYTES = 64
MOST_MEGABYTES = 1024
SWAP2_EVEN = 40  # a score below this is nobody's advantage
SWAP2_TRIED, SWAP2_NODES, SWAP2_REACH = 24, 3000, 6  # openings that are looked at, how closely, how far from a corner


class RenjuMind:
    name = "hansu"
    version = __version__
    author = "the hansu authors"

    def __init__(self) -> None:
        self._size, self._rule, self._megabytes = 15, "freestyle", USUAL_MEGABYTES
        self._made: Searcher | None = None

    @property
    def _searcher(self) -> Searcher:
        if self._made is None:
            from hansu.games.renju.engine.searcher import Searcher

            self._made = Searcher(self._rule, self._size, self._megabytes)
        return self._made

    def configure(self, size: int, rule: str, memory: int | None) -> None:
        megabytes = USUAL_MEGABYTES if memory is None else max(min(memory // MEGABYTE, MOST_MEGABYTES), 1)
        if (size, rule, megabytes) != (self._size, self._rule, self._megabytes):
            self._size, self._rule, self._megabytes, self._made = size, rule, megabytes, None

    def prepare(self) -> None:
        self._searcher.prepare()
        self.forbidden(bytes(self._size**2))

    def new_game(self) -> None:
        if self._made is not None:
            self._made.new_game()

    def search(
        self, situation: Situation, limit: Limit, soft: float | None, control: Control, tell: Callable[[Info], None]
    ) -> int:
        searcher = self._searcher
        cells = situation.moves or tuple(cell for cell, stone in enumerate(situation.board) if stone)
        stones = [(cell, situation.board[cell] - 1) for cell in cells]

        def pass_on(report: Report) -> None:
            score, plies = searcher.score_of(report), report.plies
            mate = None if plies is None else (plies + 1) // 2 * (1 if score > 0 else -1)
            tell(Info(report.depth, report.seldepth, score, mate, report.seconds, report.nodes, 0, report.line))

        found = searcher.search(stones, situation.colour - 1, limit, control, pass_on, soft)
        pass_on(found)
        return found.line[0] if found.line else -1

    def forbidden(self, board: bytes) -> Iterable[int]:
        import numpy as np

        from hansu.games.renju.forbidden import FIVE, judge_board

        if self._rule != "renju":
            return []
        kinds = np.zeros(len(board), np.int8)
        judge_board(np.frombuffer(board, np.int8), self._size, kinds)
        return [cell for cell in range(len(board)) if kinds[cell] and kinds[cell] != FIVE]

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        if not stones:
            return self._even_opening(control)
        laid = [(cell, i & 1) for i, cell in enumerate(stones)]
        report = self._searcher.search(laid, len(laid) & 1, limit, control)
        score = self._searcher.score_of(report)
        if len(stones) == 3 and abs(score) < SWAP2_EVEN and len(report.line) > 1:
            return report.line[:2]  # about even: let the other choose
        return () if score < 0 else report.line[:1]

    def _even_opening(self, control: Control) -> tuple[int, ...]:
        """Three stones near a corner after which neither side stands better, of some drawn by chance."""
        chance, reach = random.Random(), min(SWAP2_REACH, self._size)
        best: tuple[int, ...] = ()
        least = INFINITE
        for _ in range(SWAP2_TRIED):
            cells = chance.sample([y * self._size + x for y in range(reach) for x in range(reach)], 3)
            laid = [(cell, i & 1) for i, cell in enumerate(cells)]
            report = self._searcher.search(laid, 1, Limit(nodes=SWAP2_NODES), control)
            score = abs(self._searcher.score_of(report))
            if score < least:
                best, least = tuple(cells), score
        return best
