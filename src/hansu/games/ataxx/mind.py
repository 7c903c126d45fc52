"""The engine behind `hansu engine ataxx`: what UAI asks, answered by the search."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from hansu import __version__
from hansu.core import Control, Game, Limit, Report
from hansu.games.ataxx.notation import read_fen
from hansu.games.ataxx.rules import Ataxx
from hansu.protocols.uai import Info, UaiOption

if TYPE_CHECKING:
    from hansu.games.ataxx.engine import Searcher

BENCH_DEPTH = 10
BENCH = (
    "x5o/7/7/7/7/7/o5x x 0 1",
    "x5o/1x2x2/4xxo/3xx2/2oo2x/1o5/o6 o 0 12",
    "x5o/7/2-1-2/1xx4/2-o-2/3oo2/o4xx x 0 8",
    "xxx2oo/xxx1ooo/3xooo/2xxxo1/o1xx3/oo3xx/ooo2xx x 0 20",
)


class AtaxxMind:
    name = f"hansu {__version__}"
    author = "the hansu authors"
    options = (
        UaiOption("Hash", "spin", "16", 1, 4096),
        UaiOption("Evaluation", "combo", "learned", choices=("learned", "handmade")),
        UaiOption("Contest", "check", "false"),
        UaiOption("Move Overhead", "spin", "2", 0, 5000),
        UaiOption("Clear Hash", "button"),
    )

    def __init__(self, game: Game) -> None:
        self.game = game
        self.overhead = 0.002
        self._megabytes = 16
        self._learned = True
        self._made: Searcher | None = None

    @property
    def _searcher(self) -> Searcher:
        if self._made is None:
            from hansu.games.ataxx.engine import Searcher

            self._made = Searcher(self._learned, self._megabytes)
        return self._made

    def set_option(self, name: str, value: str) -> None:
        if name == "Hash":
            self._megabytes, self._made = int(value), None
        elif name == "Evaluation":
            self._learned, self._made = value == "learned", None
        elif name == "Contest":
            self.game = self.game.with_settings({"contest": value})
        elif name == "Move Overhead":
            self.overhead = int(value) / 1000
        elif name == "Clear Hash":
            self.new_game()

    def new_game(self) -> None:
        if self._made is not None:
            self._made.new_game()

    def prepare(self) -> None:
        self._searcher.prepare()

    def search(self, s: Ataxx, limit: Limit, soft: float | None, control: Control, tell: Callable[[Info], None]) -> int:
        searcher = self._searcher

        def pass_on(report: Report) -> None:
            score, plies = searcher.score_of(report), report.plies
            mate = None if plies is None else (plies + 1) // 2 * (1 if score > 0 else -1)
            full = searcher.hashfull()
            tell(Info(report.depth, report.seldepth, score, mate, report.seconds, report.nodes, full, report.line))

        return int(searcher.search(s, limit, control, pass_on, soft).line[0])

    def evaluation(self, s: Ataxx) -> int:
        return self._searcher.evaluation(s)

    def bench(self) -> tuple[int, float]:
        """To a fixed depth from four positions: the node count changes only when the search or its evaluation does."""
        searcher = self._searcher
        searcher.prepare()
        nodes, began = 0, time.perf_counter()
        for text in BENCH:
            searcher.new_game()
            nodes += searcher.search(read_fen(text), Limit(depth=BENCH_DEPTH), Control()).nodes
        return nodes, time.perf_counter() - began
