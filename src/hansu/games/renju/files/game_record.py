"""A game as files keep it: who played, by which rules, which moves, who won.

`check` plays it through: a mistake is told with its ply. Readers give records and mistakes in the order of the file; it
is for the caller to skip or to refuse.
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
MOST_MOVES = 500  # a board of 20×20 has room for 400, and there may be passes


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
    opening: str = ""  # the name of the first moves' shape
    opening_rule: str = ""  # how the first moves were agreed on: RIF, Taraguchi-10, ...
    offers: tuple[int, ...] = ()  # the other fifth moves that were offered
    swaps: str = ""  # who swapped when, as the file says it
    seconds: tuple[float, ...] = ()  # of each move, where they are known
    comments: tuple[tuple[int, str], ...] = ()  # (moves made, text); 0: about the whole game
    variations: tuple[Variation, ...] = ()  # other lines, each from the first move on
    where: str = field(default="", compare=False)  # in the file: `line 12`, `byte 345`

    @property
    def pass_move(self) -> int:
        return self.size * self.size

    def move_texts(self) -> list[str]:
        """The moves in words: h8, i9, pass."""
        return [move_text(move, self.size) for move in self.moves]


class InvalidGame(HansuError):
    """Raised inside a reader: this is no game, for that reason."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(what)
        self.where = where


class Mistake(NamedTuple):
    """Something in a file that is no game, and where."""

    where: str
    what: str


def move_text(move: int, size: int) -> str:
    return cell_text(move, size) if move < size * size else "pass"


def read_move(text: str, size: int) -> int:
    """The move that a word names; raises InvalidGame where it names none."""
    if text.lower() == "pass":
        return size * size
    cell = read_cell(text, size)
    if cell is None:
        raise InvalidGame(f"{text[:20]!r} is no point of a board of {size}×{size}")
    return cell


def validation_error(game: GameRecord) -> str:
    """What is wrong with the moves, "" if nothing: a point off the board or taken, a move after the end, one that is
    forbidden. (A game may end with a forbidden move: black has lost by it.)"""
    import numpy as np

    if not game.moves:
        return "a game without moves"
    board = np.zeros(game.size * game.size, np.int8)
    ply, fault, _ = replay(np.array(game.moves, np.int64), game.size, RULES.index(game.rule), board)
    if fault == FINE or (fault == FORBIDDEN and ply == len(game.moves) - 1 and game.result == WHITE_WINS):
        return ""
    move = game.moves[ply]
    text = move_text(move, game.size) if 0 <= move <= game.pass_move else str(move)
    return f"move {ply + 1}, {text}, {FAULTS[fault]}"


# What can be wrong with a move.
FINE, OFF_BOARD, TAKEN, FORBIDDEN, LATE = range(5)
FAULTS = {
    OFF_BOARD: "is not on the board",
    TAKEN: "is taken already",
    FORBIDDEN: "is forbidden for black",
    LATE: "comes after the end of the game",
}


@kernel
def replay(moves: Any, size: int, rule: int, board: Any) -> tuple[int, int, int]:
    """Play the moves onto an empty board. Gives the ply of the first mistake (or how many moves there are), what is
    wrong with it, and who has won by then: 0 nobody, 1 black, 2 white."""
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
    return len(moves), FINE, winner


def wins(board: Any, size: int, rule: int, cell: int, colour: int) -> bool:
    """Has the stone on this cell made five? (`rule` is an index of RULES.)"""
    exact = rule == STANDARD or (rule == RENJU and colour == 1)
    for d in range(4):
        dx, dy = (1 if d != 1 else 0), (1 if d == 1 or d == 2 else -1 if d == 3 else 0)
        length = 1 + reach(board, size, cell, colour, dx, dy) + reach(board, size, cell, colour, -dx, -dy)
        if length == 5 or (length > 5 and not exact):
            return True
    return False


def reach(board: Any, size: int, cell: int, colour: int, dx: int, dy: int) -> int:
    """How many stones of a colour follow a cell without a gap."""
    x, y = cell % size + dx, cell // size + dy
    count = 0
    while 0 <= x < size and 0 <= y < size and board[y * size + x] == colour:
        count += 1
        x += dx
        y += dy
    return count
