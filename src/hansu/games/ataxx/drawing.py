"""The board as a scene: gaps are dark, the last move has a ring, the square a jump left has a small mark."""

from __future__ import annotations

from typing import Any

from hansu.core import Message, Position
from hansu.games.ataxx.rules import PASS, SQUARES, STEP, Ataxx
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text


def place(square: int) -> tuple[float, float]:
    """The centre of a square in the scene."""
    return 1.5 + square // 7, 7 - square % 7


def touch(s: Ataxx, a: int) -> tuple[tuple[float, float], ...]:
    """For a single its target, for a double the piece and the target, for a pass nothing."""
    if a == PASS:
        return ()
    d, target = divmod(a, SQUARES)
    return (place(target - STEP[d]), place(target)) if d else (place(target),)


def squares(s: Ataxx) -> list[tuple[float, float, str]]:
    """The centre of every square and its FEN letter."""
    x, o = (s.theirs, s.mine) if s.turns & 1 else (s.mine, s.theirs)
    letters = ["x" if x >> q & 1 else "o" if o >> q & 1 else "-" if s.gaps >> q & 1 else "." for q in range(SQUARES)]
    return [(*place(q), letter) for q, letter in enumerate(letters)]


def look(position: Position) -> Scene:
    s: Ataxx = position.state
    x, o = (s.theirs, s.mine) if position.mover else (s.mine, s.theirs)
    shapes: list[Any] = [Cell(1, 0.5, "board", 7, 7)]
    shapes += [Cell(1 + q // 7, 6.5 - q % 7, "hole") for q in range(SQUARES) if s.gaps >> q & 1]
    for i in range(8):
        shapes += [Line(1 + i, 0.5, 1 + i, 7.5), Line(1, 0.5 + i, 8, 0.5 + i)]
    for i in range(7):
        shapes += [Text(1.5 + i, 8, "abcdefg"[i], "quiet"), Text(0.5, 7 - i, str(i + 1), "quiet")]
    for square in range(SQUARES):
        cx, cy = place(square)
        if x >> square & 1:
            shapes.append(Stone(cx, cy, "first", "x"))
        elif o >> square & 1:
            shapes.append(Stone(cx, cy, "second", "o"))
        elif s.gaps >> square & 1:
            shapes.append(Text(cx, cy, "-", "quiet"))
    if position.last is not None and position.last != PASS:
        d, target = divmod(position.last, SQUARES)
        shapes.append(Mark(*place(target)))
        if d:
            shapes.append(Mark(*place(target - STEP[d]), "faint", 0.2))
    caption = Message(
        "{first} {x}  {second} {o}  clock {halfmoves}",
        first=position.game.seats[0],
        x=x.bit_count(),
        second=position.game.seats[1],
        o=o.bit_count(),
        halfmoves=s.halfmove,
    )
    shapes.append(Text(4.5, 8.6, caption, "quiet", 0.3))
    return Scene(8.5, 9, tuple(shapes), "Ataxx")
