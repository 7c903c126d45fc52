"""The drawing room: a `Scene` says what a position looks like; `svg` and `ansi` render it. Knows nothing of games."""

from hansu.scene.scene import Cell, Group, Heat, Line, Mark, Polygon, Scene, Stone, Text

__all__ = ["Cell", "Group", "Heat", "Line", "Mark", "Polygon", "Scene", "Stone", "Text"]
