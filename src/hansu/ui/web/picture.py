"""Positions as SVG, and the numbers that pages know their moves by."""

from __future__ import annotations

from hansu.core import Position
from hansu.scene.svg import svg


def board_svg(position: Position) -> str:
    """The board for a page whose style sheet colours it."""
    return svg(position.scene, sheet=False)


def numbered(position: Position) -> list[tuple[int, object]]:
    """Legal actions with the numbers that pages know them by: the action itself, or its place where it is no int."""
    return [(action if isinstance(action, int) else i, action) for i, action in enumerate(position.actions)]
