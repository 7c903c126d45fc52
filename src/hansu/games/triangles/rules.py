"""The rules: players take turns to join two points; the third side of an empty triangle scores it.

The drawable segments of a board are numbered, and a state has masks of them, with 48 bits per word:

    segment e  ->  bit e % 48 of word e // 48          4 words: 192 bits, enough for the 190 segments of 20 points

The geometry is in the board's table:

    word 0               segments          word 1   points          word 2   moves of a whole game
    word 3               triangles of a whole game    4   offset of the segments' ends    5   offset of the points
    8 + 5*e .. +3        mask of the segments that drawing e excludes: those it crosses, and e itself
    8 + 5*e + 4          offset of the triangles of e (they end where those of e + 1 start)
    ...                  a triangle of e, one word: its two other sides, e1 | e2 << 8
    ends:                one word per segment, point1 | point2 << 8
    points:              two words per point, x and y

Every game on a board ends with a triangulation of its points. With n points, h of them on the boundary of the convex
hull, it has 3n - 3 - h segments and 2n - 2 - h triangles (Euler's formula). So the length of the game, its last mover
and the sum of both scores are known from the start. (With all points on one line: n - 1 segments, no triangle.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.core import item, lowest, mix, next_bit, pick, popcount, rules, table

BITS = 48
WORDS = 4
MOST_POINTS = 20
SEGMENTS, POINTS, MOVES, TRIANGLES, ENDS_AT, POINTS_AT = range(6)
HEAD = 8
RECORD = 5

Mask = tuple[int, int, int, int]


class Triangles(NamedTuple):
    drawn: Mask
    free: Mask  # segments that may still be drawn
    lead: int  # player 0's triangles minus player 1's
    turn: int
    board: int  # handle of the board's table


def has(mask: Mask, e: int) -> int:
    """1 if the mask contains segment e, else 0."""
    w = e // BITS
    return item(mask, w) >> (e - w * BITS) & 1


def completed(board: Any, drawn: Mask, e: int) -> int:
    """The number of triangles that segment e completes: 0, 1 or 2."""
    count = 0
    for i in range(board[HEAD + RECORD * e + 4], board[HEAD + RECORD * e + 9]):
        count += has(drawn, board[i] & 255) & has(drawn, board[i] >> 8)
    return count


def legal(s: Triangles, a: int) -> bool:
    return 0 <= a < BITS * WORDS and has(s.free, a) == 1


def play(s: Triangles, a: int) -> Triangles:
    board = table(s.board)
    at = HEAD + RECORD * a
    d, f = s.drawn, s.free
    w = a // BITS
    bit = 1 << (a - w * BITS)
    drawn = (
        d[0] | (bit if w == 0 else 0),
        d[1] | (bit if w == 1 else 0),
        d[2] | (bit if w == 2 else 0),
        d[3] | (bit if w == 3 else 0),
    )
    free = (f[0] & ~board[at], f[1] & ~board[at + 1], f[2] & ~board[at + 2], f[3] & ~board[at + 3])
    gain = completed(board, d, a)
    return Triangles(drawn, free, s.lead + (-gain if s.turn else gain), 1 - s.turn, s.board)


def over(s: Triangles) -> bool:
    f = s.free
    return f[0] | f[1] | f[2] | f[3] == 0


def score(s: Triangles) -> int:
    return s.lead


def evaluate(s: Triangles) -> float:
    return float(s.lead)


def mover(s: Triangles) -> int:
    return s.turn


def next_action(s: Triangles, after: int) -> int:
    w = (after + 1) // BITS
    before = after - w * BITS
    while w < WORDS:
        bit = next_bit(item(s.free, w), before)
        if bit >= 0:
            return w * BITS + bit
        before = -1
        w += 1
    return -1


def count_bits(mask: Mask) -> int:
    """The number of segments in a mask."""
    return popcount(mask[0]) + popcount(mask[1]) + popcount(mask[2]) + popcount(mask[3])


def random_action(s: Triangles, seed: Any) -> int:
    skip = pick(seed, count_bits(s.free))
    for w in range(WORDS):
        word = item(s.free, w)
        count = popcount(word)
        if skip < count:
            while skip > 0:
                word &= word - 1
                skip -= 1
            return w * BITS + lowest(word)
        skip -= count
    return -1


def key(s: Triangles) -> int:
    """Ignores the free segments, which follow from the drawn ones, and the handle, which differs between processes."""
    return mix((s.drawn, s.lead, s.turn))


rules(
    Triangles, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover,
    evaluate=evaluate, random_action=random_action, key=key, action_count=BITS * WORDS,
)  # fmt: skip


def triangles_drawn(s: Triangles) -> int:
    """The number of triangles of both players together."""
    board = table(s.board)
    sides = sum(completed(board, s.drawn, e) for e in range(board[SEGMENTS]) if has(s.drawn, e))
    return sides // 3  # each triangle was counted at its three sides


def points_each(s: Triangles) -> tuple[int, int]:
    """The triangles of player 0 and of player 1."""
    both = triangles_drawn(s)
    return (both + s.lead) // 2, (both - s.lead) // 2
