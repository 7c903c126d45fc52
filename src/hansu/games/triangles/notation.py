"""Moves and results as text: points are named A, B, C, ... in the board's order, and a segment is `A-C`."""

from __future__ import annotations

import re

from hansu.core import Position, table
from hansu.games.triangles.geometry import Point
from hansu.games.triangles.rules import (
    ENDS_AT,
    HEAD,
    POINTS,
    POINTS_AT,
    RECORD,
    SEGMENTS,
    Triangles,
    has,
    legal,
    points_each,
)

LETTERS = "ABCDEFGHIJKLMNOPQRST"


def board_points(s: Triangles) -> list[Point]:
    """The points of the board."""
    words = table(s.board)
    at = words[POINTS_AT]
    return [(words[at + 2 * i], words[at + 2 * i + 1]) for i in range(words[POINTS])]


def ends(s: Triangles, e: int) -> tuple[int, int]:
    """The numbers of the two points of a segment."""
    word = table(s.board)[table(s.board)[ENDS_AT] + e]
    return word & 255, word >> 8


def segment_number(s: Triangles, i: int, j: int) -> int:
    """The segment between two points, or -1 if there is a point between them."""
    words = table(s.board)
    at = words[ENDS_AT]
    pair = min(i, j) | max(i, j) << 8
    return next((e for e in range(words[SEGMENTS]) if words[at + e] == pair), -1)


def move_text(s: Triangles, a: int) -> str:
    i, j = ends(s, a)
    return f"{LETTERS[i]}-{LETTERS[j]}"


def read_move(s: Triangles, text: str) -> int | None:
    """The segment of a text like `A-C`, `C-A` or `ac`; None if it is not a legal one."""
    letters = re.fullmatch(r"([A-Ta-t])-?([A-Ta-t])", text)
    if letters is None:
        return None
    e = segment_number(s, *(LETTERS.index(letter.upper()) for letter in letters.groups()))
    return e if e >= 0 and legal(s, e) else None


def corners_completed(s: Triangles, e: int) -> list[tuple[int, ...]]:
    """The corners of each triangle that drawing e completes."""
    words = table(s.board)
    own = ends(s, e)
    triangles = []
    for at in range(words[HEAD + RECORD * e + 4], words[HEAD + RECORD * e + 9]):
        sides = words[at] & 255, words[at] >> 8
        if all(has(s.drawn, side) for side in sides):
            triangles.append(tuple(sorted({*own, *ends(s, sides[0])})))
    return triangles


def owned_triangles(position: Position) -> list[tuple[int, tuple[int, ...]]]:
    """(owner, corners) of every triangle scored since the start of the game."""
    triangles = []
    at = position
    while at.previous is not None:
        before: Triangles = at.previous.state
        triangles += [(before.turn, corners) for corners in corners_completed(before, at.last)]
        at = at.previous
    return triangles[::-1]


def count_text(s: Triangles) -> str:
    """The triangles of both sides, the winner's first."""
    points = points_each(s)
    return f"{max(points)} : {min(points)}"
