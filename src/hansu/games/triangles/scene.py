"""The board as a scene."""

from __future__ import annotations

from typing import Any

from hansu.core import Position, labels, table
from hansu.games.triangles.notation import LETTERS, board_points, ends, owned_triangles
from hansu.games.triangles.rules import SEGMENTS, Triangles, has, points_each
from hansu.scene import Cell, Line, Mark, Polygon, Scene, Stone, Text

FINEST_GRID = 30  # larger grids are drawn without their empty points


def places(s: Triangles) -> list[tuple[float, float]]:
    """The place of each point in the scene. y grows upwards on the board, downwards in the scene."""
    size = grid_size(s)
    margin = scale(size)
    return [(x + margin, size - 1 - y + margin) for x, y in board_points(s)]


def scale(size: int) -> float:
    """The size of points, lines and texts, larger on fine grids."""
    return max(1.0, size / 12)


def grid_size(s: Triangles) -> int:
    """The side length of the grid."""
    return int(labels(s.board)[0])


def touch(s: Triangles, a: int) -> tuple[tuple[float, float], ...]:
    at = places(s)
    i, j = ends(s, a)
    return at[i], at[j]


def look(position: Position) -> Scene:
    s: Triangles = position.state
    points, at, size = board_points(s), places(s), grid_size(s)
    large = scale(size)
    width = height = size - 1 + 2 * large
    shapes: list[Any] = [Cell(0.3 * large, 0.65 * large, "board", width - 0.6 * large, height - 0.95 * large)]
    if size <= FINEST_GRID:
        shapes += [
            Text(x + large, y + large, "·", "faint", 0.3)
            for x in range(size) for y in range(size) if (x, size - 1 - y) not in points
        ]  # fmt: skip
    for owner, corners in owned_triangles(position):
        shapes.append(Polygon(tuple(at[i] for i in corners), "second" if owner else "first"))
    for e in range(table(s.board)[SEGMENTS]):
        if has(s.drawn, e):
            i, j = ends(s, e)
            latest = e == position.last
            shapes.append(Line(*at[i], *at[j], "last" if latest else "line", (0.12 if latest else 0.06) * large))
    if position.last is not None:
        for i in ends(s, position.last):
            shapes.append(Mark(*at[i], size=0.3 * large))
    shapes += [Stone(*at[i], "black", LETTERS[i], 0.2 * large, drawn=True) for i in range(len(points))]
    first, second = points_each(s)
    shapes.append(Text(width / 2, 0.35 * large, f"{first} : {second}", size=0.35 * large, bold=True))
    return Scene(width, height, tuple(shapes), "triangles")
