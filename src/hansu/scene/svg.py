"""Scenes as SVG. Every shape carries its tone as a class, so that a page's style sheet may recolour it."""

from __future__ import annotations

from html import escape

from hansu.scene.palette import color
from hansu.scene.scene import Cell, Group, Heat, Line, Mark, Polygon, Scene, Shape, Stone, Text

UNIT = 48  # pixels a board unit takes at natural size


def svg(scene: Scene, *, dark: bool = False, sheet: bool = True) -> str:
    """The scene as one <svg> element."""
    size = f'width="{scene.width * UNIT:g}" height="{scene.height * UNIT:g}"'
    title = f"<title>{escape(scene.title)}</title>" if scene.title else ""
    ground = _filled(f'<rect width="{scene.width:g}" height="{scene.height:g}"', "sheet", dark) if sheet else ""
    body = "".join(_shape(shape, dark) for shape in scene.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width:g} {scene.height:g}" {size} role="img"'
        f' font-family="system-ui, sans-serif">{title}{ground}{body}</svg>'
    )


def _filled(opening: str, tone: str, dark: bool) -> str:
    return f'{opening} class="tone-{tone}" fill="{color(tone, dark)}"/>'


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
            return (
                f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" dy="0.35em"'
                f' class="tone-{tone}" fill="{color(tone, dark)}"{weight}>{escape(text)}</text>'
            )


def _group(group: Group, dark: bool) -> str:
    return f'<g data-name="{escape(group.name)}">{"".join(_shape(shape, dark) for shape in group.shapes)}</g>'


def _stone(stone: Stone, dark: bool) -> str:
    x, y, size = stone.x, stone.y, stone.size
    edge = f' stroke="{color("line", dark)}" stroke-width="0.03"'
    if stone.square:
        opening = f'<rect x="{x - size:g}" y="{y - size:g}" width="{2 * size:g}" height="{2 * size:g}" rx="0.08"{edge}'
    else:
        opening = f'<circle cx="{x:g}" cy="{y:g}" r="{size:g}"{edge}'
    picture = _filled(opening, stone.tone, dark)
    if stone.drawn:
        picture += _shape(Text(x, y, stone.glyph, "white", size, bold=True), dark)
    return picture
