"""What thinks behind the Gomocup protocol (gomocup.py), and what it is asked about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from hansu.core import Control, Limit, Report

RENJU, STANDARD, FREESTYLE = "renju", "standard", "freestyle"
BLACK, WHITE = 1, 2


class Situation(NamedTuple):
    """What an engine is asked about. A cell is y * size + x, with y from the top."""

    board: bytes  # size * size: 0 empty, 1 black, 2 white; `np.frombuffer(board, np.int8)` is an array of it
    colour: int  # of the mover: 1 black, 2 white
    moves: tuple[int, ...]  # the cells in the order of play; () where the stones do not take turns


class GomocupEngine(Protocol):
    """Only one thread at a time calls it. What `configure` and `allow` do may happen while the clock of a move runs, so
    they are quick; `prepare` and `grow` take their time, before a game or between moves."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def author(self) -> str: ...

    @property
    def table_bytes(self) -> int:
        """What its tables take now."""

    def configure(self, size: int, rule: str) -> None:
        """For the games that follow: `rule` is renju, standard or freestyle. What a game has left in the tables may be
        lost."""

    def allow(self, table_bytes: int | None) -> None:
        """Its tables may take so many bytes (None: as many as it likes; 0: the least it can do with). Larger ones are
        given up at once."""

    def use_threads(self, count: int) -> int:
        """From the next search on; says how many it will really be."""

    def precompile(self) -> None:
        """Compile and load whatever a search needs on boards of this size, by any rule."""

    def grow(self) -> bool:
        """Some milliseconds of work on tables as large as they may be; is there more to do?"""

    def new_game(self) -> None:
        """Forget what belonged to the last game."""

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        """The line begins with the cell to play; without one there is none. `control` is told a report, with a line,
        after each iteration: its first cell is what is played if the search oversleeps. After `soft` seconds no
        iteration is begun (None: it may use all of `limit.time`). A game that is over is no mistake: any free cell
        does."""

    def score_of(self, report: Report) -> int:
        """Of the last search, in hundredths from the mover's side."""

    def forbidden(self, board: bytes) -> Iterable[int]:
        """The cells where black may not play."""

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        """The opening of swap2. No stones: the first three. Three stones (black, white, black): () to take black
        (SWAP), one more stone to play white, or two more to let the other choose. Five stones: () to take black, or
        one more stone to play white."""
