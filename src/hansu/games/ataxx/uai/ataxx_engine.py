"""The engine behind `hansu engine ataxx`: what UAI asks, answered by the search."""

from __future__ import annotations

import time

from hansu import __version__
from hansu.core import Control, Game, Limit, Player, Position, Report
from hansu.core.machine import memory_bytes
from hansu.games.ataxx.engine.searcher import AtaxxSearcher
from hansu.games.ataxx.notation import read_fen
from hansu.games.ataxx.rules import Ataxx
from hansu.games.ataxx.uai.engine import UaiOption
from hansu.protocols.player_engine import AskedPlayer
from hansu.search.pvs import MOST_LINES

MEGABYTES = 16
BENCH_DEPTH = 10
MOST_THREADS = 64
BENCH = (
    "x5o/7/7/7/7/7/o5x x 0 1",
    "x5o/1x2x2/4xxo/3xx2/2oo2x/1o5/o6 o 0 12",
    "x5o/7/2-1-2/1xx4/2-o-2/3oo2/o4xx x 0 8",
    "xxx2oo/xxx1ooo/3xooo/2xxxo1/o1xx3/oo3xx/ooo2xx x 0 20",
)

CONTEST, OVERHEAD = UaiOption("Contest", "check", "false"), UaiOption("Move Overhead", "spin", "2", 0, 5000)


class AtaxxEngine:
    name = f"hansu {__version__}"
    author = "the hansu authors"
    options: tuple[UaiOption, ...] = (
        UaiOption("Hash", "spin", str(MEGABYTES), 1, min(4096, memory_bytes() // 2 >> 20)),
        UaiOption("Threads", "spin", "1", 1, MOST_THREADS),
        UaiOption("MultiPV", "spin", "1", 1, MOST_LINES),
        UaiOption("Evaluation", "combo", "learned", choices=("learned", "handmade")),
        CONTEST,
        OVERHEAD,
        UaiOption("Clear Hash", "button"),
    )

    def __init__(self, game: Game) -> None:
        self.game = game
        self.overhead = 0.002
        self._wanted = (True, MEGABYTES)  # learned, megabytes
        self._threads, self._lines = 1, 1
        self._made: AtaxxSearcher | None = None

    @property
    def searcher(self) -> AtaxxSearcher:
        """As the options want it."""
        if self._made is None or (self._made.learned, self._made.megabytes) != self._wanted:
            self._made = None  # first the old table goes
            self._made = AtaxxSearcher(*self._wanted)
            self._made.new_game()  # so that the table's pages are there before a clock runs
        self._made.threads, self._made.lines = self._threads, self._lines
        return self._made

    def set_option(self, name: str, value: str) -> None:
        learned, megabytes = self._wanted
        if name == "Hash":
            self._wanted = learned, int(value)
        elif name == "Threads":
            self._threads = int(value)
        elif name == "MultiPV":
            self._lines = int(value)
        elif name == "Evaluation":
            self._wanted = value == "learned", megabytes
        elif name == "Contest":
            self.game = self.game.with_settings({"contest": value})
        elif name == "Move Overhead":
            self.overhead = int(value) / 1000
        elif name == "Clear Hash":
            self.new_game()

    def new_game(self) -> None:
        if self._made is not None:
            self._made.new_game()

    def precompile(self) -> None:
        self.searcher.precompile()

    def search(self, s: Ataxx, limit: Limit, soft: float | None, control: Control) -> Report:
        return self.searcher.search(s, limit, control, control.tell, soft)

    def score_of(self, report: Report) -> int:
        return self.searcher.score_of(report)

    def hashfull(self) -> int:
        return self.searcher.hashfull()

    def evaluation(self, s: Ataxx) -> int:
        return self.searcher.evaluation(s)

    def bench(self, control: Control) -> tuple[int, float]:
        """To a fixed depth from four positions: the node count changes only when the search or its evaluation does."""
        searcher = self.searcher
        searcher.precompile()
        nodes, began = 0, time.perf_counter()
        for text in BENCH:
            searcher.new_game()
            nodes += searcher.search(read_fen(text), Limit(depth=BENCH_DEPTH), control).nodes
        return nodes, time.perf_counter() - began


class AtaxxPlayer(AtaxxEngine):
    """Any other player behind UAI. A position comes without its game, so that no tree lives on from move to move."""

    options = (CONTEST, OVERHEAD)

    def __init__(self, game: Game, player: Player) -> None:
        super().__init__(game)
        self.name = f"hansu {__version__} {player.name}"
        self._asked = AskedPlayer(player)

    def new_game(self) -> None:
        self._asked.player.new_game()

    def precompile(self) -> None:
        self._asked.player.decide(self.game.first, Limit(nodes=1))

    def search(self, s: Ataxx, limit: Limit, soft: float | None, control: Control) -> Report:
        return self._asked.search(Position(self.game, s), limit, soft, control)

    def score_of(self, report: Report) -> int:
        return self._asked.score_of(report)

    def hashfull(self) -> int:
        return 0
