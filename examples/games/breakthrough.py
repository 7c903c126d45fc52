"""Breakthrough (Dan Troyka, 2000): pawns step ahead or diagonally ahead, take diagonally only; the first to reach the
other side wins, and so does whoever takes all.

Eight rows of eight have 64 cells, one too many for a number of 63 bits. But no pawn of the first player ever stands on
the last row in a game that goes on, nor one of the second on the first row: seven rows are enough for each, and the
second player's cells are counted from the second row on. A pawn then faces the enemy of the same number:

    first:  bit = cell                   straight ahead of the first player's pawn i stands the second player's pawn i,
    second: bit = cell - width           and the other way round

    action = bit * 3 + (0 left, 1 ahead, 2 right), left and right as the board is drawn
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import Game, Option, lowest, next_bit, pick, popcount, random_bit, rules
from hansu.scene import Cell, Mark, Scene, Stone, Text


class Breakthrough(NamedTuple):
    first: int
    second: int
    turn: int
    won: int  # 1: whoever moved last has won
    width: int
    height: int


def column_mask(s, column):
    mask = 0
    for row in range(s.height - 1):
        mask |= 1 << row * s.width + column
    return mask


def movers(s, side):
    """The mover's pawns that can go left (-1), ahead (0) or right (1), as bits."""
    all_cells = (1 << s.width * (s.height - 1)) - 1
    if s.turn == 0:  # ahead of bit i: the second player's bit i, or a cell of one's own at i + width
        shift = s.width + side
        blocked = s.first >> shift if side else s.first >> shift | s.second
        pawns = s.first
    else:
        shift = s.width - side
        blocked = s.second << shift if side else s.second << shift | s.first
        pawns = s.second
    edge = 0 if side == 0 else column_mask(s, 0 if side < 0 else s.width - 1)
    return pawns & ~edge & ~blocked & all_cells


def legal(s, a):
    return 0 <= a < 3 * s.width * (s.height - 1) and movers(s, a % 3 - 1) >> a // 3 & 1 == 1


def next_action(s, after):
    left, ahead, right = movers(s, -1), movers(s, 0), movers(s, 1)
    a = after + 1
    if a % 3:  # the other ways of the same pawn
        if a % 3 == 1 and ahead >> a // 3 & 1:
            return a
        if right >> a // 3 & 1:
            return a // 3 * 3 + 2
        a = (a // 3 + 1) * 3
    pawn = next_bit(left | ahead | right, a // 3 - 1)
    if pawn < 0:
        return -1
    return 3 * pawn + (0 if left >> pawn & 1 else 1 if ahead >> pawn & 1 else 2)


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
    pawn, side = a // 3, a % 3 - 1
    taken = 0 if side == 0 else 1 << pawn + side  # the enemy's number is that of the cell ahead
    if s.turn == 0:
        to = pawn + s.width + side
        arrived = to >= s.width * (s.height - 1)
        first = s.first & ~(1 << pawn) | (0 if arrived else 1 << to)
        second = s.second & ~taken
        return Breakthrough(first, second, 1, int(arrived or second == 0), s.width, s.height)
    to = pawn - s.width + side
    arrived = to < 0
    second = s.second & ~(1 << pawn) | (0 if arrived else 1 << to)
    first = s.first & ~taken
    return Breakthrough(first, second, 0, int(arrived or first == 0), s.width, s.height)


def over(s):
    return s.won == 1


def score(s):
    return 1 if s.turn == 1 else -1


def mover(s):
    return s.turn


def evaluate(s):
    """Pawns, and whose foremost one has come farther."""
    first = s.height - 1
    while first > 0 and s.first >> (first - 1) * s.width == 0:
        first -= 1
    second = s.height - 1 - lowest(s.second) // s.width
    return (popcount(s.first) - popcount(s.second)) / 32 + (first - second) / 64


def mirrored(s, pawns):
    made = 0
    while pawns:
        i = lowest(pawns)
        pawns &= pawns - 1
        made |= 1 << i // s.width * s.width + s.width - 1 - i % s.width
    return made


def symmetric(s, k):
    if k == 0:
        return s
    return Breakthrough(mirrored(s, s.first), mirrored(s, s.second), s.turn, s.won, s.width, s.height)


def symmetric_action(s, a, k):
    pawn = a // 3
    return (pawn // s.width * s.width + s.width - 1 - pawn % s.width) * 3 + 2 - a % 3 if k else a


def planes(s, out):
    """out[0] the mover's pawns, out[1] the others', out[2] ones where the second player is to move."""
    for row in range(s.height):
        for column in range(s.width):
            bit = row * s.width + column
            out[s.turn, row, column] = s.first >> bit & 1 if row < s.height - 1 else 0
            out[1 - s.turn, row, column] = s.second >> bit - s.width & 1 if row > 0 else 0
            out[2, row, column] = s.turn


def action_count(s):
    return 3 * s.width * (s.height - 1)


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
    """Where a pawn is and where it goes, as cells of the board."""
    at = a // 3 + (s.width if s.turn else 0)
    return at, at + (s.width if s.turn == 0 else -s.width) + a % 3 - 1


def name_of(s, cell):
    return f"{'abcdefgh'[cell % s.width]}{cell // s.width + 1}"


def move_text(s, a):
    return "".join(name_of(s, cell) for cell in cells(s, a))


def middle(s, cell):
    return cell % s.width + 1.0, float(s.height - cell // s.width)


def look(position):
    s = position.state
    grid = [(r, c) for r in range(s.height) for c in range(s.width)]
    shapes = [Cell(c + 0.5, r + 0.5, "board" if (r + c) % 2 else "hole") for r, c in grid]
    for i in range(s.width * (s.height - 1)):
        if s.first >> i & 1:
            shapes.append(Stone(*middle(s, i), "first", "X"))
        if s.second >> i & 1:
            shapes.append(Stone(*middle(s, i + s.width), "second", "O"))
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
        Option("rows", int, 2, "rows of pawns that each player begins with", low=1, high=2),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    symmetries=2,
    plane_shape=(3, 8, 8),
    adapt=adapt,
    opening_plies=2,
)
