"""Tic-tac-toe.

    bit  0 1 2      move  1 2 3
         3 4 5            4 5 6
         6 7 8            7 8 9

Player 0 is X and moves first. The evaluation is the lecture's: a line with one, two or three stones of X and none of O
counts 10, 100 or 1000, and the same negative for O. The sum is divided by 1000, so that a line of three has the value
of a win."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hansu.core import (
    Controls,
    Editor,
    Game,
    HansuError,
    Lesson,
    Message,
    Position,
    next_bit,
    popcount,
    random_bit,
    rules,
    turned_board,
    turned_cell,
)
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
FULL = 0o777
LINE_VALUES = (0, 10, 100, 1000)  # by the number of stones


class TicTacToe(NamedTuple):
    mine: int  # the mover's stones
    theirs: int  # the opponent's stones


def has_line(stones: int) -> bool:
    """Are there three in a line?"""
    for line in LINES:
        if stones & line == line:
            return True
    return False


def legal(s: TicTacToe, a: int) -> bool:
    """Is square `a` free?"""
    return 0 <= a < 9 and not (s.mine | s.theirs) >> a & 1


def next_action(s: TicTacToe, after: int) -> int:
    """The first free square after `after`, or -1."""
    return next_bit(FULL & ~(s.mine | s.theirs), after)


def random_action(s: TicTacToe, seed: Any) -> int:
    """A random free square."""
    return random_bit(FULL & ~(s.mine | s.theirs), seed)


def play(s: TicTacToe, a: int) -> TicTacToe:
    """The state after a stone on square `a`; the opponent becomes the mover."""
    return TicTacToe(s.theirs, s.mine | 1 << a)


def over(s: TicTacToe) -> bool:
    """Has the last move completed a line, or is the board full?"""
    return has_line(s.theirs) or (s.mine | s.theirs) == FULL


def mover(s: TicTacToe) -> int:
    """0 for X, 1 for O."""
    return popcount(s.mine | s.theirs) & 1


def score(s: TicTacToe) -> int:
    """1 if X has won, -1 if O has won, 0 for a draw."""
    if not has_line(s.theirs):
        return 0
    return 1 if mover(s) == 1 else -1


def evaluate(s: TicTacToe) -> float:
    """The lecture's evaluation, for X."""
    x, o = (s.mine, s.theirs) if mover(s) == 0 else (s.theirs, s.mine)
    total = 0
    for line in LINES:
        x_count, o_count = popcount(x & line), popcount(o & line)
        if o_count == 0:
            total += LINE_VALUES[x_count]
        elif x_count == 0:
            total -= LINE_VALUES[o_count]
    return total / 1000


def symmetric(s: TicTacToe, k: int) -> TicTacToe:
    """The state under symmetry `k` of the board, 0 to 7."""
    return TicTacToe(turned_board(s.mine, 3, 3, k), turned_board(s.theirs, 3, 3, k))


def symmetric_action(s: TicTacToe, a: int, k: int) -> int:
    """The square that `a` becomes under symmetry `k`."""
    return turned_cell(a, 3, 3, k)


def planes(s: TicTacToe, out: Any) -> None:
    """Fills out[2, 3, 3] with the mover's stones and the opponent's."""
    for a in range(9):
        out[0, a // 3, a % 3] = s.mine >> a & 1
        out[1, a // 3, a % 3] = s.theirs >> a & 1


rules(
    TicTacToe, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover,
    evaluate=evaluate, random_action=random_action, symmetric=symmetric,
    symmetric_action=symmetric_action, planes=planes, action_count=9,
)  # fmt: skip


def start() -> TicTacToe:
    """The empty board."""
    return TicTacToe(0, 0)


def move_text(s: TicTacToe, a: int) -> str:
    """The number of the square, from 1."""
    return str(a + 1)


def split_moves(text: str) -> list[str]:
    """Moves may be written without spaces, because squares are single digits: `159`."""
    return list(text) if text.isdigit() else re.findall(r"[^\s,]+", text)


def read_position(game: Game, text: str) -> TicTacToe | None:
    """The state of three rows of X, O and `.`, like `X.O/.X./..O`; None for other texts."""
    rows = re.fullmatch(r"([xo.]{3})/([xo.]{3})/([xo.]{3})", text.lower())
    if rows is None:
        return None
    cells = "".join(rows.groups())
    x, o = (sum(1 << i for i, cell in enumerate(cells) if cell == letter) for letter in "xo")
    if x.bit_count() - o.bit_count() not in (0, 1):
        raise HansuError("{text}: X must have as many stones as O, or one more", text=text)
    state = TicTacToe(x, o) if x.bit_count() == o.bit_count() else TicTacToe(o, x)
    if has_line(state.mine):
        raise HansuError(
            "{text}: {seat} is to move, but has already won",
            "a game ends with the first line of three",
            text=text,
            seat="XO"[mover(state)],
        )
    return state


def position_text(s: TicTacToe) -> str:
    """The state as `read_position` reads it."""
    x, o = (s.mine, s.theirs) if mover(s) == 0 else (s.theirs, s.mine)
    cells = "".join("X" if x >> i & 1 else "O" if o >> i & 1 else "." for i in range(9))
    return f"{cells[:3]}/{cells[3:6]}/{cells[6:]}"


def squares(s: TicTacToe) -> list[tuple[float, float, str]]:
    """The centre and the letter of each square, for the editor."""
    letters = position_text(s).replace("/", "")
    return [(1 + a % 3, 1 + a // 3, letter) for a, letter in enumerate(letters)]


def arranged(letters: str, mover: int) -> str:
    """The position text of nine letters, for the editor."""
    return "/".join(letters[row : row + 3] for row in (0, 3, 6))


def look(position: Position) -> Scene:
    """The board as a scene."""
    s: TicTacToe = position.state
    x, o = (s.mine, s.theirs) if position.mover == 0 else (s.theirs, s.mine)
    shapes: list[Any] = [Cell(0.5, 0.5, "board", 3, 3)]
    for i in (1, 2):
        shapes += [Line(0.5 + i, 0.5, 0.5 + i, 3.5), Line(0.5, 0.5 + i, 3.5, 0.5 + i)]
    for a in range(9):
        cx, cy = 1 + a % 3, 1 + a // 3
        if x >> a & 1:
            shapes.append(Stone(cx, cy, "first", "X", drawn=True))
        elif o >> a & 1:
            shapes.append(Stone(cx, cy, "second", "O", drawn=True))
        else:
            shapes.append(Text(cx, cy, str(a + 1), "quiet", 0.22))
    winning = [line for line in LINES if s.theirs & line == line]
    for a in range(9):
        if any(line >> a & 1 for line in winning):
            shapes.append(Mark(1 + a % 3, 1 + a // 3, "good"))
    if position.last is not None and not winning:
        shapes.append(Mark(1 + position.last % 3, 1 + position.last // 3))
    return Scene(4, 4, tuple(shapes), "tic-tac-toe")


def touch(s: TicTacToe, a: int) -> tuple[tuple[float, float], ...]:
    """The centre of a square in the scene."""
    return ((1 + a % 3, 1 + a // 3),)


GAME = Game(
    name="tictactoe",
    title=Message("Tic-tac-toe"),
    about=Message("three in a row on nine squares"),
    state=TicTacToe,
    start=start,
    move_text=move_text,
    read_position=read_position,
    position_text=position_text,
    split_moves=split_moves,
    controls=Controls(editor=Editor(squares, {".": "board", "X": "first", "O": "second"}, arranged, movers=False)),
    look=look,
    touch=touch,
    seats=("X", "O"),
    symmetries=8,
    levels=(
        "casual:plies=1,temperature=4",
        "casual:plies=1,temperature=1.5",
        "casual:plies=1,temperature=0.8",
        "casual:plies=1,temperature=0.5",
        "casual:plies=1,temperature=0.2",
        "casual:plies=2,temperature=3",
        "casual:plies=2,temperature=1",
        "casual:plies=2,temperature=0.5",
        "casual:plies=3,temperature=0.5",
        "minimax",
    ),
    lessons=(
        Lesson(Message("X and O take turns to mark a free square. X moves first."), moves="5 1"),
        Lesson(
            Message("Three in a line win, in any direction. A full board without such a line is a draw."),
            moves="1 4 5 7 9",
        ),
    ),
    sample="5 1 3 7 4",
    plane_shape=(2, 3, 3),
    small=True,
    opening_plies=2,
)
