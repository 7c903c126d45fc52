"""Shared by terminal commands: consoles, the board as text, numbers."""

from __future__ import annotations

import math
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from hansu.scene import Scene
from hansu.scene.ansi import ansi
from hansu.ui.picture_language import spoken

if TYPE_CHECKING:
    from rich.console import Console


@cache
def out() -> Console:
    """Standard output."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


@cache
def err() -> Console:
    """Standard error: for everything except the result, so that the result can be piped."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def beside(text: str, style: str = "", console: Console | None = None) -> None:
    """Print a line without interpreting markup. (`print(..., markup=False)` would also disable the markup of a live
    display on the same console.)"""
    from rich.text import Text

    (console or err()).print(Text(text, style=style))


def colored() -> bool:
    """Whether to print in colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def show(scene: Scene) -> None:
    """Print a picture."""
    print(ansi(spoken(scene), color=colored()))


def number(value: float | None, digits: int = 3) -> str:
    """A value without superfluous digits."""
    if value is None:
        return ""
    if math.isinf(value) or math.isnan(value):
        return str(value)
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}"
    return "0" if text == "-0" else text
