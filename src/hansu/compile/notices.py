"""The notice that users see when something is compiled for the first time."""

from __future__ import annotations

import sys
from collections.abc import Callable

from hansu.compile.native import first_time_notice
from hansu.core.message import Message
from hansu.core.terminal_language import localize

NOTICE = Message(
    "compiling: a few seconds to half a minute, only the first time (`hansu warm` compiles everything in advance)"
)


class Once:
    """Shows the notice at the first call and ignores further calls."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._shown = False

    def __call__(self, what: str = "") -> None:
        if not self._shown:
            self._shown = True
            self._show(NOTICE)


tell_compiling = Once(lambda text: print(localize(text), file=sys.stderr, flush=True))


def announce_compiling() -> None:
    """From now on, print the notice on standard error when something is compiled for the first time."""
    if not first_time_notice:
        first_time_notice.append(tell_compiling)
