"""The engines that `hansu engine ataxx` runs: the Ataxx engine, or any other player."""

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
    """The Ataxx engine as a `UaiEngine`."""

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
        self._settings = (True, MEGABYTES)  # learned, megabytes
        self._threads, self._lines = 1, 1
        self._searcher: AtaxxSearcher | None = None

    @property
    def searcher(self) -> AtaxxSearcher:
        """The searcher with the current options."""
        if self._searcher is None or (self._searcher.learned, self._searcher.megabytes) != self._settings:
            self._searcher = None  # free the old table first
            self._searcher = AtaxxSearcher(*self._settings)
            self._searcher.new_game()  # touches the table's pages before a clock starts
        self._searcher.threads, self._searcher.lines = self._threads, self._lines
        return self._searcher

    def set_option(self, name: str, value: str) -> None:
        learned, megabytes = self._settings
        if name == "Hash":
            self._settings = learned, int(value)
        elif name == "Threads":
            self._threads = int(value)
        elif name == "MultiPV":
            self._lines = int(value)
        elif name == "Evaluation":
            self._settings = value == "learned", megabytes
        elif name == "Contest":
            self.game = self.game.with_settings({"contest": value})
        elif name == "Move Overhead":
            self.overhead = int(value) / 1000
        elif name == "Clear Hash":
            self.new_game()

    def new_game(self) -> None:
        if self._searcher is not None:
            self._searcher.new_game()

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
        """Searches four positions to a fixed depth. The node count depends only on the search and the evaluation."""
        searcher = self.searcher
        searcher.precompile()
        nodes, began = 0, time.perf_counter()
        for text in BENCH:
            searcher.new_game()
            nodes += searcher.search(read_fen(text), Limit(depth=BENCH_DEPTH), control).nodes
        return nodes, time.perf_counter() - began


class AtaxxPlayer(AtaxxEngine):
    """Any other player as a `UaiEngine`. It gets positions without history, so no search tree is reused between
    moves."""

    options = (CONTEST, OVERHEAD)

    def __init__(self, game: Game, player: Player) -> None:
        super().__init__(game)
        self.name = f"hansu {__version__} {player.name}"
        self._player = AskedPlayer(player)

    def new_game(self) -> None:
        self._player.player.new_game()

    def precompile(self) -> None:
        self._player.player.decide(self.game.first, Limit(nodes=1))

    def search(self, s: Ataxx, limit: Limit, soft: float | None, control: Control) -> Report:
        return self._player.search(Position(self.game, s), limit, soft, control)

    def score_of(self, report: Report) -> int:
        return self._player.score_of(report)

    def hashfull(self) -> int:
        return 0
