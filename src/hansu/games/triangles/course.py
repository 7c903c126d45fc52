"""Players written for the course's framework: a `machine.py` with a class MACHINE.

Before each move the framework sets attributes of the only instance:

    score         [opponent's triangles, own triangles]      (the framework says USER and MACHINE)
    drawn_lines   [[(x1, y1), (x2, y2)], ...] in the order drawn, each with its smaller point first
    whole_points  [(x, y), ...]
    location      for each coordinate its place on the screen
    triangles     [[(x, y), (x, y), (x, y)], ...], corners sorted

Then it calls `find_best_selection()`, which returns a line [(x1, y1), (x2, y2)] with its points in any order. The
attributes are copies, so a player may edit them.
"""

from __future__ import annotations

from typing import Any

from hansu.core import HansuError, Position
from hansu.core.errors import shortened
from hansu.games.triangles.notation import board_points, ends, owned_triangles, segment_number

PIXELS = 50  # between neighbouring points on the framework's screen


def adapt(module: Any, agent: Any) -> CourseAgent | None:
    """The adapter of a player; None if it is not a player of the framework. `agent` is None if the user named only a
    file."""
    machine = agent if agent is not None else getattr(module, "MACHINE", None)
    if not callable(getattr(machine, "find_best_selection", None)):
        return None
    return CourseAgent(machine)


class CourseAgent:
    """Chooses the action of a course player in a position."""

    def __init__(self, machine: Any) -> None:
        self._factory = machine
        self.new_game()

    def new_game(self) -> None:
        self._machine = self._factory() if isinstance(self._factory, type) else self._factory

    def __call__(self, position: Position) -> int:
        points = board_points(position.state)
        machine = self._machine
        triangles = owned_triangles(position)
        own = sum(owner == position.mover for owner, _ in triangles)
        machine.score = [len(triangles) - own, own]
        machine.drawn_lines = [sorted(points[i] for i in ends(position.state, e)) for e in position.history]
        machine.whole_points = list(points)
        machine.location = [PIXELS * (i + 1) for i in range(1 + max(max(x, y) for x, y in points))]
        machine.triangles = [sorted(points[i] for i in corners) for _, corners in triangles]
        machine.board_size = position.game.option("size")
        machine.num_dots = len(points)
        line = machine.find_best_selection()
        try:
            numbers = [points.index((int(x), int(y))) for x, y in line]
            action = segment_number(position.state, *numbers)
        except (TypeError, ValueError):
            action = -1
        if action < 0 or not position.legal(action):
            raise HansuError("{line} is not a segment that can be drawn", line=shortened(line))
        return action
