"""Othello: put a disc so that it encloses a line of the other's discs between two of yours; they turn over. Who cannot,
passes; when neither can, most discs win.

Sixty-four cells are one more than a number has bits here, so a set of cells is a pair of numbers, the upper and the
lower four rows. A step in any direction is a shift of both; what falls out of one half goes into the other.

    upper   row 1 .. 4: bit = 8 * (row - 1) + column         action = 8 * row + column, as read; 64 passes
    lower   row 5 .. 8

Lines are followed with a few shifts for all cells at once ("dumb7fill").
"""

from typing import NamedTuple

from hansu.core import Game, lowest, next_bit, pick, popcount, random_bit, rules
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text

HALF = (1 << 32) - 1
NOT_LEFT = 0xFEFEFEFE  # all columns but the left one, of a half
NOT_RIGHT = 0x7F7F7F7F
PASS = 64


class Othello(NamedTuple):
    first: tuple[int, int]  # black, who begins: the upper and the lower half
    second: tuple[int, int]
    turn: int


def stepped(cells, across, down):
    """A set of cells, one step in a direction."""
    upper, lower = cells
    if across > 0:
        upper, lower = (upper & NOT_RIGHT) << 1, (lower & NOT_RIGHT) << 1
    elif across < 0:
        upper, lower = (upper & NOT_LEFT) >> 1, (lower & NOT_LEFT) >> 1
    if down > 0:
        upper, lower = upper << 8 & HALF, lower << 8 & HALF | upper >> 24
    elif down < 0:
        upper, lower = upper >> 8 | (lower & 255) << 24, lower >> 8
    return upper, lower


def beside(cells, theirs, across, down):
    """The cells of theirs that follow in a line upon some cells in a direction."""
    found = (0, 0)
    for _ in range(6):
        upper, lower = stepped((cells[0] | found[0], cells[1] | found[1]), across, down)
        found = (upper & theirs[0], lower & theirs[1])
    return found


def legal_cells(mine, theirs):
    upper, lower = 0, 0
    for way in range(9):
        across, down = way % 3 - 1, way // 3 - 1
        if way != 4:
            found = beside(mine, theirs, across, down)
            end = stepped(found, across, down)
            upper |= end[0]
            lower |= end[1]
    return upper & ~(mine[0] | theirs[0]), lower & ~(mine[1] | theirs[1])


def sides(s):
    return (s.first, s.second) if s.turn == 0 else (s.second, s.first)


def free(s):
    mine, theirs = sides(s)
    return legal_cells(mine, theirs)


def legal(s, a):
    upper, lower = free(s)
    if a == PASS:
        return upper == 0 and lower == 0
    return 0 <= a < 64 and (upper >> a if a < 32 else lower >> a - 32) & 1 == 1


def next_action(s, after):
    upper, lower = free(s)
    if upper == 0 and lower == 0:
        return PASS if after < PASS else -1
    found = next_bit(upper, after) if after < 31 else -1
    if found < 0:
        found = next_bit(lower, max(after, 31) - 32)
        found = found + 32 if found >= 0 else -1
    return found


def random_action(s, seed):
    upper, lower = free(s)
    some = popcount(upper)
    count = some + popcount(lower)
    if count == 0:
        return PASS
    return random_bit(upper, seed) if pick(seed, count) < some else 32 + random_bit(lower, seed)


def play(s, a):
    if a == PASS:
        return Othello(s.first, s.second, 1 - s.turn)
    mine, theirs = sides(s)
    disc = (1 << a, 0) if a < 32 else (0, 1 << a - 32)
    upper, lower = disc
    for way in range(9):
        across, down = way % 3 - 1, way // 3 - 1
        if way != 4:
            found = beside(disc, theirs, across, down)
            end = stepped(found, across, down)
            if end[0] & mine[0] or end[1] & mine[1]:
                upper |= found[0]
                lower |= found[1]
    mine = (mine[0] | upper, mine[1] | lower)
    theirs = (theirs[0] & ~upper, theirs[1] & ~lower)
    return Othello(mine, theirs, 1) if s.turn == 0 else Othello(theirs, mine, 0)


def over(s):
    mine, theirs = sides(s)
    if legal_cells(mine, theirs) != (0, 0):
        return False
    return legal_cells(theirs, mine) == (0, 0)


def discs(cells):
    return popcount(cells[0]) + popcount(cells[1])


def score(s):
    difference = discs(s.first) - discs(s.second)
    return 1 if difference > 0 else -1 if difference < 0 else 0


CORNERS = (1 << 0 | 1 << 7, 1 << 24 | 1 << 31)


def evaluate(s):
    """Corners, and how many moves each has."""
    first, second = legal_cells(s.first, s.second), legal_cells(s.second, s.first)
    corners = popcount(s.first[0] & CORNERS[0]) + popcount(s.first[1] & CORNERS[1])
    corners -= popcount(s.second[0] & CORNERS[0]) + popcount(s.second[1] & CORNERS[1])
    return corners / 8 + (discs(first) - discs(second)) / 128


def mover(s):
    return s.turn


def turned_cell(a, k):
    row, column = a // 8, a % 8
    if k & 1:
        column = 7 - column
    if k & 2:
        row = 7 - row
    if k & 4:
        row, column = column, row
    return 8 * row + column


def turned(cells, k):
    upper, lower = 0, 0
    for half in range(2):
        left = cells[1] if half else cells[0]
        while left:
            to = turned_cell(32 * half + lowest(left), k)
            left &= left - 1
            if to < 32:
                upper |= 1 << to
            else:
                lower |= 1 << to - 32
    return upper, lower


def symmetric(s, k):
    return Othello(turned(s.first, k), turned(s.second, k), s.turn)


def symmetric_action(s, a, k):
    return turned_cell(a, k) if a < PASS else PASS


def planes(s, out):
    """out[0] the mover's discs, out[1] the other's."""
    mine, theirs = sides(s)
    for a in range(64):
        out[0, a // 8, a % 8] = (mine[0] >> a if a < 32 else mine[1] >> a - 32) & 1
        out[1, a // 8, a % 8] = (theirs[0] >> a if a < 32 else theirs[1] >> a - 32) & 1


rules(
    Othello, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=PASS + 1,
)  # fmt: skip


def start():
    return Othello((1 << 28, 1 << 3), (1 << 27, 1 << 4), 0)  # e4, d5; d4, e5


def move_text(s, a):
    return "pass" if a == PASS else f"{'abcdefgh'[a % 8]}{a // 8 + 1}"


def middle(a):
    return a % 8 + 1.0, a // 8 + 1.0


def look(position):
    s = position.state
    shapes = [Cell(0.5, 0.5, "good", 8, 8)]
    for i in range(9):
        shapes += [Line(i + 0.5, 0.5, i + 0.5, 8.5), Line(0.5, i + 0.5, 8.5, i + 0.5)]
    for a in range(64):
        first, second = ((side[0] >> a if a < 32 else side[1] >> a - 32) & 1 for side in (s.first, s.second))
        if first or second:
            shapes.append(Stone(*middle(a), "black" if first else "white", "X" if first else "O"))
    shapes += [Text(i + 1, 8.75, "abcdefgh"[i], "quiet", 0.25) for i in range(8)]
    shapes += [Text(0.25, i + 1, str(i + 1), "quiet", 0.25) for i in range(8)]
    shapes += [Text(2.5, 9.4, str(discs(s.first))), Stone(1.8, 9.4, "black", "X", 0.25)]
    shapes += [Text(6.5, 9.4, str(discs(s.second))), Stone(5.8, 9.4, "white", "O", 0.25)]
    if position.last is not None and position.last < PASS:
        shapes.append(Mark(*middle(position.last)))
    return Scene(9, 10, tuple(shapes), "othello")


def touch(s, a):
    return (middle(a),) if a < PASS else ((4.5, 9.4),)


GAME = Game(
    name="othello",
    title={"en": "Othello", "ko": "오셀로"},
    about={"en": "enclose discs and turn them over; most discs win", "ko": "상대 돌을 사이에 끼워 뒤집는다"},
    state=Othello,
    start=start,
    move_text=move_text,
    look=look,
    touch=touch,
    tones=("black", "white"),
    seats=("black", "white"),
    symmetries=8,
    plane_shape=(2, 8, 8),
    opening_plies=4,
)
