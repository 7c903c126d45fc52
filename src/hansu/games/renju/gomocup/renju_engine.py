"""The engine of `hansu engine renju`: connects the Gomocup server with the search, or with another player."""

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
DEFAULT_TABLE = (64 << 20) // WORD
SMALLEST_TABLE, LARGEST_TABLE = (1 << 20) // WORD, (1 << 30) // WORD
STEP = (4 << 20) // WORD  # words touched by one call of `grow`, which takes a few milliseconds
INFINITE = 1 << 30
SWAP2_EVEN = 40  # a score below this is even
SWAP2_OPENINGS, SWAP2_NODES, SWAP2_REACH = 24, 3000, 6  # random openings, nodes for each, their distance from a corner


class RenjuEngine:
    """The search engine as a `GomocupEngine`.

    The table is the beginning of a reserved address range, which takes no memory until it is touched. So the table can
    grow between moves, and no move waits for the system to allocate pages.
    """

    name = "hansu"
    version = __version__
    author = "the hansu authors"

    def __init__(self) -> None:
        self._searcher: RenjuSearcher | None = None
        self._target = DEFAULT_TABLE  # words that the table may take
        self._touched = 0  # words that take memory
        self._space = reserve_table()
        self._dirty = False  # the table is not empty
        self._threads = 1

    @property
    def searcher(self) -> RenjuSearcher:
        """The searcher of the current board size and rule."""
        assert self._searcher is not None, "configure comes first"
        return self._searcher

    @property
    def table_bytes(self) -> int:
        """The memory that the table takes now."""
        return WORD * self._touched

    def configure(self, size: int, rule: str) -> None:
        """Set the board size and the rule of the next games."""
        old = self._searcher
        if old is None or (old.size, old.rule) != (size, rule):
            self._searcher = RenjuSearcher(rule, size, 1)
            self._searcher.threads = self._threads
            self._set_table()
            self.new_game()

    def allow(self, table_bytes: int | None) -> None:
        """Limit the memory of the table."""
        words = DEFAULT_TABLE if table_bytes is None else table_bytes // WORD
        self._target = 1 << max(min(words, len(self._space)), SMALLEST_TABLE).bit_length() - 1
        if self._touched > self._target:
            self._space, self._touched, self._dirty = reserve_table(), 0, False
            self.grow()

    def grow(self) -> bool:
        """Enlarge the table by a step; is there more to do?"""
        if self._touched < self._target:
            end = min(self._touched + STEP, self._target)
            self._space[self._touched : end] = 0
            self._touched = end
            self._set_table()
        return self._touched < self._target

    def _set_table(self) -> None:
        """Give the searcher the touched words, rounded down to a power of two."""
        words = max(self._touched, SMALLEST_TABLE)
        self.searcher.table = self._space[: 1 << words.bit_length() - 1]

    def use_threads(self, count: int) -> int:
        """Set the number of threads, at most that of the cores."""
        self._threads = min(count, cores())
        if self._searcher is not None:
            self._searcher.threads = self._threads
        return self._threads

    def precompile(self) -> None:
        """Compile and load everything a search needs, by any rule."""
        for rule in RULES:
            RenjuSearcher(rule, self.searcher.size, 1)  # caches the pattern tables and the network of the rule
        self.searcher.precompile()
        self._judge(bytes(self.searcher.size**2))

    def new_game(self) -> None:
        """Clear the tables if a search has used them."""
        if self._dirty:
            self.searcher.new_game()
            self._dirty = False

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        """Search a position."""
        cells = situation.moves or tuple(cell for cell, stone in enumerate(situation.board) if stone)
        stones = [(cell, situation.board[cell] - 1) for cell in cells]
        report = self._search(stones, situation.colour - 1, limit, control, soft)
        control.tell(report)  # a win by threats ends the search before an iteration reports it
        return report

    def _search(self, stones: Stones, side: int, limit: Limit, control: Control, soft: float | None = None) -> Report:
        self._dirty = True
        return self.searcher.search(stones, side, limit, control, control.tell, soft)

    def score_of(self, report: Report) -> int:
        """The score of the last search, for the mover."""
        return self.searcher.score_of(report)

    def forbidden(self, board: bytes) -> Iterable[int]:
        """The cells where black may not play."""
        return self._judge(board) if self.searcher.rule == "renju" else ()

    def _judge(self, board: bytes) -> list[int]:
        kinds = np.zeros(len(board), np.int8)
        judge_board(np.frombuffer(board, np.int8), self.searcher.size, kinds)
        return [cell for cell in range(len(board)) if kinds[cell] and kinds[cell] != FIVE]

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        """The choice in a swap2 opening, by the score of a search."""
        if not stones:
            return self._even_opening(limit, control)
        coloured = [(cell, i & 1) for i, cell in enumerate(stones)]
        report = self._search(coloured, len(coloured) & 1, limit, control)
        score = self.score_of(report)
        if len(stones) == 3 and abs(score) < SWAP2_EVEN and len(report.line) > 1:
            return report.line[:2]  # nearly even: let the opponent choose
        return () if score < 0 else report.line[:1]

    def _even_opening(self, limit: Limit, control: Control) -> tuple[int, ...]:
        """Three stones near a corner: the most even of some random openings."""
        generator, size = random.Random(), self.searcher.size
        reach = range(min(SWAP2_REACH, size))
        ends = time.perf_counter() + (INFINITE if limit.time is None else limit.time)
        best: tuple[int, ...] = ()
        least = INFINITE
        for _ in range(SWAP2_OPENINGS):
            cells = generator.sample([y * size + x for y in reach for x in reach], 3)
            coloured = [(cell, i & 1) for i, cell in enumerate(cells)]
            score = abs(self.score_of(self._search(coloured, 1, Limit(nodes=SWAP2_NODES), control)))
            if score < least:
                best, least = tuple(cells), score
            if time.perf_counter() > ends:
                break
        return best


class RenjuPlayer(RenjuEngine):
    """Any player as a `GomocupEngine`. The engine handles swap2 and positions that cannot arise in a game."""

    def __init__(self, spec: str) -> None:
        super().__init__()
        self.name = f"hansu {spec}"
        self._spec = spec
        self._game: Game | None = None
        self._by_player = False  # the player made the last move, not the engine

    def configure(self, size: int, rule: str) -> None:
        """Set the board size and the rule of the next games."""
        super().configure(size, rule)
        game = _game(size, rule)
        if self._game is None or self._game.spec != game.spec:
            self._game, self._player_engine = game, AskedPlayer(player_named(self._spec, game))

    def precompile(self) -> None:
        """Compile and load everything the player and the engine need, by any rule."""
        super().precompile()
        for rule in RULES:
            game = _game(self.searcher.size, rule)
            player_named(self._spec, game).decide(game.first, Limit(nodes=1))

    def new_game(self) -> None:
        """Clear what belongs to the last game."""
        super().new_game()
        if self._game is not None:
            self._player_engine.player.new_game()

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        """The player's search; the engine's if the position cannot arise in a game."""
        position = self._position(situation)
        self._by_player = position is not None
        if position is None:
            return super().search(situation, limit, soft, control)
        return self._player_engine.search(position, limit, soft, control)

    def _position(self, situation: Situation) -> Position | None:
        """The position with its moves, so that the player can reuse its tree; None if it cannot arise in a game."""
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
        """The score of the last search, for the mover."""
        return self._player_engine.score_of(report) if self._by_player else super().score_of(report)


def _game(size: int, rule: str) -> Game:
    return built_in("renju").with_settings({"size": str(size), "rule": rule, "opening": "free"})


def reserve_table() -> Any:
    """int64[words]: address space for the largest table, or for the largest that the process may reserve."""
    words = LARGEST_TABLE
    while words > SMALLEST_TABLE:
        try:
            return np.zeros(words, np.int64)
        except MemoryError:
            words //= 2
    return np.zeros(words, np.int64)
