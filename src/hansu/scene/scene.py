"""What a position looks like, said once: shapes in board units, x to the right and y down, one cell is 1 by 1.

A *tone* is a colour's purpose, not its value: renderers choose the colour (`palette`), light or dark.
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
    x1: float
    y1: float
    x2: float
    y2: float
    tone: str = "line"
    width: float = 0.03
    dashed: bool = False


@dataclass(frozen=True)
class Polygon:
    points: tuple[tuple[float, float], ...]
    tone: str


@dataclass(frozen=True)
class Stone:
    """A piece with its centre at (x, y). `glyph` is its letter in text; `drawn` shows the letter in pictures too.
    `form` is its outline in pictures where it is not round: `square`, `ghost`, or a mouth that opens to the `left`,
    `right`, `up` or `down`."""

    x: float
    y: float
    tone: str
    glyph: str
    size: float = 0.4
    drawn: bool = False
    form: str = ""


@dataclass(frozen=True)
class Mark:
    """A ring around (x, y): the last move, a hint, a forbidden point."""

    x: float
    y: float
    tone: str = "last"
    size: float = 0.46


@dataclass(frozen=True)
class Heat:
    """How much a player thinks of the point (x, y): `share` from 0 to 1."""

    x: float
    y: float
    share: float
    text: str = ""


@dataclass(frozen=True)
class Text:
    x: float
    y: float
    text: str
    tone: str = "text"
    size: float = 0.35
    bold: bool = False
    anchor: str = "middle"  # middle, start or end


@dataclass(frozen=True)
class Group:
    """Shapes with a common name, so that a page can show or hide them together."""

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
    grain: tuple[int, int] = (4, 2)  # characters across and down that one unit takes in a terminal

    def with_shapes(self, *more: Shape) -> Scene:
        """The same picture with something on top."""
        return Scene(self.width, self.height, self.shapes + more, self.title, self.grain)
