"""The colours behind the tones: (light theme, dark theme), as hex."""

from __future__ import annotations

from functools import cache

Colour = tuple[int, int, int]

TONES: dict[str, tuple[str, str]] = {
    "sheet": ("#faf8f3", "#16181d"),
    "board": ("#f1ebdd", "#23272f"),
    "wood": ("#e6c58a", "#8e7040"),
    "wall": ("#3d5a98", "#4a6fc4"),
    "hole": ("#d8d2c4", "#0e1014"),
    "line": ("#6b6459", "#8b93a3"),
    "faint": ("#cfc7b8", "#3a404b"),
    "text": ("#2b2822", "#e6e8ec"),
    "quiet": ("#857d70", "#98a0ae"),
    "first": ("#c8402f", "#f0705e"),
    "second": ("#2f63b8", "#6fa3f5"),
    "black": ("#1d1d1f", "#0b0b0d"),
    "white": ("#fdfdfb", "#f2f2ee"),
    "yellow": ("#e3a818", "#f2c341"),
    "chance": ("#7a5bb5", "#a88be0"),
    "good": ("#2e7d4f", "#5fc48a"),
    "bad": ("#b3261e", "#ff8a80"),
    "last": ("#d9822b", "#ffb057"),
    "hint": ("#2e7d4f", "#5fc48a"),
    "heat": ("#d9822b", "#ffb057"),
}


def color(tone: str, dark: bool = False) -> str:
    return TONES[tone][dark]


def rgb(tone: str, dark: bool = True) -> Colour:
    text = color(tone, dark)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


# Written on a ground, in a terminal: there a letter is one thin character without an edge around it, so colours that do
# in a picture may be too near each other. The measure is that of https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
BRIGHTEST = 0.183  # luminance of a ground on which both black and white can be read
STEPS = 128


@cache
def ground(tone: str) -> Colour:
    """The colour of a filled cell: none is so bright that white letters are lost on it."""
    return next(made for made in _way(rgb(tone), BLACK) if _luminance(made) <= BRIGHTEST)


@cache
def ink(tone: str, under: str, least: float) -> Colour:
    """A tone as it can be seen on a ground: as it is, or as much darker or lighter as it takes, if it can be on the
    side of the ground where it is already."""
    written, below = rgb(tone), ground(under)
    ends = (BLACK, WHITE) if _luminance(written) < _luminance(below) else (WHITE, BLACK)
    ways = [made for end in ends for made in _way(written, end)]
    return next((made for made in ways if contrast(made, below) >= least), max(ends, key=lambda c: contrast(c, below)))


def contrast(a: Colour, b: Colour) -> float:
    """From 1, the same, to 21, black and white."""
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (c / 255 for c in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _way(begin: Colour, end: Colour) -> list[Colour]:
    """The colours from one to another."""
    made = [[a + (b - a) * i / STEPS for a, b in zip(begin, end, strict=True)] for i in range(STEPS + 1)]
    return [(round(r), round(g), round(b)) for r, g, b in made]
