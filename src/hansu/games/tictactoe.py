"""Tic-tac-toe.

    bit  0 1 2      move  1 2 3
         3 4 5            4 5 6
         6 7 8            7 8 9

Player 0 is X and moves first. The evaluation is the lecture's: over the eight lines, 10, 100, 1000 for one, two, three
stones of X in a line without O's, and the same negative for O. It is divided by 1000 here, so that a line of three is
worth what a won game is, and every unfinished position less.
"""

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
)
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
FULL = 0o777
WORTH = (0, 10, 100, 1000)


class TicTacToe(NamedTuple):
    mine: int  # the mover's stones
    theirs: int


def has_line(stones: int) -> bool:
    for line in LINES:
        if stones & line == line:
            return True
    return False


def legal(s: TicTacToe, a: int) -> bool:
    return 0 <= a < 9 and not (s.mine | s.theirs) >> a & 1


def next_action(s: TicTacToe, after: int) -> int:
    return next_bit(FULL & ~(s.mine | s.theirs), after)


def random_action(s: TicTacToe, seed: Any) -> int:
    return random_bit(FULL & ~(s.mine | s.theirs), seed)


def play(s: TicTacToe, a: int) -> TicTacToe:
    return TicTacToe(s.theirs, s.mine | 1 << a)


def over(s: TicTacToe) -> bool:
    return has_line(s.theirs) or (s.mine | s.theirs) == FULL


def mover(s: TicTacToe) -> int:
    return popcount(s.mine | s.theirs) & 1


def score(s: TicTacToe) -> int:
    if not has_line(s.theirs):
        return 0
    return 1 if mover(s) == 1 else -1


def evaluate(s: TicTacToe) -> float:
    x, o = (s.mine, s.theirs) if mover(s) == 0 else (s.theirs, s.mine)
    total = 0
    for line in LINES:
        m, n = popcount(x & line), popcount(o & line)
        if n == 0:
            total += WORTH[m]
        elif m == 0:
            total -= WORTH[n]
    return total / 1000


def turned(cells: int, k: int) -> int:
    """A set of cells under the k-th of the board's eight symmetries."""
    made = 0
    for a in range(9):
        made |= (cells >> a & 1) << turned_cell(a, k)
    return made


def turned_cell(a: int, k: int) -> int:
    row, column = a // 3, a % 3
    if k & 1:
        column = 2 - column
    if k & 2:
        row = 2 - row
    if k & 4:
        row, column = column, row
    return 3 * row + column


def symmetric(s: TicTacToe, k: int) -> TicTacToe:
    return TicTacToe(turned(s.mine, k), turned(s.theirs, k))


def symmetric_action(s: TicTacToe, a: int, k: int) -> int:
    return turned_cell(a, k)


def planes(s: TicTacToe, out: Any) -> None:
    """out[0] the mover's stones, out[1] the others', as 3 by 3 cells."""
    for a in range(9):
        out[0, a // 3, a % 3] = s.mine >> a & 1
        out[1, a // 3, a % 3] = s.theirs >> a & 1


rules(
    TicTacToe, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover,
    evaluate=evaluate, random_action=random_action, symmetric=symmetric,
    symmetric_action=symmetric_action, planes=planes, action_count=9,
)  # fmt: skip


def start() -> TicTacToe:
    return TicTacToe(0, 0)


def move_text(s: TicTacToe, a: int) -> str:
    return str(a + 1)


def split_moves(text: str) -> list[str]:
    """Squares are single digits, so the spaces between all of them can be left out: `159`."""
    return list(text) if text.isdigit() else re.findall(r"[^\s,]+", text)


def read_position(game: Game, text: str) -> TicTacToe | None:
    """Three rows of X, O and `.` with `/` between, as in `X.O/.X./..O`."""
    rows = re.fullmatch(r"([xo.]{3})/([xo.]{3})/([xo.]{3})", text.lower())
    if rows is None:
        return None
    cells = "".join(rows.groups())
    x, o = (sum(1 << i for i, cell in enumerate(cells) if cell == letter) for letter in "xo")
    if x.bit_count() - o.bit_count() not in (0, 1):
        raise HansuError("{text}: X moves first, so X has as many stones as O or one more", text=text)
    made = TicTacToe(x, o) if x.bit_count() == o.bit_count() else TicTacToe(o, x)
    if has_line(made.mine):
        raise HansuError(
            "{text}: {seat} is to move, but has won already",
            "the first line ends a game",
            text=text,
            seat="XO"[mover(made)],
        )
    return made


def position_text(s: TicTacToe) -> str:
    x, o = (s.mine, s.theirs) if mover(s) == 0 else (s.theirs, s.mine)
    cells = "".join("X" if x >> i & 1 else "O" if o >> i & 1 else "." for i in range(9))
    return f"{cells[:3]}/{cells[3:6]}/{cells[6:]}"


def squares(s: TicTacToe) -> list[tuple[float, float, str]]:
    letters = position_text(s).replace("/", "")
    return [(1 + a % 3, 1 + a // 3, letter) for a, letter in enumerate(letters)]


def arranged(letters: str, mover: int) -> str:
    return "/".join(letters[row : row + 3] for row in (0, 3, 6))


def look(position: Position) -> Scene:
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
        Lesson(Message("X and O take turns to mark a free square. X begins."), moves="5 1"),
        Lesson(
            Message("Three in a line, in any direction, win. A full board without one is a draw."),
            moves="1 4 5 7 9",
        ),
    ),
    sample="5 1 3 7 4",
    plane_shape=(2, 3, 3),
    small=True,
    opening_plies=2,
)
