"""A player's opinion of the moves as a heat map on the board: visit shares or policy."""

from __future__ import annotations

from dataclasses import replace

from hansu.core import Position, Report
from hansu.scene import Heat, Scene

LEAST = 0.02  # smaller shares are not drawn


def heated(position: Position, report: Report) -> Scene:
    """The board with a heat map; each move is drawn at the last point that a person would touch to play it."""
    scene, touch = position.scene, position.game.touch
    if touch is None:
        return scene
    places: dict[tuple[float, float], float] = {}
    for action, share in report.policy.items():
        touched = touch(position.state, action)
        if touched and share >= LEAST:
            places[touched[-1]] = places.get(touched[-1], 0.0) + share
    hottest = max(places.values(), default=1.0)
    heat = tuple(Heat(x, y, share / hottest, f"{share:.0%}") for (x, y), share in places.items())
    return replace(scene, shapes=(*scene.shapes, *heat))
