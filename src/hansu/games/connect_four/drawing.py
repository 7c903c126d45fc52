"""The board as a scene."""

from __future__ import annotations

from typing import Any

from hansu.core import Position, popcount
from hansu.games.connect_four.rules import ConnectFour, four
from hansu.scene import Cell, Mark, Scene, Stone, Text


def look(position: Position) -> Scene:
    s: ConnectFour = position.state
    width, height = popcount(s.bottom), s.height
    x, o = (s.mine, s.theirs) if position.mover == 0 else (s.theirs, s.mine)
    shapes: list[Any] = [Cell(0.5, 0.5, "board", width, height)]
    winning = winning_stones(s.theirs, height)
    for column in range(width):
        cx = column + 1.0
        for row in range(height):
            cy, bit = height - row, 1 << column * (height + 1) + row
            if x & bit:
                shapes.append(Stone(cx, cy, "first", "X"))
            elif o & bit:
                shapes.append(Stone(cx, cy, "yellow", "O"))
            else:
                shapes.append(Stone(cx, cy, "hole", "."))
            if winning & bit:
                shapes.append(Mark(cx, cy, "good"))
        shapes.append(Text(cx, height + 0.85, str(column + 1), "quiet", 0.3))
    if position.last is not None and not winning:
        top = (x | o) >> position.last * (height + 1) & (1 << height) - 1
        shapes.append(Mark(position.last + 1.0, height - top.bit_length() + 1))
    return Scene(width + 1, height + 1.25, tuple(shapes), "connect four")


def touch(s: ConnectFour, a: int) -> tuple[tuple[float, float], ...]:
    """The cell where the stone lands."""
    stones = (s.mine | s.theirs) >> a * (s.height + 1) & (1 << s.height) - 1
    return ((a + 1.0, s.height - stones.bit_length()),)


def winning_stones(stones: int, height: int) -> int:
    """The stones of all lines of four."""
    if not four(stones, height):
        return 0
    winning = 0
    for d in (1, height, height + 1, height + 2):
        pairs = stones & stones >> d
        feet = pairs & pairs >> 2 * d
        winning |= feet | feet << d | feet << 2 * d | feet << 3 * d
    return winning
