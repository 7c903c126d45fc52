"""Renders scenes as text: a grid of characters, with colours if the terminal supports them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import floor

from hansu.scene.palette import ground, ink
from hansu.scene.scene import Cell, Group, Heat, Line, Mark, Polygon, Scene, Shape, Stone, Text

_GRID = "─│┼├┤┬┴┌┐└┘"
EMPTY = f" ·{_GRID}"  # characters of an empty board
LETTER, MARK, GRID = 4.5, 3.0, 2.0  # minimum contrast with the background
_FILLING = {"wall": "█", "hole": "▒"}  # tones that must be distinguishable without colour


@dataclass
class _Spot:
    """One character of the grid, with the tones of its text and its background."""

    char: str = " "
    tone: str = ""
    ground: str = ""
    bold: bool = False


def ansi(scene: Scene, *, color: bool = True) -> str:
    """The scene as lines of text. Without colour, only the glyphs distinguish pieces."""
    across, down = scene.grain
    columns, rows = round(scene.width * across), round(scene.height * down)
    grid = [[_Spot() for _ in range(columns)] for _ in range(rows)]

    def spot(x: float, y: float) -> _Spot:
        column, row = min(int(x * across), columns - 1), min(int(y * down), rows - 1)
        return grid[max(row, 0)][max(column, 0)]

    shapes = list(_flat(scene.shapes))
    # A line on the right or lower edge of a cell is drawn on the cell's background, since characters have a width.
    lines_to = {int(max(line.x1, line.x2) * across) for line in shapes if isinstance(line, Line)}
    lines_down_to = {int(max(line.y1, line.y2) * down) for line in shapes if isinstance(line, Line)}
    for shape in shapes:
        match shape:
            case Cell(x, y, tone, width, height):
                left, right = (floor(at * across + 0.5) for at in (x, x + width))
                top, bottom = (floor(at * down + 0.5) for at in (y, y + height))
                for row in range(top, min(bottom + (bottom in lines_down_to), rows)):
                    for column in range(left, min(right + (right in lines_to), columns)):
                        grid[row][column] = _Spot(_FILLING.get(tone, " "), tone, tone)
            case Line():
                _draw_line(grid, shape, across, down)
            case Polygon(points, tone):
                center_x = sum(x for x, _ in points) / len(points)
                center_y = sum(y for _, y in points) / len(points)
                spot(center_x, center_y).char = "▲"
                spot(center_x, center_y).tone = tone
            case Stone(x, y, tone, glyph):
                place = spot(x, y)
                place.char, place.tone, place.bold = glyph, tone, True
            case Mark(x, y, tone):
                for dx, char in ((-1, "["), (1, "]")):
                    place = spot(x + dx / across, y)
                    place.char, place.tone = char, tone
            case Heat(x, y, share, _):
                place = spot(x, y)
                if place.char in EMPTY:
                    place.char, place.tone = "░▒▓█"[min(int(share * 4), 3)], "heat"
            case Text():
                _write(grid, shape, across, down)
    lines = ["".join(place.char for place in row) if not color else _painted(row) for row in grid]
    return "\n".join(line.rstrip() if not color else line for line in lines)


def _flat(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, Group):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _draw_line(grid: list[list[_Spot]], line: Line, across: int, down: int) -> None:
    rows, columns = len(grid), len(grid[0])
    x1, y1, x2, y2 = line.x1 * across, line.y1 * down, line.x2 * across, line.y2 * down
    steps = max(round(abs(x2 - x1)), round(abs(y2 - y1)), 1)
    if abs(y2 - y1) < 0.5:
        char = "─"
    elif abs(x2 - x1) < 0.5:
        char = "│"
    else:
        char = "\\" if (x2 - x1) * (y2 - y1) > 0 else "/"
    if line.dashed:
        char = "·"
    for i in range(steps + 1):
        column, row = int(x1 + (x2 - x1) * i / steps), int(y1 + (y2 - y1) * i / steps)
        if 0 <= row < rows and 0 <= column < columns:
            place = grid[row][column]
            crossing = {place.char, char} == {"─", "│"}
            place.char, place.tone = ("┼" if crossing else char), line.tone


def _write(grid: list[list[_Spot]], text: Text, across: int, down: int) -> None:
    cells = _cells(text.text)
    start = int(text.x * across)
    if text.anchor == "middle":
        start -= (len(cells) - 1) // 2
    elif text.anchor == "end":
        start -= len(cells) - 1
    row = min(max(int(text.y * down), 0), len(grid) - 1)
    for i, char in enumerate(cells):
        if 0 <= start + i < len(grid[row]):
            place = grid[row][start + i]
            place.char, place.tone, place.bold = char, text.tone, text.bold


def _cells(text: str) -> list[str]:
    """One entry per terminal column: a wide (Korean) character is followed by an empty one."""
    cells = []
    for char in text:
        cells.append(char)
        if unicodedata.east_asian_width(char) in "WF":
            cells.append("")
    return cells


def _painted(row: list[_Spot]) -> str:
    """The row with escape sequences. Neighbours of one style share one, so that animations stay small."""
    parts = []
    for style, places in groupby(row, key=_style):
        text = "".join(place.char for place in places)
        parts.append(f"\x1b[{style}m{text}\x1b[0m" if style else text)
    return "".join(parts)


def _style(place: _Spot) -> str:
    codes = []
    if place.bold and place.tone:
        codes.append("1")
    if place.tone and place.tone == place.ground:
        codes.append("38;2;{};{};{}".format(*ground(place.tone)))
    elif place.tone:
        least = LETTER if place.char.isalnum() else GRID if place.char in _GRID else MARK
        codes.append("38;2;{};{};{}".format(*ink(place.tone, place.ground or "sheet", least)))
    if place.ground:
        codes.append("48;2;{};{};{}".format(*ground(place.ground)))
    return ";".join(codes)
