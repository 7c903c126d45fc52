"""Breakthrough (Dan Troyka, 2000): a pawn moves one cell straight or diagonally forward and captures diagonally only.
Reaching the last row wins, and so does capturing all pawns.

An 8 by 8 board has 64 cells, one more than an integer of a state can hold. But the game is over when a pawn reaches the
last row, so each player's pawns need only seven rows. The second player's bits start at the second row:

    first:  bit = cell            the cell straight ahead of the first player's bit i is the second player's bit i,
    second: bit = cell - width    and the other way round

    action = bit * 3 + (0 left, 1 straight, 2 right), left and right as drawn
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import Game, Option, lowest, pick, popcount, random_bit, rules, shifted, turned_board, turned_cell
from hansu.scene import Cell, Mark, Scene, Stone, Text


class Breakthrough(NamedTuple):
    first: int
    second: int
    turn: int
    won: int  # 1: the player who just moved has won
    width: int
    height: int


def sides(s):
    """The mover's pawns, the opponent's, and the offset of the cell straight ahead."""
    return (s.first, s.second, s.width) if s.turn == 0 else (s.second, s.first, -s.width)


def movers(s, side):
    """The mover's pawns that can move left (-1), straight (0) or right (1), as bits."""
    mine, theirs, ahead = sides(s)
    if side == 0:
        return mine & ~(shifted(mine, -ahead) | theirs)
    edge = 0
    for row in range(s.height - 1):
        edge |= 1 << row * s.width + (0 if side < 0 else s.width - 1)
    return mine & ~(shifted(mine, -ahead - side) | edge)


def action_count(s):
    return 3 * s.width * (s.height - 1)


def legal(s, a):
    return 0 <= a < action_count(s) and movers(s, a % 3 - 1) >> a // 3 & 1 == 1


def next_action(s, after):
    left, ahead, right = movers(s, -1), movers(s, 0), movers(s, 1)
    ways, a = left | ahead | right, after + 1
    while ways >> a // 3:
        a = max(a, 3 * (a // 3 + lowest(ways >> a // 3)))  # skip pawns that cannot move
        if (left if a % 3 == 0 else ahead if a % 3 == 1 else right) >> a // 3 & 1:
            return a
        a += 1
    return -1


def random_action(s, seed):
    left, ahead, right = movers(s, -1), movers(s, 0), movers(s, 1)
    some, more = popcount(left), popcount(ahead)
    skip = pick(seed, some + more + popcount(right))
    if skip < some:
        return 3 * random_bit(left, seed)
    if skip < some + more:
        return 3 * random_bit(ahead, seed) + 1
    return 3 * random_bit(right, seed) + 2


def play(s, a):
    mine, theirs, ahead = sides(s)
    pawn, side = a // 3, a % 3 - 1
    to = pawn + ahead + side
    arrived = to < 0 or to >= s.width * (s.height - 1)
    mine = mine & ~(1 << pawn) | (0 if arrived else 1 << to)
    if side:
        theirs &= ~(1 << pawn + side)  # their bit i is straight ahead of our bit i
    first, second = (mine, theirs) if s.turn == 0 else (theirs, mine)
    return Breakthrough(first, second, 1 - s.turn, int(arrived or theirs == 0), s.width, s.height)


def over(s):
    return s.won == 1


def score(s):
    return 1 if s.turn == 1 else -1


def mover(s):
    return s.turn


def evaluate(s):
    """Number of pawns, and whose most advanced pawn is closer to the goal."""
    first = s.height - 1
    while first > 0 and s.first >> (first - 1) * s.width == 0:
        first -= 1
    second = s.height - 1 - lowest(s.second) // s.width
    return (popcount(s.first) - popcount(s.second)) / 32 + (first - second) / 64


def symmetric(s, k):
    first, second = turned_board(s.first, s.height - 1, s.width, k), turned_board(s.second, s.height - 1, s.width, k)
    return Breakthrough(first, second, s.turn, s.won, s.width, s.height)


def symmetric_action(s, a, k):
    return 3 * turned_cell(a // 3, s.height - 1, s.width, k) + (2 - a % 3 if k else a % 3)


def planes(s, out):
    """out[0]: the mover's pawns; out[1]: the opponent's; out[2]: all ones if the second player is to move."""
    for row in range(s.height):
        for column in range(s.width):
            bit = row * s.width + column
            out[s.turn, row, column] = s.first >> bit & 1 if row < s.height - 1 else 0
            out[1 - s.turn, row, column] = s.second >> bit - s.width & 1 if row > 0 else 0
            out[2, row, column] = s.turn


rules(
    Breakthrough, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=action_count,
)  # fmt: skip


def start(width, height, rows):
    rows = min(rows, height // 2)
    pawns = (1 << width * rows) - 1
    return Breakthrough(pawns, pawns << width * (height - 1 - rows), 0, 0, width, height)


def cells(s, a):
    """The cells that a pawn moves from and to."""
    at = a // 3 + (s.width if s.turn else 0)
    return at, at + (s.width if s.turn == 0 else -s.width) + a % 3 - 1


def move_text(s, a):
    return "".join(f"{'abcdefgh'[cell % s.width]}{cell // s.width + 1}" for cell in cells(s, a))


def middle(s, cell):
    return cell % s.width + 1.0, float(s.height - cell // s.width)


def look(position):
    s = position.state
    grid = [(r, c) for r in range(s.height) for c in range(s.width)]
    shapes = [Cell(c + 0.5, r + 0.5, "board" if (r + c) % 2 else "hole") for r, c in grid]
    bits = range(s.width * (s.height - 1))
    shapes += [Stone(*middle(s, i), "first", "X") for i in bits if s.first >> i & 1]
    shapes += [Stone(*middle(s, i + s.width), "second", "O") for i in bits if s.second >> i & 1]
    shapes += [Text(c + 1, s.height + 0.75, "abcdefgh"[c], "quiet", 0.25) for c in range(s.width)]
    shapes += [Text(0.25, s.height - r, str(r + 1), "quiet", 0.25) for r in range(s.height)]
    if position.previous is not None:
        to = cells(position.previous.state, position.last)[1]
        if s.won and to // s.width in (0, s.height - 1):
            shapes.append(Stone(*middle(s, to), "second" if s.turn == 0 else "first", "O" if s.turn == 0 else "X"))
        shapes.append(Mark(*middle(s, to)))
    return Scene(s.width + 1, s.height + 1, tuple(shapes), "breakthrough")


def touch(s, a):
    at, to = cells(s, a)
    return (middle(s, at), middle(s, to))


def adapt(game):
    return replace(game, plane_shape=(3, game.option("height"), game.option("width")))


GAME = Game(
    name="breakthrough",
    title={"en": "Breakthrough", "ko": "브레이크스루"},
    about={"en": "bring one pawn to the other side", "ko": "폰 하나를 반대편 끝까지 보내면 이긴다"},
    state=Breakthrough,
    start=start,
    options=(
        Option("width", int, 8, "columns", low=3, high=8),
        Option("height", int, 8, "rows", low=4, high=8),
        Option("rows", int, 2, "rows of pawns that each player starts with", low=1, high=2),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    symmetries=2,
    plane_shape=(3, 8, 8),
    adapt=adapt,
    opening_plies=2,
)
