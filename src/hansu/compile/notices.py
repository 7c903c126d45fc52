"""What people are told when something is compiled for the first time: once, in their words."""

from __future__ import annotations

import sys
from collections.abc import Callable

from hansu.compile.native import first_time_notice
from hansu.core.message import Message
from hansu.core.terminal_language import localize

NOTICE = Message(
    "getting ready: some seconds to half a minute, only this first time (`hansu warm` prepares everything)"
)


class Once:
    """Tells the notice at the first call, and nothing afterwards; whatever is compiled."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told = False

    def __call__(self, what: str = "") -> None:
        if not self._told:
            self._told = True
            self._tell(NOTICE)


tell_compiling = Once(lambda text: print(localize(text), file=sys.stderr, flush=True))


def announce_compiling() -> None:
    """From now on, say so on standard error when something is compiled for the first time."""
    if not first_time_notice:
        first_time_notice.append(tell_compiling)
