"""Othello: place a disc so that it encloses lines of the opponent's discs, which are then flipped. A player who cannot
do so passes. When both must pass, most discs win.

The board has 64 cells, one more than an integer of a state can hold, so `wide` provides bit sets of two words. Shifts
follow lines for all cells at once ("dumb7fill").

    bit = action = 8 * row + column; action 64 is a pass
"""

from typing import NamedTuple

from hansu.core import (
    Bits,
    Game,
    bit,
    has_bit,
    next_bit,
    popcount,
    random_bit,
    rules,
    shifted,
    turned_board,
    turned_cell,
    wide,
)  # fmt: skip
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text

STEPS = (-9, -8, -7, -1, 1, 7, 8, 9)
INNER = wide(64, 0x7E7E7E7E7E7E7E7E)  # all columns but the outer two, so that lines do not wrap around
FULL = wide(64, (1 << 64) - 1)
CORNERS = wide(64, 1 << 0 | 1 << 7 | 1 << 56 | 1 << 63)
PASS = 64


class Othello(NamedTuple):
    first: Bits  # black, moves first
    second: Bits
    turn: int


def beside(cells, theirs, step):
    """Their discs that follow `cells` without a gap in one direction."""
    within = theirs if step % 8 == 0 else theirs & INNER
    found = shifted(cells, step) & within
    for _ in range(5):
        found |= shifted(found, step) & within
    return found


def legal_cells(mine, theirs):
    found = mine & ~mine
    for step in STEPS:
        found |= shifted(beside(mine, theirs, step), step)
    return found & FULL & ~(mine | theirs)


def sides(s):
    return (s.first, s.second) if s.turn == 0 else (s.second, s.first)


def free(s):
    mine, theirs = sides(s)
    return legal_cells(mine, theirs)


def legal(s, a):
    return not free(s) if a == PASS else 0 <= a < 64 and has_bit(free(s), a)


def next_action(s, after):
    cells = free(s)
    if cells:
        return next_bit(cells, after)
    return PASS if after < PASS else -1


def random_action(s, seed):
    cells = free(s)
    return random_bit(cells, seed) if cells else PASS


def play(s, a):
    if a == PASS:
        return Othello(s.first, s.second, 1 - s.turn)
    mine, theirs = sides(s)
    disc = turned = bit(mine, a)
    for step in STEPS:  # flip discs that follow the new disc and, from the other end, one of mine
        turned |= beside(disc, theirs, step) & beside(mine, theirs, -step)
    mine, theirs = mine | turned, theirs & ~turned
    return Othello(mine, theirs, 1) if s.turn == 0 else Othello(theirs, mine, 0)


def over(s):
    mine, theirs = sides(s)
    return not legal_cells(mine, theirs) and not legal_cells(theirs, mine)


def score(s):
    difference = popcount(s.first) - popcount(s.second)
    return 1 if difference > 0 else -1 if difference < 0 else 0


def evaluate(s):
    """Corners and mobility."""
    corners = popcount(s.first & CORNERS) - popcount(s.second & CORNERS)
    moves = popcount(legal_cells(s.first, s.second)) - popcount(legal_cells(s.second, s.first))
    return corners / 8 + moves / 128


def mover(s):
    return s.turn


def symmetric(s, k):
    return Othello(turned_board(s.first, 8, 8, k), turned_board(s.second, 8, 8, k), s.turn)


def symmetric_action(s, a, k):
    return turned_cell(a, 8, 8, k) if a < PASS else PASS


def planes(s, out):
    """out[0]: the mover's discs; out[1]: the opponent's."""
    mine, theirs = sides(s)
    for a in range(64):
        out[0, a // 8, a % 8] = has_bit(mine, a)
        out[1, a // 8, a % 8] = has_bit(theirs, a)


rules(
    Othello, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, evaluate=evaluate, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=PASS + 1,
)  # fmt: skip


def start():
    return Othello(wide(64, 1 << 28 | 1 << 35), wide(64, 1 << 27 | 1 << 36), 0)  # e4, d5; d4, e5


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
        if has_bit(s.first | s.second, a):
            first = has_bit(s.first, a)
            shapes.append(Stone(*middle(a), "black" if first else "white", "X" if first else "O"))
    shapes += [Text(i + 1, 9, "abcdefgh"[i], "quiet", 0.25) for i in range(8)]
    shapes += [Text(0.25, i + 1, str(i + 1), "quiet", 0.25) for i in range(8)]
    shapes += [Text(2.5, 9.6, str(popcount(s.first))), Stone(1.8, 9.6, "black", "X", 0.25)]
    shapes += [Text(6.5, 9.6, str(popcount(s.second))), Stone(5.8, 9.6, "white", "O", 0.25)]
    if position.last is not None and position.last < PASS:
        shapes.append(Mark(*middle(position.last)))
    return Scene(9, 10, tuple(shapes), "othello")


def touch(s, a):
    return (middle(a),) if a < PASS else ((4.5, 9.6),)


GAME = Game(
    name="othello",
    title={"en": "Othello", "ko": "오셀로"},
    about={"en": "enclose discs to flip them; most discs win", "ko": "상대 돌을 사이에 끼워 뒤집는다"},
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
