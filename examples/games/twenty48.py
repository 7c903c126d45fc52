"""2048 (Gabriele Cirulli, 2014): slide all tiles; two equal tiles that meet merge into their sum. Then a 2 (90 %) or 4
(10 %) appears on a random empty cell. One player and chance. The score is the sum of all merged tiles.

A row is one integer with four bits per cell, leftmost cell first: 0 is empty, n is the tile 2 ** n. (All sixteen cells
would need 64 bits, one more than an integer of a state can hold.)

    action of the player   0 up, 1 right, 2 down, 3 left
    action of chance       2 * cell for a 2, 2 * cell + 1 for a 4
"""

from dataclasses import replace
from typing import NamedTuple

from hansu import Game, Message, Option, rules
from hansu.core import CHANCE, Controls, item, next_action, next_random, pick, turned_cell, with_item
from hansu.scene import Cell, Scene, Text

TURN, BACK = (4, 1, 6, 0), (4, 1, 5, 0)  # symmetries that turn a slide into one to the left, and back


class Tiles(NamedTuple):
    rows: tuple[int, int, int, int]
    points: int
    due: int  # tiles that chance still has to place
    size: int


def at(s, cell):
    return item(s.rows, cell // s.size) >> 4 * (cell % s.size) & 15


def turned(rows, size, k):
    """The rows under symmetry k of the board, as in `turned_cell`."""
    made = (0, 0, 0, 0)
    for row in range(size):
        cells = 0
        for column in range(size):
            down, across = (column, row) if k & 4 else (row, column)  # the tile's old place
            down, across = size - 1 - down if k & 2 else down, size - 1 - across if k & 1 else across
            cells |= (item(rows, down) >> 4 * across & 15) << 4 * column
        made = with_item(made, row, cells)
    return made


def slid(cells, size):
    """A row after a slide to the left, and the points scored."""
    made, rests, last, points = 0, 0, 0, 0
    for j in range(size):
        cell = cells >> 4 * j & 15
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
    if s.due or a < 0 or a > 3:
        return s.due > 0 and 0 <= a < 2 * s.size * s.size and at(s, a // 2) == 0
    rows = turned(s.rows, s.size, TURN[a])
    for i in range(s.size):
        if slid(item(rows, i), s.size)[0] != item(rows, i):
            return True
    return False


def play(s, a):
    if s.due:
        row, column = a // 2 // s.size, a // 2 % s.size
        rows = with_item(s.rows, row, item(s.rows, row) | (a % 2 + 1) << 4 * column)
        return Tiles(rows, s.points, s.due - 1, s.size)
    rows, points = turned(s.rows, s.size, TURN[a]), s.points
    for i in range(s.size):
        made, more = slid(item(rows, i), s.size)
        rows, points = with_item(rows, i, made), points + more
    return Tiles(turned(rows, s.size, BACK[a]), points, 1, s.size)


def over(s):
    return s.due == 0 and next_action(s, -1) < 0


def score(s):
    return s.points


def empty_cells(s):
    count = 0
    for cell in range(s.size * s.size):
        count += at(s, cell) == 0
    return count


def evaluate(s):
    """Points so far, and a bonus for empty cells: a full board ends the game."""
    return float(s.points + 16 * empty_cells(s))


def mover(s):
    return CHANCE if s.due else 0


def probability(s, a):
    return (0.1 if a % 2 else 0.9) / empty_cells(s)


def random_action(s, seed):
    """A slide, uniformly; a new tile, by its probability."""
    a = -1
    while not legal(s, a):
        a = pick(seed, 2 * s.size * s.size if s.due else 4)
    return a // 2 * 2 + (next_random(seed) % 10 == 0) if s.due else a


def symmetric(s, k):
    return Tiles(turned(s.rows, s.size, k), s.points, s.due, s.size)


def symmetric_action(s, a, k):
    if s.due:
        return 2 * turned_cell(a // 2, s.size, s.size, k) + a % 2
    if k & 1 and a % 2:  # right and left
        a = 4 - a
    if k & 2 and a % 2 == 0:
        a = 2 - a
    return 3 - a if k & 4 else a


def planes(s, out):
    """out[n]: 1 where the tile is 2 ** n; out[0]: 1 where the cell is empty."""
    for cell in range(s.size * s.size):
        for n in range(16):
            out[n, cell // s.size, cell % s.size] = 1 if at(s, cell) == n else 0


rules(
    Tiles, legal=legal, random_action=random_action, play=play, over=over, score=score,
    mover=mover, agents=lambda s: 1, probability=probability, evaluate=evaluate, symmetric=symmetric,
    symmetric_action=symmetric_action, planes=planes, action_count=32,
)  # fmt: skip


def start(size):
    return Tiles((0, 0, 0, 0), 0, 2, size)


def move_text(s, a):
    if s.due:
        return f"{'abcd'[a // 2 % s.size]}{a // 2 // s.size + 1}={4 if a % 2 else 2}"
    return ("up", "right", "down", "left")[a]


def look(position):
    s, shapes = position.state, [Cell(0, 0, "board", position.state.size + 0.2, position.state.size + 1)]
    for cell in range(s.size * s.size):
        x, y, tile = cell % s.size + 0.15, cell // s.size + 0.85, at(s, cell)
        tone = "yellow" if tile > 6 else "last" if tile > 3 else "wood" if tile else "hole"
        shapes.append(Cell(x, y, tone, 0.9, 0.9))
        if tile:
            shapes.append(Text(x + 0.45, y + 0.45, str(1 << tile), "black", 0.4 if tile < 10 else 0.3))
    shapes.append(Text(0.2, 0.4, score_text(s), anchor="start"))
    return Scene(s.size + 0.2, s.size + 1, tuple(shapes), "2048", grain=(7, 2))


def touch(s, a):
    """The edge that the tiles slide to; for chance, the cell."""
    half = s.size / 2 + 0.1
    if s.due:
        return ((a // 2 % s.size + 0.4 + 0.4 * (a % 2), a // 2 // s.size + 1.3),)
    return (((half, 0.9), (s.size + 0.1, half + 0.7), (half, s.size + 0.9), (0.1, half + 0.7))[a],)


def score_text(s):
    return Message({"en": "{points} points", "ko": "{points}점"}, points=s.points)


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
    controls=Controls(keys={"up": "up", "right": "right", "down": "down", "left": "left"}),
    score_text=score_text,
    score_range=4_000_000.0,
    symmetries=8,
    plane_shape=(16, 4, 4),
    adapt=lambda game: replace(game, plane_shape=(16, game.option("size"), game.option("size"))),
    default_depth=3,
)
