"""Handles agents that crash, hang or return illegal actions."""

from __future__ import annotations

import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansu.core import HansuError, Message, Position
from hansu.core.errors import PlayerFault
from hansu.games.pacman.course_games import Choose


def guarded(choose: Choose, catch: bool, timeout: float | None) -> Choose:
    """Wraps an agent's `choose` for one game. On an error the agent forfeits the game (`catch`), or the run ends with
    an error message. An agent that uses more than `timeout` seconds in the game forfeits it."""
    spent = 0.0

    def choice(position: Position) -> tuple[int, str]:
        nonlocal spent
        started = time.perf_counter()
        try:
            with alarm(None if timeout is None else timeout - spent):
                decision = choose(position)
        except TimeoutError:
            raise timeout_fault(timeout) from None
        except HansuError as error:
            if catch:
                raise PlayerFault(error.what) from None
            raise
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = Message("{file}, line {line}", file=Path(frame.filename).name, line=frame.lineno)
            what = Message(
                "the agent raised {kind}: {error} ({place})", kind=type(error).__name__, error=error, place=place
            )
            if catch:
                raise PlayerFault(what) from None
            raise HansuError(what, "with -c the agent only loses this game") from None
        spent += time.perf_counter() - started
        if timeout is not None and spent > timeout:
            raise timeout_fault(timeout)
        return decision

    return choice


def timeout_fault(timeout: float | None) -> PlayerFault:
    """The fault of an agent that exceeded its time."""
    return PlayerFault("Pacman used more than {timeout:g} s in this game", timeout=timeout)


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raises TimeoutError in the block after this many seconds. Works on Unix in the main thread only."""
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
