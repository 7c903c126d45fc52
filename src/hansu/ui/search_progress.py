"""Somebody at a terminal waits for a thought, and sees that it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hansu.ui.console import err, out

if TYPE_CHECKING:
    from rich.console import RenderableType

QUICK = 0.3  # seconds: a thought that is over by then is not shown
A_SECOND = 4  # pictures


@contextmanager
def shown(picture: Callable[[float], RenderableType]) -> Iterator[None]:
    """On a terminal, the picture after so many seconds stands on standard error; it is gone at the end."""
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
