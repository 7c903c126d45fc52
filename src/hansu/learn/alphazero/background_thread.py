"""A thread that repeats its work until it is stopped, and that keeps its exception."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class BackgroundThread:
    """Calls `work` repeatedly. `work` returns whether there was something to do; if not, the thread pauses and counts
    the pause as idle time."""

    PAUSE = 0.005

    def __init__(self, name: str, work: Callable[[], bool]) -> None:
        self._work = work
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._started = 0.0
        self._idle = 0.0
        self.failure: BaseException | None = None

    def start(self) -> None:
        self._started = time.perf_counter()
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                if not self._work():
                    began = time.perf_counter()
                    self._stopping.wait(self.PAUSE)
                    self._idle += time.perf_counter() - began
        except BaseException as failure:
            self.failure = failure

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def idle_share(self) -> float:
        """The share of idle time since the last call."""
        now = time.perf_counter()
        share = self._idle / max(now - self._started, 1e-9)
        self._started, self._idle = now, 0.0
        return min(share, 1.0)

    def stop(self) -> None:
        """Wait until the current call of `work` ends."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
