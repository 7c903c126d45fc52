"""Positions as SVG, and what a player thinks of the moves as shapes to lay over them."""

from __future__ import annotations

from collections.abc import Sequence

from hansu.core import Position
from hansu.scene import Heat, Line, Text
from hansu.scene.scene import Shape
from hansu.scene.svg import fragment, svg
from hansu.ui.web.messages import Rated

MOST_SEGMENTS = 8  # two-point moves that are drawn at once; more would hide the board


def board_svg(position: Position) -> str:
    """The board for a page whose style sheet colours it."""
    return svg(position.scene, sheet=False)


def heat(position: Position, moves: Sequence[Rated]) -> str:
    """A glow on each move's point, a line for a move between two points; "" where moves have no place."""
    touch = position.game.touch
    if touch is None or not moves:
        return ""
    actions = dict(numbered(position))
    shapes: list[Shape] = []
    segments = 0
    for rated in sorted(moves, key=lambda move: move.share, reverse=True):
        points = touch(position.state, actions[rated.action])
        if len(points) == 1:
            shapes.append(Heat(*points[0], rated.share, shown(rated)))
        elif len(points) == 2 and segments < MOST_SEGMENTS:
            segments += 1
            (x1, y1), (x2, y2) = points
            shapes.append(Line(x1, y1, x2, y2, "heat", 0.04 + 0.12 * rated.share))
            shapes.append(Text((x1 + x2) / 2, (y1 + y2) / 2 - 0.12, shown(rated), size=0.19))
    return fragment("heat", shapes)


def numbered(position: Position) -> list[tuple[int, object]]:
    """Legal actions with the numbers that pages know them by: the action itself, or its place where it is no int."""
    return [(action if isinstance(action, int) else i, action) for i, action in enumerate(position.actions)]


def shown(rated: Rated) -> str:
    """A few characters for the board: the share of the visits, or the value."""
    if rated.visits is not None:
        return f"{rated.visits:,}" if rated.visits < 1000 else f"{rated.visits / 1000:.3g}k"
    if rated.value is None:
        return ""
    sign = {"<=": "≤", ">=": "≥", "": ""}[rated.bound]
    return f"{sign}{rated.value:.3g}"
