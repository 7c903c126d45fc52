"""Hex (Piet Hein 1942, John Nash 1948): place a stone on any empty cell. The first player connects top and bottom, the
second left and right. There is no draw. Nash proved that the first player wins, but no winning strategy is known for
large boards.

    bit = row * size + column; each row is shifted right by half a cell:   0 1 2
    neighbours of a cell: left, right, above, above right,                  3 4 5
    below, below left                                                        6 7 8

A board of up to 7 by 7 fits into one integer. The usual 11 by 11 needs several words (`wide`), with the same rules.
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import (
    Bits,
    Game,
    Option,
    bit,
    has_bit,
    next_bit,
    popcount,
    random_bit,
    rules,
    turned_board,
    turned_cell,
    wide,
)  # fmt: skip
from hansu.scene import Mark, Polygon, Scene, Stone, Text

LETTERS = "abcdefghijk"
HIGH = 0.866  # height of a row


class Hex(NamedTuple):
    first: int | Bits  # top to bottom
    second: int | Bits  # left to right
    left: int | Bits  # the left column; its type is the board's
    won: int  # 1: the player who just moved has won
    size: int


def joins(stones, left, size, down):
    """Do these stones connect top and bottom (or left and right)? A flood fill from one edge."""
    right, row = left << size - 1, bit(left, size) - 1
    begin, end = (row, row << size * (size - 1)) if down else (left, right)
    wet = stones & begin
    while not wet & end:
        inner, outer = wet & ~right, wet & ~left
        more = wet << size | wet >> size | inner << 1 | outer >> 1 | inner >> size - 1 | outer << size - 1
        more = more & stones | wet
        if more == wet:
            return False
        wet = more
    return True


def free(s):
    return bit(s.left, s.size * s.size) - 1 & ~(s.first | s.second)


def legal(s, a):
    return 0 <= a < s.size * s.size and has_bit(free(s), a)


def next_action(s, after):
    return next_bit(free(s), after)


def random_action(s, seed):
    return random_bit(free(s), seed)


def mover(s):
    return popcount(s.first | s.second) & 1


def play(s, a):
    if mover(s) == 0:
        first = s.first | bit(s.first, a)
        return Hex(first, s.second, s.left, int(joins(first, s.left, s.size, True)), s.size)
    second = s.second | bit(s.second, a)
    return Hex(s.first, second, s.left, int(joins(second, s.left, s.size, False)), s.size)


def over(s):
    return s.won == 1


def score(s):
    return 1 if mover(s) == 1 else -1


HALF_TURN = 3  # rotation by 180 degrees in `turned_board`: each player keeps the same edges


def symmetric(s, k):
    half = HALF_TURN * k
    first, second = turned_board(s.first, s.size, s.size, half), turned_board(s.second, s.size, s.size, half)
    return Hex(first, second, s.left, s.won, s.size)


def symmetric_action(s, a, k):
    return turned_cell(a, s.size, s.size, HALF_TURN * k)


def planes(s, out):
    """out[0]: the mover's stones; out[1]: the opponent's; out[2]: all ones if the second player is to move."""
    turn = mover(s)
    for a in range(s.size * s.size):
        out[turn, a // s.size, a % s.size] = has_bit(s.first, a)
        out[1 - turn, a // s.size, a % s.size] = has_bit(s.second, a)
        out[2, a // s.size, a % s.size] = turn


def action_count(s):
    return s.size * s.size


rules(
    Hex, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes, action_count=action_count,
)  # fmt: skip


def start(size):
    nothing, left = wide(size * size), wide(size * size, sum(1 << size * row for row in range(size)))
    return Hex(nothing, nothing, left, 0, size)


def move_text(s, a):
    return f"{LETTERS[a % s.size]}{a // s.size + 1}"


def middle(size, a):
    row, column = a // size, a % size
    return column + row / 2 + 1.5, HIGH * row + 1.2


def look(position):
    s, shapes = position.state, []
    corners = [(0, -0.577), (0.5, -0.289), (0.5, 0.289), (0, 0.577), (-0.5, 0.289), (-0.5, -0.289)]
    for a in range(s.size * s.size):
        x, y = middle(s.size, a)
        edge = a < s.size or a >= s.size * (s.size - 1)
        tone = "hole" if edge or a % s.size in (0, s.size - 1) else "board"
        shapes.append(Polygon(tuple((x + 0.97 * dx, y + 0.97 * dy) for dx, dy in corners), tone))
        shapes.append(Text(x, y, "·", "quiet", 0.2))
        if has_bit(s.first, a):
            shapes.append(Stone(x, y, "first", "X", 0.36))
        elif has_bit(s.second, a):
            shapes.append(Stone(x, y, "second", "O", 0.36))
    for i in range(s.size):
        shapes.append(Text(i + 1.2, 0.4, LETTERS[i], "first", 0.28))
        shapes.append(Text(i / 2 + 0.7, HIGH * i + 1.2, str(i + 1), "second", 0.28))
    if position.last is not None:
        shapes.append(Mark(*middle(s.size, position.last), size=0.4))
    return Scene(1.5 * s.size + 1.5, HIGH * s.size + 1.2, tuple(shapes), "hex", grain=(4, 2))


def touch(s, a):
    return (middle(s.size, a),)


def adapt(game):
    return replace(game, plane_shape=(3, game.option("size"), game.option("size")), small=game.option("size") <= 3)


GAME = Game(
    name="hex",
    title={"en": "Hex", "ko": "헥스"},
    about={"en": "join your two edges", "ko": "자기 편 두 변을 돌로 이으면 이긴다"},
    state=Hex,
    start=start,
    options=(Option("size", int, 5, "cells on a side", low=2, high=len(LETTERS)),),
    move_text=move_text,
    look=look,
    touch=touch,
    symmetries=2,
    plane_shape=(3, 5, 5),
    adapt=adapt,
    opening_plies=2,
)
