"""Dots and Boxes: draw a line between two neighbouring dots. The player who draws the fourth side of a box owns it and
moves again. Most boxes win; the score is the difference.

Dots, lines and boxes share one grid of spots. Every second spot is a line: line i is spot 2 * i + 1. The box at spot
2 * i is bit i of its owner.

    . 0 . 1 .       2 by 2 boxes have twelve lines; the first box is spot 6, bit 3, between lines 0, 2, 3 and 5
    2   3   4
    . 5 . 6 .       sources: Berlekamp, The Dots and Boxes Game (2000);
    7   8   9       Barker and Korf, Solving Dots-And-Boxes (AAAI 2012)
    . 10. 11.
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import Game, Option, bits_in, next_bit, popcount, random_bit, rules, turned_cell
from hansu.scene import Cell, Line, Scene, Stone, Text


class Boxes(NamedTuple):
    lines: int
    first: int  # the boxes of player 0
    second: int
    turn: int
    rows: int
    columns: int


def spots(s):
    return (2 * s.rows + 1) * (2 * s.columns + 1)


def line_count(s):
    return spots(s) // 2


def place(s, spot):
    """Row and column of a spot in the grid."""
    return spot // (2 * s.columns + 1), spot % (2 * s.columns + 1)


def free(s):
    return (1 << line_count(s)) - 1 & ~s.lines


def legal(s, a):
    return 0 <= a < line_count(s) and free(s) >> a & 1 == 1


def next_action(s, after):
    return next_bit(free(s), after)


def random_action(s, seed):
    return random_bit(free(s), seed)


def closed(s, lines, spot):
    """The box at a spot as a bit, or 0 if a side is missing."""
    below = 2 * s.columns + 1
    sides = 1 << (spot - below) // 2 | 1 << (spot - 1) // 2 | 1 << (spot + 1) // 2 | 1 << (spot + below) // 2
    return 1 << spot // 2 if lines & sides == sides else 0


def play(s, a):
    lines, spot, got = s.lines | 1 << a, 2 * a + 1, 0
    row, column = place(s, spot)
    if row % 2 == 0:  # a horizontal line: the boxes above and below
        at, last, step = row, 2 * s.rows, 2 * s.columns + 1
    else:
        at, last, step = column, 2 * s.columns, 1
    if at > 0:
        got |= closed(s, lines, spot - step)
    if at < last:
        got |= closed(s, lines, spot + step)
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


def turned(s, bits, odd, k):
    """Lines (odd=1) or boxes (odd=0) under a symmetry."""
    made = 0
    for i in bits_in(bits):
        made |= 1 << turned_cell(2 * i + odd, 2 * s.rows + 1, 2 * s.columns + 1, k) // 2
    return made


def symmetric(s, k):
    lines, first, second = turned(s, s.lines, 1, k), turned(s, s.first, 0, k), turned(s, s.second, 0, k)
    return Boxes(lines, first, second, s.turn, s.rows, s.columns)


def symmetric_action(s, a, k):
    return turned_cell(2 * a + 1, 2 * s.rows + 1, 2 * s.columns + 1, k) // 2


def planes(s, out):
    """One cell per spot. out[0]: lines; out[1]: the mover's boxes; out[2]: the opponent's."""
    for spot in range(spots(s)):
        row, column = place(s, spot)
        out[0, row, column] = s.lines >> spot // 2 & 1 if spot % 2 else 0
        out[1 + s.turn, row, column] = s.first >> spot // 2 & 1 if spot % 2 == 0 else 0
        out[2 - s.turn, row, column] = s.second >> spot // 2 & 1 if spot % 2 == 0 else 0


rules(
    Boxes, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=line_count,
)  # fmt: skip


def start(rows, columns):
    return Boxes(0, 0, 0, 0, rows, columns)


def ends(s, a):
    """The two dots of a line, as (x, y)."""
    row, column = place(s, 2 * a + 1)
    x, y = column // 2, row // 2
    return (x, y), (x + 1 - row % 2, y + row % 2)


def move_text(s, a):
    return "".join(f"{'abcdef'[x]}{y + 1}" for x, y in ends(s, a))


def look(position):
    s, shapes = position.state, []
    for tone, glyph, boxes in (("first", "X", s.first), ("second", "O", s.second)):
        for box in bits_in(boxes):
            row, column = place(s, 2 * box)
            x, y = column / 2 + 1, row / 2 + 1
            shapes += [Cell(x - 0.4, y - 0.4, "hole", 0.8, 0.8), Stone(x, y, tone, glyph)]
    for a in range(line_count(s)):
        (x1, y1), (x2, y2) = ends(s, a)
        drawn = s.lines >> a & 1
        tone = "last" if a == position.last else "line" if drawn else "faint"
        shapes.append(Line(x1 + 1, y1 + 1, x2 + 1, y2 + 1, tone, 0.1 if drawn else 0.03, dashed=not drawn))
    shapes += [Stone(x + 1, y + 1, "text", "+", 0.08) for y in range(s.rows + 1) for x in range(s.columns + 1)]
    shapes += [Text(x + 1, 0.5, "abcdef"[x], "quiet", 0.25) for x in range(s.columns + 1)]
    shapes += [Text(0.5, y + 1, str(y + 1), "quiet", 0.25) for y in range(s.rows + 1)]
    return Scene(s.columns + 2, s.rows + 2, tuple(shapes), "dots and boxes")


def touch(s, a):
    (x1, y1), (x2, y2) = ends(s, a)
    return ((1 + (x1 + x2) / 2, 1 + (y1 + y2) / 2),)


def adapt(game):
    rows, columns = game.option("rows"), game.option("columns")
    shape = (3, 2 * rows + 1, 2 * columns + 1)
    return replace(game, score_range=float(rows * columns), plane_shape=shape, small=rows * columns <= 3)


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
