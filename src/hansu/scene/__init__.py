"""Drawing: a `Scene` describes a picture; `svg` and `ansi` render it. Independent of games."""

from hansu.scene.scene import Cell, Group, Heat, Line, Mark, Polygon, Scene, Stone, Text

__all__ = ["Cell", "Group", "Heat", "Line", "Mark", "Polygon", "Scene", "Stone", "Text"]
