"""Dots and Boxes: draw a line between two dots; whoever draws the fourth side of a box gets it and draws again. Most
boxes win; the score is the difference.

Lines are bits: first the horizontal ones, row by row, then the vertical ones.

    .0.1.       2 by 2 boxes have 6 horizontal and 6 vertical lines;
    6 7 8       box 0 has the sides 0, 2, 6 and 7
    .2.3.
    9 . .       sources: Berlekamp, The Dots and Boxes Game (2000); Barker and Korf, Solving Dots-And-Boxes (AAAI 2012)
    .4.5.
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import Game, Option, next_bit, popcount, random_bit, rules
from hansu.scene import Cell, Line, Scene, Stone, Text


class Boxes(NamedTuple):
    lines: int
    first: int  # the boxes of player 0
    second: int
    turn: int
    rows: int
    columns: int


def line_count(s):
    return (s.rows + 1) * s.columns + s.rows * (s.columns + 1)


def sides(s, row, column):
    """The four lines around a box."""
    upper = row * s.columns + column
    left = (s.rows + 1) * s.columns + row * (s.columns + 1) + column
    return 1 << upper | 1 << upper + s.columns | 1 << left | 1 << left + 1


def free(s):
    return (1 << line_count(s)) - 1 & ~s.lines


def legal(s, a):
    return 0 <= a < line_count(s) and free(s) >> a & 1 == 1


def next_action(s, after):
    return next_bit(free(s), after)


def random_action(s, seed):
    return random_bit(free(s), seed)


def closed(s, lines, row, column):
    """The box as a bit, where all its sides are drawn; nothing where there is no such box."""
    if row < 0 or column < 0 or row >= s.rows or column >= s.columns:
        return 0
    around = sides(s, row, column)
    return 1 << row * s.columns + column if lines & around == around else 0


def play(s, a):
    lines = s.lines | 1 << a
    flat = (s.rows + 1) * s.columns
    if a < flat:  # the boxes above and below
        row, column = a // s.columns, a % s.columns
        got = closed(s, lines, row - 1, column) | closed(s, lines, row, column)
    else:
        row, column = (a - flat) // (s.columns + 1), (a - flat) % (s.columns + 1)
        got = closed(s, lines, row, column - 1) | closed(s, lines, row, column)
    turn = s.turn if got else 1 - s.turn
    if s.turn == 0:
        return Boxes(lines, s.first | got, s.second, turn, s.rows, s.columns)
    return Boxes(lines, s.first, s.second | got, turn, s.rows, s.columns)


def over(s):
    return free(s) == 0


def score(s):
    return popcount(s.first) - popcount(s.second)


def evaluate(s):
    return float(popcount(s.first) - popcount(s.second))


def mover(s):
    return s.turn


def turned_box(s, box, k):
    row, column = box // s.columns, box % s.columns
    if k & 1:
        column = s.columns - 1 - column
    if k & 2:
        row = s.rows - 1 - row
    return row * s.columns + column


def turned_line(s, a, k):
    flat = (s.rows + 1) * s.columns
    if a < flat:
        row, column = a // s.columns, a % s.columns
        row, column = s.rows - row if k & 2 else row, s.columns - 1 - column if k & 1 else column
        return row * s.columns + column
    row, column = (a - flat) // (s.columns + 1), (a - flat) % (s.columns + 1)
    row, column = s.rows - 1 - row if k & 2 else row, s.columns - column if k & 1 else column
    return flat + row * (s.columns + 1) + column


def symmetric(s, k):
    lines, first, second = 0, 0, 0
    for a in range(line_count(s)):
        lines |= (s.lines >> a & 1) << turned_line(s, a, k)
    for box in range(s.rows * s.columns):
        first |= (s.first >> box & 1) << turned_box(s, box, k)
        second |= (s.second >> box & 1) << turned_box(s, box, k)
    return Boxes(lines, first, second, s.turn, s.rows, s.columns)


def symmetric_action(s, a, k):
    return turned_line(s, a, k)


def planes(s, out):
    """Cells are dots, lines and boxes of the drawn grid: out[0] lines, out[1] the mover's boxes, out[2] the others'."""
    for plane in range(3):
        for row in range(2 * s.rows + 1):
            for column in range(2 * s.columns + 1):
                out[plane, row, column] = 0
    flat = (s.rows + 1) * s.columns
    for a in range(line_count(s)):
        if a < flat:
            out[0, 2 * (a // s.columns), 2 * (a % s.columns) + 1] = s.lines >> a & 1
        else:
            out[0, 2 * ((a - flat) // (s.columns + 1)) + 1, 2 * ((a - flat) % (s.columns + 1))] = s.lines >> a & 1
    for box in range(s.rows * s.columns):
        row, column = 2 * (box // s.columns) + 1, 2 * (box % s.columns) + 1
        out[1 + s.turn, row, column] = s.first >> box & 1
        out[2 - s.turn, row, column] = s.second >> box & 1


rules(
    Boxes, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=line_count,
)  # fmt: skip


def start(rows, columns):
    return Boxes(0, 0, 0, 0, rows, columns)


def ends(s, a):
    """The two dots of a line, as (x, y)."""
    flat = (s.rows + 1) * s.columns
    if a < flat:
        x, y = a % s.columns, a // s.columns
        return (x, y), (x + 1, y)
    x, y = (a - flat) % (s.columns + 1), (a - flat) // (s.columns + 1)
    return (x, y), (x, y + 1)


def move_text(s, a):
    return "".join(f"{'abcdef'[x]}{y + 1}" for x, y in ends(s, a))


def look(position):
    s, shapes = position.state, []
    for box in range(s.rows * s.columns):
        if (s.first | s.second) >> box & 1:
            tone = "first" if s.first >> box & 1 else "second"
            x, y = box % s.columns + 1, box // s.columns + 1
            shapes += [
                Cell(x + 0.1, y + 0.1, "hole", 0.8, 0.8),
                Stone(x + 0.5, y + 0.5, tone, "X" if tone == "first" else "O"),
            ]
    for a in range(line_count(s)):
        (x1, y1), (x2, y2) = ends(s, a)
        drawn, last = s.lines >> a & 1, a == position.last
        shapes.append(
            Line(
                x1 + 1, y1 + 1, x2 + 1, y2 + 1, "last" if last else "line" if drawn else "faint", 0.1 if drawn else 0.02
            )
        )
    shapes += [Stone(x + 1, y + 1, "text", "+", 0.08) for y in range(s.rows + 1) for x in range(s.columns + 1)]
    shapes += [Text(x + 1, 0.5, "abcdef"[x], "quiet", 0.25) for x in range(s.columns + 1)]
    shapes += [Text(0.5, y + 1, str(y + 1), "quiet", 0.25) for y in range(s.rows + 1)]
    return Scene(s.columns + 2, s.rows + 2, tuple(shapes), "dots and boxes")


def touch(s, a):
    (x1, y1), (x2, y2) = ends(s, a)
    return ((1 + (x1 + x2) / 2, 1 + (y1 + y2) / 2),)


def adapt(game):
    rows, columns = game.option("rows"), game.option("columns")
    return replace(
        game,
        score_range=float(rows * columns),
        plane_shape=(3, 2 * rows + 1, 2 * columns + 1),
        small=rows * columns <= 3,
    )


GAME = Game(
    name="dots_and_boxes",
    title={"en": "Dots and Boxes", "ko": "점과 상자"},
    about={"en": "close boxes; most boxes win", "ko": "네 변을 다 그은 상자를 더 많이 가지면 이긴다"},
    state=Boxes,
    start=start,
    options=(
        Option("rows", int, 3, "rows of boxes", low=1, high=5),
        Option("columns", int, 3, "columns of boxes", low=1, high=5),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    score_range=9.0,
    symmetries=4,
    plane_shape=(3, 7, 7),
    adapt=adapt,
    opening_plies=2,
)
