"""The colour of each tone: (light theme, dark theme), as hex."""

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
    """The colour of a tone as hex."""
    return TONES[tone][dark]


def rgb(tone: str, dark: bool = True) -> Colour:
    """The colour of a tone as red, green and blue."""
    text = color(tone, dark)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


# Terminal colours. A letter there is thin and has no outline, so the colours of a picture may have too little contrast
# with the background. Contrast is measured as in https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
BRIGHTEST = 0.183  # luminance of a background on which both black and white are readable
STEPS = 128


@cache
def ground(tone: str) -> Colour:
    """The colour of a filled cell, dark enough for white letters."""
    return next(colour for colour in _gradient(rgb(tone), BLACK) if _luminance(colour) <= BRIGHTEST)


@cache
def ink(tone: str, under: str, least: float) -> Colour:
    """The colour of a tone on a background, with at least the contrast `least`.

    If needed, the colour is made darker or lighter; a colour that is darker than the background becomes darker first.
    """
    text, background = rgb(tone), ground(under)
    ends = (BLACK, WHITE) if _luminance(text) < _luminance(background) else (WHITE, BLACK)
    candidates = [colour for end in ends for colour in _gradient(text, end)]
    best_end = max(ends, key=lambda colour: contrast(colour, background))
    return next((colour for colour in candidates if contrast(colour, background) >= least), best_end)


def contrast(a: Colour, b: Colour) -> float:
    """The contrast ratio, from 1 (equal) to 21 (black and white).

    >>> contrast(BLACK, WHITE)
    21.0
    """
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (c / 255 for c in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _gradient(start: Colour, end: Colour) -> list[Colour]:
    """The colours from one to another in equal steps."""
    colours = [[a + (b - a) * i / STEPS for a, b in zip(start, end, strict=True)] for i in range(STEPS + 1)]
    return [(round(r), round(g), round(b)) for r, g, b in colours]
