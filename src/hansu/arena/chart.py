"""Charts as SVG. Shapes have classes, so that they follow the colours of a page; texts have all languages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from hansu.core.message import Message
from hansu.scene.palette import color

_TONES = {"ink": "text", "quiet": "quiet", "grid": "faint", "one": "second", "two": "first", "good": "good"}


def style() -> str:
    """The colours of all charts, for light and dark pages."""

    def rules(dark: bool) -> str:
        lines = [f"svg.chart{{background:{color('sheet', dark)}}}"]
        for name, tone in _TONES.items():
            lines.append(f".chart .{name}{{fill:{color(tone, dark)}}}.chart .s-{name}{{stroke:{color(tone, dark)}}}")
        return "".join(lines)

    return f"{rules(False)}@media(prefers-color-scheme:dark){{{rules(True)}}}"


class Chart:
    """A chart that is drawn part by part. Coordinates are pixels from the upper left corner."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, tone: str = "ink", anchor: str = "start", size: float = 12,
        bold: bool = False,
    ) -> None:  # fmt: skip
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{tone}" font-size="{size:g}" text-anchor="{anchor}" dy="0.35em"'
            f"{weight}{translations(text)}>{escape(text)}</text>"
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, tone: str = "grid", width: float = 1) -> None:
        self._parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="s-{tone}" stroke-width="{width:g}"/>'
        )

    def path(self, points: Sequence[tuple[float, float]], tone: str, width: float = 2) -> None:
        coordinates = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(
            f'<polyline points="{coordinates}" class="s-{tone}" fill="none" stroke-width="{width:g}"'
            ' stroke-linejoin="round"/>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, tone: str, opacity: float = 1, hint: str = ""
    ) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" class="{tone}"'
            f' fill-opacity="{opacity:.3f}">{_hint(hint)}</rect>'
        )

    def dot(self, x: float, y: float, tone: str, hint: str = "", radius: float = 4.5) -> None:
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{tone}">{_hint(hint)}</circle>')

    def svg(self, alone: bool = True) -> str:
        """The chart as SVG. `alone`: as a file of its own, which includes the colours."""
        sheet = f"<style>{style()}</style>" if alone else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {self.width:g} {self.height:g}"'
            f' width="{self.width:g}" height="{self.height:g}" role="img" font-family="system-ui, sans-serif">'
            f"<title>{escape(self.title)}</title>{sheet}{''.join(self._parts)}</svg>"
        )


class Axis:
    """A scale from numbers to pixels, with marks at round numbers. `log`: a logarithmic scale."""

    def __init__(self, low: float, high: float, start: float, end: float, log: bool = False, marks: int = 7) -> None:
        if high <= low:
            low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
        self._log = log
        self._low, self._high = self._scaled(low), self._scaled(high)
        self._start, self._end = start, end
        self.marks = _powers(low, high) if log else round_marks(low, high, marks)

    def _scaled(self, value: float) -> float:
        return math.log(value) if self._log else value

    def at(self, value: float) -> float:
        """The pixel of a value."""
        share = (self._scaled(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)


def round_marks(low: float, high: float, count: int = 6) -> list[float]:
    """About `count` round numbers between `low` and `high`.

    >>> round_marks(-130, 260)
    [-100.0, 0.0, 100.0, 200.0]
    """
    rough = (high - low) / max(count - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= 0.75 * rough)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _powers(low: float, high: float) -> list[float]:
    marks = []
    power = 10.0 ** math.floor(math.log10(low))
    while power <= high * 1.001:
        marks += [each * power for each in (1, 2, 5) if low * 0.999 <= each * power <= high * 1.001]
        power *= 10
    return marks if len(marks) <= 8 else [mark for mark in marks if f"{mark:e}".startswith("1.")]


def short(value: float) -> str:
    """A number as the label of an axis.

    >>> [short(x) for x in (0.05, -1500, 20_000, 2_000_000)]
    ['0.05', '-1500', '20k', '2M']
    """
    for unit, sign in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= max(unit, 1e4):
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def _hint(text: str) -> str:
    return f"<title{translations(text)}>{escape(text)}</title>" if text else ""


def translations(text: str) -> str:
    """HTML attributes with the translations of a text, from which the page chooses."""
    others = text.translations if isinstance(text, Message) else {}
    return "".join(f' data-{language}="{escape(other)}"' for language, other in others.items())
