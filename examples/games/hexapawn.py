"""Hexapawn: three pawns each on a 3 by 3 board. A pawn moves straight forward to an empty cell or captures diagonally
forward. Reaching the last row wins, and so does leaving the opponent without a move.

Martin Gardner invented it (Scientific American, March 1962) for a machine of 24 matchboxes that learns to win. The
second player wins.

    bit  6 7 8     the second player's side
         3 4 5
         0 1 2     the first player's side       action = cell * 3 + (0 left, 1 straight, 2 right), as drawn
"""

from typing import NamedTuple

from hansu.core import Game, rules
from hansu.scene import Cell, Mark, Scene, Stone, Text

FIRST_ROW, LAST_ROW = 0o007, 0o700


class Hexapawn(NamedTuple):
    first: int
    second: int
    turn: int


def target(s, a):
    """The cell that the pawn moves to, or -1 if the move is illegal."""
    cell, side = a // 3, a % 3 - 1
    mine, theirs = (s.first, s.second) if s.turn == 0 else (s.second, s.first)
    row, column = cell // 3 + (1 if s.turn == 0 else -1), cell % 3 + side
    if not mine >> cell & 1 or row < 0 or row > 2 or column < 0 or column > 2:
        return -1
    to = 3 * row + column
    if side == 0:
        return to if not (mine | theirs) >> to & 1 else -1
    return to if theirs >> to & 1 else -1


def legal(s, a):
    return 0 <= a < 27 and target(s, a) >= 0


def next_action(s, after):
    for a in range(after + 1, 27):
        if target(s, a) >= 0:
            return a
    return -1


def play(s, a):
    gone, to = ~(1 << a // 3), 1 << target(s, a)
    if s.turn == 0:
        return Hexapawn(s.first & gone | to, s.second & ~to, 1)
    return Hexapawn(s.first & ~to, s.second & gone | to, 0)


def over(s):
    return s.first & LAST_ROW != 0 or s.second & FIRST_ROW != 0 or next_action(s, -1) < 0


def score(s):  # the player who just moved has won
    return 1 if s.turn == 1 else -1


def mover(s):
    return s.turn


def mirrored(cells):
    return (cells & 0o111) << 2 | cells & 0o222 | (cells & 0o444) >> 2


def symmetric(s, k):
    return Hexapawn(mirrored(s.first), mirrored(s.second), s.turn) if k else s


def symmetric_action(s, a, k):
    cell, side = a // 3, a % 3
    return (3 * (cell // 3) + 2 - cell % 3) * 3 + 2 - side if k else a


def planes(s, out):
    """out[0]: the mover's pawns; out[1]: the opponent's; out[2]: all ones if the second player is to move."""
    for cell in range(9):
        out[s.turn, cell // 3, cell % 3] = s.first >> cell & 1
        out[1 - s.turn, cell // 3, cell % 3] = s.second >> cell & 1
        out[2, cell // 3, cell % 3] = s.turn


rules(
    Hexapawn, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover,
    symmetric=symmetric, symmetric_action=symmetric_action, planes=planes, action_count=27,
)  # fmt: skip


def start():
    return Hexapawn(FIRST_ROW, LAST_ROW, 0)


def name_of(cell):
    return f"{'abc'[cell % 3]}{cell // 3 + 1}"


def move_text(s, a):
    return name_of(a // 3) + name_of(target(s, a))


def middle(cell):
    return cell % 3 + 1.0, 3.0 - cell // 3


def look(position):
    s = position.state
    shapes = [Cell(c + 0.5, r + 0.5, "board" if (r + c) % 2 else "hole") for r in range(3) for c in range(3)]
    for cell in range(9):
        if s.first >> cell & 1:
            shapes.append(Stone(*middle(cell), "first", "X"))
        elif s.second >> cell & 1:
            shapes.append(Stone(*middle(cell), "second", "O"))
    shapes += [Text(c + 1, 3.75, "abc"[c], "quiet", 0.25) for c in range(3)]
    shapes += [Text(0.25, 3 - r, str(r + 1), "quiet", 0.25) for r in range(3)]
    if position.previous is not None:
        shapes.append(Mark(*middle(target(position.previous.state, position.last))))
    return Scene(4, 4, tuple(shapes), "hexapawn")


def touch(s, a):
    return (middle(a // 3), middle(target(s, a)))


GAME = Game(
    name="hexapawn",
    title={"en": "Hexapawn", "ko": "헥사폰"},
    about={"en": "three pawns each; reach the other side", "ko": "폰 세 개씩, 반대편에 닿으면 이긴다"},
    state=Hexapawn,
    start=start,
    move_text=move_text,
    look=look,
    touch=touch,
    symmetries=2,
    plane_shape=(3, 3, 3),
    small=True,
    opening_plies=1,
)
