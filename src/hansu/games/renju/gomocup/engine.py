"""The interface between the Gomocup server (server.py) and an engine, and the positions that they exchange."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from hansu.core import Control, Limit, Report

RENJU, STANDARD, FREESTYLE = "renju", "standard", "freestyle"
BLACK, WHITE = 1, 2


class Situation(NamedTuple):
    """A position that an engine searches. A cell is y * size + x, with y from the top."""

    board: bytes  # size * size: 0 empty, 1 black, 2 white; `np.frombuffer(board, np.int8)` is an array of it
    colour: int  # of the mover: 1 black, 2 white
    moves: tuple[int, ...]  # the cells in the order of play; () if the colours cannot alternate


class GomocupEngine(Protocol):
    """An engine behind the server. The server calls it from one thread at a time. `configure` and `allow` must be
    quick, because they may run on the clock of a move. `precompile` and `grow` run before a game or between moves."""

    @property
    def name(self) -> str:
        """The name that ABOUT reports."""

    @property
    def version(self) -> str:
        """The version that ABOUT reports."""

    @property
    def author(self) -> str:
        """The author that ABOUT reports."""

    @property
    def table_bytes(self) -> int:
        """The memory that the tables take now."""

    def configure(self, size: int, rule: str) -> None:
        """Set the board size and the rule (renju, standard or freestyle) of the next games. May clear the tables."""

    def allow(self, table_bytes: int | None) -> None:
        """Limit the memory of the tables (None: no limit; 0: the minimum). Larger tables are freed at once."""

    def use_threads(self, count: int) -> int:
        """Set the number of threads of the next searches. Returns the number that will be used."""

    def precompile(self) -> None:
        """Compile and load everything a search needs on boards of this size, by any rule."""

    def grow(self) -> bool:
        """Enlarge the tables for some milliseconds, up to their limit. Returns whether there is more to do."""

    def new_game(self) -> None:
        """Clear what belongs to the last game."""

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        """Search a position. The report's line begins with the move; it is empty if there is no move.

        After each iteration `control` receives a report with a line, whose first cell is played if the search exceeds
        its time. No iteration begins after `soft` seconds (None: all of `limit.time` may be used). If the game is over,
        any empty cell may be returned.
        """

    def score_of(self, report: Report) -> int:
        """The score of the last search, for the mover, in the engine's points."""

    def forbidden(self, board: bytes) -> Iterable[int]:
        """The cells where black may not play."""

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        """The engine's choice in a swap2 opening, as cells.

        No stones: the first three. Three stones (black, white, black): () to take black (SWAP), one stone to play
        white, or two stones to let the opponent choose. Five stones: () to take black, or one stone to play white.
        """
