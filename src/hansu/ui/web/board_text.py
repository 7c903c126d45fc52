"""A board in words, for screen readers: the squares of each seat's pieces.

Pieces are read from the scene. A square is named like its move if the first position has a move for every square, else
by column and row: `c4`; or `4/2`, the second from below in column 4, if stones fall.
"""

from __future__ import annotations

from collections.abc import Mapping

from hansu.core import Game
from hansu.scene import Scene, Stone

Point = tuple[float, float]


def pieces(names: Mapping[Point, str], tones: tuple[str, str], scene: Scene) -> list[list[str]] | None:
    """The squares of both seats' pieces; None if a piece does not lie on a named square."""
    if not names:
        return None
    squares: list[list[str]] = [[], []]
    for shape in scene.shapes:
        if isinstance(shape, Stone) and shape.tone in tones:
            name = names.get((float(shape.x), float(shape.y)))
            if name is None:
                return None
            squares[tones.index(shape.tone)].append(name)
    return squares


def square_names(game: Game) -> dict[Point, str]:
    """The names of a board's squares by their centres; empty for a game without squares."""
    if game.touch is None or game.controls.keys or game.look is None:
        return {}
    first = game.first
    touches = [(game.touch(first.state, action), first.move_text(action)) for action in first.actions]
    single = {(float(x), float(y)): move for ((x, y), *more), move in (t for t in touches if t[0]) if not more}
    if game.controls.whole_columns:
        return {
            (x, y - row): f"{move}/{row + 1}" for (x, y), move in single.items() for row in range(round(y))
        }  # fmt: skip
    if game.controls.editor is None:
        return {}
    points = [(float(x), float(y)) for x, y, _ in game.controls.editor.squares(first.state)]
    if all(point in single for point in points):
        return single
    columns, rows = sorted({x for x, _ in points}), sorted({y for _, y in points}, reverse=True)
    return {(x, y): f"{chr(ord('a') + columns.index(x))}{rows.index(y) + 1}" for x, y in points}
