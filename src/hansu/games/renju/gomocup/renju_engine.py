"""The engine behind `hansu engine renju`: what the Gomocup protocol asks, answered by the search."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from hansu import __version__
from hansu.core import Control, Game, Limit, Position, Report
from hansu.core.machine import cores
from hansu.core.registry import built_in
from hansu.games.renju.engine.board import Stones
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.forbidden import FIVE, judge_board
from hansu.games.renju.gomocup.engine import Situation
from hansu.games.renju.state import RULES
from hansu.protocols.player_engine import AskedPlayer
from hansu.search.players.named import player_named

WORD = 8  # bytes
USUAL_TABLE = (64 << 20) // WORD
SMALLEST_TABLE, LARGEST_TABLE = (1 << 20) // WORD, (1 << 30) // WORD
STEP = (4 << 20) // WORD  # of a table, that a few milliseconds are enough for
INFINITE = 1 << 30
SWAP2_EVEN = 40  # a score below this is nobody's advantage
SWAP2_TRIED, SWAP2_NODES, SWAP2_REACH = 24, 3000, 6  # openings that are looked at, how closely, how far from a corner


class RenjuEngine:
    """The table lies at the beginning of a space that is reserved but takes no memory before it is touched: it can grow
    between moves, and no move waits for the system to find the pages."""

    name = "hansu"
    version = __version__
    author = "the hansu authors"

    def __init__(self) -> None:
        self._searcher: RenjuSearcher | None = None
        self._wanted = USUAL_TABLE  # words
        self._touched = 0
        self._space = reserved()
        self._dirty = False  # the table is not empty
        self._threads = 1

    @property
    def searcher(self) -> RenjuSearcher:
        assert self._searcher is not None, "configure comes first"
        return self._searcher

    @property
    def table_bytes(self) -> int:
        return WORD * self._touched

    def configure(self, size: int, rule: str) -> None:
        old = self._searcher
        if old is None or (old.size, old.rule) != (size, rule):
            self._searcher = RenjuSearcher(rule, size, 1)
            self._searcher.threads = self._threads
            self._lend_table()
            self.new_game()

    def allow(self, table_bytes: int | None) -> None:
        words = USUAL_TABLE if table_bytes is None else table_bytes // WORD
        self._wanted = 1 << max(min(words, len(self._space)), SMALLEST_TABLE).bit_length() - 1
        if self._touched > self._wanted:
            self._space, self._touched, self._dirty = reserved(), 0, False
            self.grow()

    def grow(self) -> bool:
        if self._touched < self._wanted:
            end = min(self._touched + STEP, self._wanted)
            self._space[self._touched : end] = 0
            self._touched = end
            self._lend_table()
        return self._touched < self._wanted

    def _lend_table(self) -> None:
        """The searcher gets what has been touched, as far as that is a power of two."""
        words = max(self._touched, SMALLEST_TABLE)
        self.searcher.table = self._space[: 1 << words.bit_length() - 1]

    def use_threads(self, count: int) -> int:
        self._threads = min(count, cores())
        if self._searcher is not None:
            self._searcher.threads = self._threads
        return self._threads

    def precompile(self) -> None:
        for rule in RULES:
            RenjuSearcher(rule, self.searcher.size, 1)  # whose tables of shapes are kept from now on
        self.searcher.precompile()
        self._judge(bytes(self.searcher.size**2))

    def new_game(self) -> None:
        if self._dirty:
            self.searcher.new_game()
            self._dirty = False

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        cells = situation.moves or tuple(cell for cell, stone in enumerate(situation.board) if stone)
        stones = [(cell, situation.board[cell] - 1) for cell in cells]
        report = self._search(stones, situation.colour - 1, limit, control, soft)
        control.tell(report)  # a win by threats is no iteration
        return report

    def _search(self, stones: Stones, side: int, limit: Limit, control: Control, soft: float | None = None) -> Report:
        self._dirty = True
        return self.searcher.search(stones, side, limit, control, control.tell, soft)

    def score_of(self, report: Report) -> int:
        return self.searcher.score_of(report)

    def forbidden(self, board: bytes) -> Iterable[int]:
        return self._judge(board) if self.searcher.rule == "renju" else ()

    def _judge(self, board: bytes) -> list[int]:
        kinds = np.zeros(len(board), np.int8)
        judge_board(np.frombuffer(board, np.int8), self.searcher.size, kinds)
        return [cell for cell in range(len(board)) if kinds[cell] and kinds[cell] != FIVE]

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        if not stones:
            return self._even_opening(limit, control)
        laid = [(cell, i & 1) for i, cell in enumerate(stones)]
        report = self._search(laid, len(laid) & 1, limit, control)
        score = self.score_of(report)
        if len(stones) == 3 and abs(score) < SWAP2_EVEN and len(report.line) > 1:
            return report.line[:2]  # about even: let the other choose
        return () if score < 0 else report.line[:1]

    def _even_opening(self, limit: Limit, control: Control) -> tuple[int, ...]:
        """Three stones near a corner after which neither side stands better, of some drawn by chance."""
        chance, size = random.Random(), self.searcher.size
        reach = range(min(SWAP2_REACH, size))
        ends = time.perf_counter() + (INFINITE if limit.time is None else limit.time)
        best: tuple[int, ...] = ()
        least = INFINITE
        for _ in range(SWAP2_TRIED):
            cells = chance.sample([y * size + x for y in reach for x in reach], 3)
            laid = [(cell, i & 1) for i, cell in enumerate(cells)]
            score = abs(self.score_of(self._search(laid, 1, Limit(nodes=SWAP2_NODES), control)))
            if score < least:
                best, least = tuple(cells), score
            if time.perf_counter() > ends:
                break
        return best


class RenjuPlayer(RenjuEngine):
    """Any other player behind the protocol. Where stones do not take turns, and for swap2, the engine is asked."""

    def __init__(self, spec: str) -> None:
        super().__init__()
        self.name = f"hansu {spec}"
        self._spec = spec
        self._game: Game | None = None
        self._by_player = False  # who answered last

    def configure(self, size: int, rule: str) -> None:
        super().configure(size, rule)
        game = _game(size, rule)
        if self._game is None or self._game.spec != game.spec:
            self._game, self._asked = game, AskedPlayer(player_named(self._spec, game))

    def precompile(self) -> None:
        super().precompile()
        for rule in RULES:
            game = _game(self.searcher.size, rule)
            player_named(self._spec, game).decide(game.first, Limit(nodes=1))

    def new_game(self) -> None:
        super().new_game()
        if self._game is not None:
            self._asked.player.new_game()

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        position = self._position(situation)
        self._by_player = position is not None
        if position is None:
            return super().search(situation, limit, soft, control)
        return self._asked.search(position, limit, soft, control)

    def _position(self, situation: Situation) -> Position | None:
        """With the way there, so that a tree lives on from move to move; None where it cannot be played."""
        assert self._game is not None, "configure comes first"
        position = self._game.first
        if not situation.moves and any(situation.board):
            return None
        for cell in situation.moves:
            if position.over or not position.legal(cell):
                return None
            position = position.play(cell)
        return None if position.over else position

    def score_of(self, report: Report) -> int:
        return self._asked.score_of(report) if self._by_player else super().score_of(report)


def _game(size: int, rule: str) -> Game:
    return built_in("renju").with_settings({"size": str(size), "rule": rule, "opening": "free"})


def reserved() -> Any:
    """int64[words]: addresses for the largest table, or for as large a one as the process may have."""
    words = LARGEST_TABLE
    while words > SMALLEST_TABLE:
        try:
            return np.zeros(words, np.int64)
        except MemoryError:
            words //= 2
    return np.zeros(words, np.int64)
