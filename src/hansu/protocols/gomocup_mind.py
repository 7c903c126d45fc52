"""What thinks behind the Gomocup protocol (gomocup.py), and what it is asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from hansu.core import Control, Limit
from hansu.protocols.uai import Info


class Situation(NamedTuple):
    """What a mind is asked about. A cell is y * size + x, with y from the top."""

    board: bytes  # size * size: 0 empty, 1 black, 2 white; `np.frombuffer(board, np.int8)` is an array of it
    colour: int  # of the mover: 1 black, 2 white
    moves: tuple[int, ...]  # the cells in the order of play; () where the stones do not take turns


class Mind(Protocol):
    """What thinks behind the protocol. Only one thread at a time calls it."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def author(self) -> str: ...

    def configure(self, size: int, rule: str, memory: int | None) -> None:
        """For the games that follow: `rule` is renju, standard or freestyle, `memory` the bytes that tables may take
        (None: as many as it likes; 0: the least it can do with). Called before anything else, and again when a setting
        changes; what a game has left in the tables may be lost."""

    def prepare(self) -> None:
        """Compile, load and allocate whatever a search needs, so that the first move has its full time."""

    def new_game(self) -> None:
        """Forget what belonged to the last game."""

    def search(
        self, situation: Situation, limit: Limit, soft: float | None, control: Control, tell: Callable[[Info], None]
    ) -> int:
        """The cell to play, or -1 if there is none. After `soft` seconds no deeper look is begun (None: it may use
        all of `limit.time`). Ends soon after `control.stop()`. `tell` is called when an iteration is done; the first
        cell of its line is what is played if the search oversleeps. A game that is over is no mistake: any free cell
        does."""

    def forbidden(self, board: bytes) -> Iterable[int]:
        """The cells where black may not play."""

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        """The opening of swap2. No stones: the first three. Three stones (black, white, black): () to take black
        (SWAP), one more stone to play white, or two more to let the other choose. Five stones: () to take black, or
        one more stone to play white."""
