"""A game in a file: players, rule, moves, result.

Readers yield records and mistakes in the order of the file. `validation_error` replays a game and reports its first
invalid move.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core import HansuError, Variation
from hansu.games.renju.forbidden import forbidden_kinds
from hansu.games.renju.notation import cell_text, read_cell
from hansu.games.renju.state import HARMLESS_STONES, RENJU, RULES, STANDARD

BLACK_WINS, WHITE_WINS, DRAW, UNKNOWN = RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
MOST_MOVES = 500  # a 20×20 board has 400 cells, and there may be passes


@dataclass(frozen=True)
class GameRecord:
    """One game. A move is a cell (y * size + x, y from the top), or size * size for a pass; black has the first."""

    moves: tuple[int, ...] = ()
    size: int = 15
    rule: str = "renju"
    result: str = UNKNOWN
    black: str = ""
    white: str = ""
    event: str = ""
    round: str = ""
    place: str = ""
    date: str = ""
    opening: str = ""  # the name of the opening, such as d1 Kansei
    opening_rule: str = ""  # RIF, Taraguchi-10, ...
    offers: tuple[int, ...] = ()  # the offered fifth moves that were not chosen
    swaps: str = ""  # who swapped when, as written in the file
    seconds: tuple[float, ...] = ()  # the time of each move; empty if unknown
    comments: tuple[tuple[int, str], ...] = ()  # (number of moves before it, text); 0: about the whole game
    variations: tuple[Variation, ...] = ()  # other lines, each from the first move on
    where: str = field(default="", compare=False)  # the place in the file: `line 12`, `byte 345`

    @property
    def pass_move(self) -> int:
        """The number of the pass."""
        return self.size * self.size

    def move_texts(self) -> list[str]:
        """The moves as text: h8, i9, pass."""
        return [move_text(move, self.size) for move in self.moves]


class InvalidGame(HansuError):
    """Raised inside a reader if a game is invalid; `where` is the place in the file, if it is not that of the game."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(what)
        self.where = where


class Mistake(NamedTuple):
    """An invalid game in a file: its place and what is wrong with it."""

    where: str
    what: str


def move_text(move: int, size: int) -> str:
    """A move as text: a cell or `pass`."""
    return cell_text(move, size) if move < size * size else "pass"


def read_move(text: str, size: int) -> int:
    """The move that a text names; raises InvalidGame if it names none."""
    if text.lower() == "pass":
        return size * size
    cell = read_cell(text, size)
    if cell is None:
        last = cell_text(size - 1, size)
        raise InvalidGame(f"{text[:20]!r} is not a point of the {size}×{size} board (a1 to {last})")
    return cell


def validation_error(game: GameRecord) -> str:
    """The first invalid move of a game, "" if all are valid. A move is invalid if its point is off the board or taken,
    if it comes after the end, or if it is forbidden. (A forbidden move is valid as the last move of a game that white
    won.)
    """
    import numpy as np

    if not game.moves:
        return "the game has no moves"
    board = np.zeros(game.size * game.size, np.int8)
    ply, fault, _ = replay(np.array(game.moves, np.int64), game.size, RULES.index(game.rule), board)
    if fault == VALID or (fault == FORBIDDEN and ply == len(game.moves) - 1 and game.result == WHITE_WINS):
        return ""
    move = game.moves[ply]
    text = move_text(move, game.size) if 0 <= move <= game.pass_move else str(move)
    return f"move {ply + 1}, {text}, {FAULTS[fault]}"


# The validity of a move.
VALID, OFF_BOARD, TAKEN, FORBIDDEN, LATE = range(5)
FAULTS = {
    OFF_BOARD: "is not on the board",
    TAKEN: "is already taken",
    FORBIDDEN: "is forbidden for black",
    LATE: "comes after the end of the game",
}


@kernel
def replay(moves: Any, size: int, rule: int, board: Any) -> tuple[int, int, int]:
    """Play int64[plies] moves onto an empty board, int8[size * size]; `rule` is an index of RULES. Returns the ply of
    the first invalid move (or the number of moves), its fault (or VALID), and the winner by then: 0 nobody, 1 black, 2
    white.
    """
    winner = 0
    placed = 0
    for ply in range(len(moves)):
        move = moves[ply]
        colour = 1 + ply % 2
        if winner or placed == size * size:
            return ply, LATE, winner
        if move == size * size:
            continue
        if move < 0 or move > size * size:
            return ply, OFF_BOARD, winner
        if board[move]:
            return ply, TAKEN, winner
        if rule == RENJU and colour == 1 and placed > HARMLESS_STONES and forbidden_kinds(board, size, move):
            return ply, FORBIDDEN, winner
        board[move] = colour
        placed += 1
        if wins(board, size, rule, move, colour):
            winner = colour
    return len(moves), VALID, winner


def wins(board: Any, size: int, rule: int, cell: int, colour: int) -> bool:
    """Does the stone on this cell win? (`rule` is an index of RULES.)"""
    exact = rule == STANDARD or (rule == RENJU and colour == 1)
    for d in range(4):
        dx, dy = (1 if d != 1 else 0), (1 if d == 1 or d == 2 else -1 if d == 3 else 0)
        length = 1 + reach(board, size, cell, colour, dx, dy) + reach(board, size, cell, colour, -dx, -dy)
        if length == 5 or (length > 5 and not exact):
            return True
    return False


def reach(board: Any, size: int, cell: int, colour: int, dx: int, dy: int) -> int:
    """The number of stones of a colour that follow a cell without a gap."""
    x, y = cell % size + dx, cell // size + dy
    count = 0
    while 0 <= x < size and 0 <= y < size and board[y * size + x] == colour:
        count += 1
        x += dx
        y += dy
    return count
