"""A board in words, for who does not see it: which squares hold the pieces of each seat.

Pieces are read from the scene. Squares are called as their moves are, where the first position has a move for each, and
else by column and row: `c4`, or `4/2`, the second from below in column 4, where stones fall.
"""

from __future__ import annotations

from collections.abc import Mapping

from hansu.core import Game
from hansu.scene import Scene, Stone

Point = tuple[float, float]


def pieces(names: Mapping[Point, str], tones: tuple[str, str], scene: Scene) -> list[list[str]] | None:
    """The squares of both seats' pieces; None where they do not lie on squares that have names."""
    if not names:
        return None
    found: list[list[str]] = [[], []]
    for shape in scene.shapes:
        if isinstance(shape, Stone) and shape.tone in tones:
            name = names.get((float(shape.x), float(shape.y)))
            if name is None:
                return None
            found[tones.index(shape.tone)].append(name)
    return found


def square_names(game: Game) -> dict[Point, str]:
    """What the squares of a board are called; nothing for a game that is played elsewhere."""
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
