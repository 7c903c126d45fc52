"""2048 (Gabriele Cirulli, 2014): slide all tiles; equal ones that meet become one of twice the number; then chance puts
a 2 (nine times of ten) or a 4 on an empty cell. One player, and chance. The score is the sum of all tiles made.

A row is one number, four bits a cell from the left on, 0 for empty and n for 2 to the power n. (All sixteen cells would
be 64 bits, one more than a number has here.)

    action of the player   0 up, 1 right, 2 down, 3 left
    action of chance       2 * cell for a 2, 2 * cell + 1 for a 4

The largest tile that a board of n cells can hold is 2 to the power n + 1.
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import CHANCE, Game, Option, Phrase, item, next_random, pick, rules, with_item
from hansu.scene import Cell, Scene, Text

UP, RIGHT, DOWN, LEFT = range(4)


class Tiles(NamedTuple):
    rows: tuple[int, int, int, int]
    points: int
    due: int  # tiles that chance has still to put
    size: int


def at(s, row, column):
    return item(s.rows, row) >> 4 * column & 15


def lane(s, a, i):
    """The i-th row or column as a number, its cells in the order in which they slide: the first comes to rest first."""
    made = 0
    for j in range(s.size):
        along = s.size - 1 - j if a in (RIGHT, DOWN) else j
        cell = at(s, i, along) if a in (LEFT, RIGHT) else at(s, along, i)
        made |= cell << 4 * j
    return made


def slid(lane, size):
    """A lane after sliding, and the points that it makes."""
    made, rests, last, points = 0, 0, 0, 0
    for j in range(size):
        cell = lane >> 4 * j & 15
        if cell and cell == last:
            made += 1 << 4 * (rests - 1)
            points += 1 << cell + 1
            last = 0
        elif cell:
            made |= cell << 4 * rests
            rests += 1
            last = cell
    return made, points


def legal(s, a):
    if s.due:
        return 0 <= a < 2 * s.size * s.size and at(s, a // 2 // s.size, a // 2 % s.size) == 0
    if a < 0 or a > 3:
        return False
    for i in range(s.size):
        before = lane(s, a, i)
        if slid(before, s.size)[0] != before:
            return True
    return False


def next_action(s, after):
    for a in range(after + 1, 2 * s.size * s.size if s.due else 4):
        if legal(s, a):
            return a
    return -1


def play(s, a):
    if s.due:
        row, column = a // 2 // s.size, a // 2 % s.size
        rows = with_item(s.rows, row, item(s.rows, row) | (a % 2 + 1) << 4 * column)
        return Tiles(rows, s.points, s.due - 1, s.size)
    rows, points = (0, 0, 0, 0), s.points
    for i in range(s.size):
        made, more = slid(lane(s, a, i), s.size)
        points += more
        for j in range(s.size):
            along = s.size - 1 - j if a in (RIGHT, DOWN) else j
            row, column = (i, along) if a in (LEFT, RIGHT) else (along, i)
            rows = with_item(rows, row, item(rows, row) | (made >> 4 * j & 15) << 4 * column)
    return Tiles(rows, points, 1, s.size)


def over(s):
    return s.due == 0 and next_action(s, -1) < 0


def score(s):
    return s.points


def empty_cells(s):
    count = 0
    for row in range(s.size):
        for column in range(s.size):
            count += at(s, row, column) == 0
    return count


def evaluate(s):
    """Points so far, and a little for room: where there is none, the game ends."""
    return float(s.points + 16 * empty_cells(s))


def mover(s):
    return CHANCE if s.due else 0


def agents(s):
    return 1


def probability(s, a):
    return (0.1 if a % 2 else 0.9) / empty_cells(s)


def random_action(s, seed):
    """A slide, each alike; a tile by its probability."""
    skip = pick(seed, empty_cells(s)) if s.due else 0
    if not s.due:
        count = 0
        for a in range(4):
            count += legal(s, a)
        skip = pick(seed, count)
        for a in range(4):
            if legal(s, a):
                if skip == 0:
                    return a
                skip -= 1
    four = next_random(seed) % 10 == 0
    for cell in range(s.size * s.size):
        if at(s, cell // s.size, cell % s.size) == 0:
            if skip == 0:
                return 2 * cell + four
            skip -= 1
    return -1


def turned(size, row, column, k):
    if k & 1:
        column = size - 1 - column
    if k & 2:
        row = size - 1 - row
    if k & 4:
        row, column = column, row
    return row, column


def symmetric(s, k):
    rows = (0, 0, 0, 0)
    for row in range(s.size):
        for column in range(s.size):
            there, across = turned(s.size, row, column, k)
            rows = with_item(rows, there, item(rows, there) | at(s, row, column) << 4 * across)
    return Tiles(rows, s.points, s.due, s.size)


def symmetric_action(s, a, k):
    if s.due:
        row, column = turned(s.size, a // 2 // s.size, a // 2 % s.size, k)
        return 2 * (row * s.size + column) + a % 2
    if k & 1 and a in (LEFT, RIGHT):
        a = LEFT + RIGHT - a
    if k & 2 and a in (UP, DOWN):
        a = UP + DOWN - a
    return (LEFT, DOWN, RIGHT, UP)[a] if k & 4 else a


def planes(s, out):
    """out[n]: ones where the tile is 2 to the power n; out[0] where there is none."""
    for row in range(s.size):
        for column in range(s.size):
            for n in range(16):
                out[n, row, column] = 1 if at(s, row, column) == n else 0


def action_count(s):
    return max(4, 2 * s.size * s.size)


rules(
    Tiles, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, agents=agents, probability=probability, evaluate=evaluate, symmetric=symmetric,
    symmetric_action=symmetric_action, planes=planes, action_count=action_count,
)  # fmt: skip


def start(size):
    return Tiles((0, 0, 0, 0), 0, 2, size)


def move_text(s, a):
    if s.due:
        return f"{'abcd'[a // 2 % s.size]}{a // 2 // s.size + 1}={4 if a % 2 else 2}"
    return ("up", "right", "down", "left")[a]


def look(position):
    s, shapes = position.state, [Cell(0, 0, "board", position.state.size + 0.2, position.state.size + 1)]
    for row in range(s.size):
        for column in range(s.size):
            tile = at(s, row, column)
            tone = "yellow" if tile > 6 else "last" if tile > 3 else "wood" if tile else "hole"
            shapes.append(Cell(column + 0.15, row + 0.85, tone, 0.9, 0.9))
            if tile:
                shapes.append(Text(column + 0.6, row + 1.3, str(1 << tile), "black", 0.4 if tile < 10 else 0.3))
    shapes.append(
        Text(0.2, 0.4, Phrase({"en": "{points} points", "ko": "{points}점"}, points=s.points), anchor="start")
    )
    return Scene(s.size + 0.2, s.size + 1, tuple(shapes), "2048", grain=(7, 2))


def touch(s, a):
    """The edge that the tiles slide to; chance touches the cell."""
    half = s.size / 2 + 0.1
    if s.due:
        return ((a // 2 % s.size + 0.4 + 0.4 * (a % 2), a // 2 // s.size + 1.3),)
    return (((half, 0.9), (s.size + 0.1, half + 0.7), (half, s.size + 0.9), (0.1, half + 0.7))[a],)


def score_text(s):
    return Phrase({"en": "{points} points", "ko": "{points}점"}, points=s.points)


def adapt(game):
    return replace(game, plane_shape=(16, game.option("size"), game.option("size")))


GAME = Game(
    name="twenty48",
    title={"en": "2048", "ko": "2048"},
    about={"en": "slide equal tiles together", "ko": "같은 수를 밀어 합친다"},
    state=Tiles,
    start=start,
    options=(Option("size", int, 4, "cells on a side", low=2, high=4),),
    move_text=move_text,
    look=look,
    touch=touch,
    keys={"up": "up", "right": "right", "down": "down", "left": "left"},
    score_text=score_text,
    score_range=4_000_000.0,
    symmetries=8,
    plane_shape=(16, 4, 4),
    adapt=adapt,
    default_depth=3,
)
