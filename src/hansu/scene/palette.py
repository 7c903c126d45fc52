"""The colours behind the tones: (light theme, dark theme), as hex."""

from __future__ import annotations

TONES: dict[str, tuple[str, str]] = {
    "sheet": ("#faf8f3", "#16181d"),
    "board": ("#f1ebdd", "#23272f"),
    "wood": ("#e6c58a", "#7d6238"),
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


def rgb(tone: str, dark: bool = True) -> tuple[int, int, int]:
    text = color(tone, dark)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
