"""What a player thinks of the moves, as heat on the board: where it looked, or where its network would play."""

from __future__ import annotations

from dataclasses import replace

from hansu.core import Position, Report
from hansu.scene import Heat, Scene

LEAST = 0.02  # share of all; what is colder is not drawn


def heated(position: Position, report: Report) -> Scene:
    """The board with the heat on it, as far as moves have a place there: the last place that a hand would touch."""
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
