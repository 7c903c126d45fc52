"""An agent from outside may crash, hang or answer nonsense: what becomes of the game then."""

from __future__ import annotations

import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansu.core import HansuError, Position
from hansu.core.errors import PlayerFault
from hansu.games.pacman.contest import Choose


def guarded(choose: Choose, catch: bool, timeout: float | None) -> Choose:
    """Choices for one game in which mistakes become messages: the agent forfeits the game (`catch`), or the whole run
    ends with what happened. Thinking longer than `timeout` in all always forfeits the game."""
    spent = 0.0

    def choice(position: Position) -> tuple[int, str]:
        nonlocal spent
        started = time.perf_counter()
        try:
            with alarm(None if timeout is None else timeout - spent):
                answer = choose(position)
        except TimeoutError:
            raise _too_long(timeout) from None
        except HansuError as error:
            if catch:
                raise PlayerFault(error.what) from None
            raise
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}, line {frame.lineno}"
            what = f"the agent raised {type(error).__name__}: {error} ({where})"
            if catch:
                raise PlayerFault(what) from None
            raise HansuError(what, "-c counts such a game as lost and goes on") from None
        spent += time.perf_counter() - started
        if timeout is not None and spent > timeout:
            raise _too_long(timeout)
        return answer

    return choice


def _too_long(timeout: float | None) -> PlayerFault:
    return PlayerFault(f"Pacman thought longer than {timeout:g} s in this game")


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raises TimeoutError in here after so many seconds, where the system has such a clock (Unix, the main thread)."""
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
