"""Progress of a search, while a person at a terminal waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hansu.ui.console import err, out

if TYPE_CHECKING:
    from rich.console import RenderableType

QUICK = 0.3  # seconds: shorter searches show no progress
A_SECOND = 4  # updates per second


@contextmanager
def shown(picture: Callable[[float], RenderableType]) -> Iterator[None]:
    """Show `picture(seconds)` on standard error if that is a terminal, until the context ends."""
    if not err().is_terminal:
        yield
        return
    from rich.live import Live

    began = time.monotonic()

    def now() -> RenderableType:
        seconds = time.monotonic() - began
        return picture(seconds) if seconds > QUICK else ""

    to_terminal = out().is_terminal
    with Live(
        get_renderable=now, console=err(), transient=True, refresh_per_second=A_SECOND, redirect_stdout=to_terminal
    ):
        yield
