"""What terminal commands share: consoles, the board as text, the notice about compiling."""

from __future__ import annotations

import math
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from hansu.core.position import Position
from hansu.scene.ansi import ansi

if TYPE_CHECKING:
    from rich.console import Console


@cache
def out() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


@cache
def err() -> Console:
    """For everything that is not the answer itself, so that the answer can be piped."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def colored() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def show(position: Position) -> None:
    """Print the board."""
    print(ansi(position.scene, color=colored()))


def announce_compiling() -> None:
    """From now on, say so when something is compiled for the first time."""
    from hansu.core.compiled import first_time_notice

    if not first_time_notice:
        first_time_notice.append(tell_compiling)


def tell_compiling(what: str) -> None:
    err().print(f"[dim]compiling {what}: a few seconds, only this first time[/dim]")


def number(value: float | None, digits: int = 3) -> str:
    """A value as people write it."""
    if value is None:
        return ""
    if math.isinf(value) or math.isnan(value):
        return str(value)
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}"
