"""What runs beside the search: a thread that can be stopped, and whose mistakes are not lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Beside:
    """A thread that calls `work` again and again until it is stopped. `work` says whether it found something to do; if
    not, it is asked again a moment later, and that time counts as waited."""

    PAUSE = 0.005

    def __init__(self, name: str, work: Callable[[], bool]) -> None:
        self._work = work
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._started = 0.0
        self._waited = 0.0
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
                    self._waited += time.perf_counter() - began
        except BaseException as failure:
            self.failure = failure

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def waited(self) -> float:
        """The share of time without anything to do, since this was last asked."""
        now = time.perf_counter()
        share = self._waited / max(now - self._started, 1e-9)
        self._started, self._waited = now, 0.0
        return min(share, 1.0)

    def stop(self) -> None:
        """Wait until the piece of work at hand is done."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def check(self) -> None:
        """Raise here what went wrong there."""
        if self.failure is not None:
            raise self.failure
