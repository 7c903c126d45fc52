"""Renders scenes as SVG. The class of every shape is its tone, so a page's style sheet can change the colours."""

from __future__ import annotations

from html import escape

from hansu.scene.palette import color
from hansu.scene.scene import Cell, Group, Heat, Line, Mark, Polygon, Scene, Shape, Stone, Text

UNIT = 48  # pixels per board unit


def svg(scene: Scene, *, dark: bool = False, sheet: bool = True) -> str:
    """The scene as an <svg> element."""
    size = f'width="{scene.width * UNIT:g}" height="{scene.height * UNIT:g}"'
    title = f"<title>{escape(scene.title)}</title>" if scene.title else ""
    ground = _filled(f'<rect width="{scene.width:g}" height="{scene.height:g}"', "sheet", dark) if sheet else ""
    body = "".join(_shape(shape, dark) for shape in scene.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width:g} {scene.height:g}" {size} role="img"'
        f' font-family="system-ui, sans-serif">{title}{ground}{body}</svg>'
    )


def _filled(opening: str, tone: str, dark: bool, classes: str = "") -> str:
    return f'{opening} class="tone-{tone}{classes}" fill="{color(tone, dark)}"/>'


def _shape(shape: Shape, dark: bool) -> str:
    match shape:
        case Cell(x, y, tone, width, height):
            return _filled(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"', tone, dark)
        case Line(x1, y1, x2, y2, tone, width, dashed):
            dashes = f' stroke-dasharray="{3 * width:g}"' if dashed else ""
            return (
                f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="stroke-{tone}"'
                f' stroke="{color(tone, dark)}" stroke-width="{width:g}" stroke-linecap="round"{dashes}/>'
            )
        case Polygon(points, tone):
            corners = " ".join(f"{x:g},{y:g}" for x, y in points)
            return _filled(f'<polygon points="{corners}" opacity="0.35"', tone, dark)
        case Stone():
            return _stone(shape, dark)
        case Mark(x, y, tone, size):
            return (
                f'<circle cx="{x:g}" cy="{y:g}" r="{size:g}" class="stroke-{tone}" fill="none"'
                f' stroke="{color(tone, dark)}" stroke-width="0.07"/>'
            )
        case Heat(x, y, share, text):
            glow = _filled(f'<circle cx="{x:g}" cy="{y:g}" r="0.44" opacity="{0.1 + 0.7 * share:.2f}"', "heat", dark)
            return glow + (_shape(Text(x, y + 0.29, text, size=0.19), dark) if text else "")
        case Group():
            return _group(shape, dark)
        case Text(x, y, text, tone, size, bold, anchor):
            weight = ' font-weight="700"' if bold else ""
            translations = getattr(text, "translations", {})  # a page can switch the language
            others = "".join(f' data-{language}="{escape(other)}"' for language, other in translations.items())
            return (
                f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" dy="0.35em"'
                f' class="tone-{tone}" fill="{color(tone, dark)}"{weight}{others}>{escape(text)}</text>'
            )


def _group(group: Group, dark: bool) -> str:
    return f'<g data-name="{escape(group.name)}">{"".join(_shape(shape, dark) for shape in group.shapes)}</g>'


def _stone(stone: Stone, dark: bool) -> str:
    edge = f' stroke="{color("line", dark)}" stroke-width="0.03"'
    picture = _filled(f"<{_outline(stone)}{edge}", stone.tone, dark, " edge")
    if stone.form == "ghost":
        picture += _eyes(stone, dark)
    if stone.drawn:
        picture += _shape(Text(stone.x, stone.y, stone.glyph, "white", stone.size, bold=True), dark)
    return picture


def _outline(stone: Stone) -> str:
    x, y, r = stone.x, stone.y, stone.size
    match stone.form:
        case "square":
            return f'rect x="{x - r:g}" y="{y - r:g}" width="{2 * r:g}" height="{2 * r:g}" rx="0.08"'
        case "ghost":  # a dome with three folds at the bottom
            fold = 2 * r / 3
            hem = f"q {-fold / 2:g} {-fold:g} {-fold:g} 0 " * 3
            return f'path d="M {x - r:g} {y + r:g} V {y:g} a {r:g} {r:g} 0 0 1 {2 * r:g} 0 V {y + r:g} {hem}Z"'
        case "left" | "right" | "up" | "down":
            dx, dy = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[stone.form]
            ahead, across = 0.8 * r, 0.6 * r
            lips = [(x + dx * ahead - side * dy * across, y + dy * ahead + side * dx * across) for side in (1, -1)]
            (x1, y1), (x2, y2) = lips
            return f'path d="M {x:g} {y:g} L {x1:g} {y1:g} A {r:g} {r:g} 0 1 1 {x2:g} {y2:g} Z"'
        case _:
            return f'circle cx="{x:g}" cy="{y:g}" r="{r:g}"'


def _eyes(stone: Stone, dark: bool) -> str:
    r = stone.size
    eyes = [(stone.x + side * 0.38 * r, stone.y - 0.1 * r) for side in (-1, 1)]
    whites = "".join(_filled(f'<circle cx="{x:g}" cy="{y:g}" r="{0.27 * r:g}"', "white", dark) for x, y in eyes)
    pupils = "".join(_filled(f'<circle cx="{x:g}" cy="{y:g}" r="{0.13 * r:g}"', "black", dark) for x, y in eyes)
    return whites + pupils
