"""Pictures of positions, independent of the output: shapes in board units, x to the right, y down, a cell is 1 by 1.

A *tone* is the purpose of a colour, not its value. Renderers choose the colour for a light or a dark theme (`palette`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A filled rectangle with its top left corner at (x, y)."""

    x: float
    y: float
    tone: str = "board"
    width: float = 1
    height: float = 1


@dataclass(frozen=True)
class Line:
    """A straight line from (x1, y1) to (x2, y2)."""

    x1: float
    y1: float
    x2: float
    y2: float
    tone: str = "line"
    width: float = 0.03
    dashed: bool = False


@dataclass(frozen=True)
class Polygon:
    """A filled, translucent polygon."""

    points: tuple[tuple[float, float], ...]
    tone: str


@dataclass(frozen=True)
class Stone:
    """A piece with its centre at (x, y).

    `glyph` is its letter in text; `drawn` shows the letter in pictures, too. `form` is its outline in pictures: "" is
    round, others are `square`, `ghost`, and a mouth that opens to the `left`, `right`, `up` or `down`.
    """

    x: float
    y: float
    tone: str
    glyph: str
    size: float = 0.4
    drawn: bool = False
    form: str = ""


@dataclass(frozen=True)
class Mark:
    """A ring around (x, y) for the last move, a hint or a forbidden point."""

    x: float
    y: float
    tone: str = "last"
    size: float = 0.46


@dataclass(frozen=True)
class Heat:
    """A player's preference for the point (x, y): `share` from 0 to 1."""

    x: float
    y: float
    share: float
    text: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text at (x, y)."""

    x: float
    y: float
    text: str
    tone: str = "text"
    size: float = 0.35
    bold: bool = False
    anchor: str = "middle"  # middle, start or end


@dataclass(frozen=True)
class Group:
    """Shapes with a common name, which a page can show or hide together."""

    name: str
    shapes: tuple[Shape, ...]


Shape = Cell | Line | Polygon | Stone | Mark | Heat | Text | Group


@dataclass(frozen=True)
class Scene:
    """Shapes from back to front on a sheet of `width` by `height` units.

    >>> import hansu
    >>> from hansu.scene import Stone
    >>> scene = hansu.Scene(2, 1, (Stone(0.5, 0.5, "first", "x"),)).with_shapes(Stone(1.5, 0.5, "second", "o"))
    >>> [shape.tone for shape in scene.shapes]
    ['first', 'second']
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    grain: tuple[int, int] = (4, 2)  # characters per unit in a terminal, across and down

    def with_shapes(self, *more: Shape) -> Scene:
        """A copy with more shapes on top."""
        return Scene(self.width, self.height, self.shapes + more, self.title, self.grain)
