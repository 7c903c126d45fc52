"""A program outside that we talk with line by line, within limits of time and memory."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hansu.core.errors import PlayerFault

MEMORY_LIMIT = 8 << 30  # bytes of address space; a compiler maps far more than it uses
LONGEST_LINE = 1 << 16
KEPT_ERROR_LINES = 40
WAITING_LINES = 1000


class Outside:
    """One running program. Whatever goes wrong with it is a PlayerFault that names it."""

    def __init__(
        self, command: Sequence[str], name: str, memory_limit: int = MEMORY_LIMIT, folder: Path | None = None
    ) -> None:
        self.name = name
        self.errors: deque[str] = deque(maxlen=KEPT_ERROR_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._killed = False
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                encoding="utf-8", errors="replace", bufsize=1, start_new_session=True,
                cwd=folder, preexec_fn=_memory_guard(memory_limit),
            )  # fmt: skip
        except OSError as error:
            raise PlayerFault(f"{name} cannot be started: {error}") from None
        threading.Thread(target=self._pump_output, daemon=True).start()
        threading.Thread(target=self._pump_errors, daemon=True).start()

    def _pump_output(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(LONGEST_LINE):
            if not self._hand_on(line.rstrip("\r\n")):
                return
        self._hand_on(None)

    def _hand_on(self, line: str | None) -> bool:
        """Wait until somebody takes it: a program that prints faster than it is read is held up, not kept in memory."""
        while not self._killed:
            with suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return True
        return False

    def _pump_errors(self) -> None:
        assert self._process.stderr is not None
        while line := self._process.stderr.readline(LONGEST_LINE):
            self.errors.append(line.rstrip())

    def send(self, line: str) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise PlayerFault(f"{self.name} has ended{self._last_words()}") from None

    def read(self, seconds: float) -> str:
        """The next line it prints, or a fault if it is silent for so long or has ended."""
        line = self.wait(seconds)
        if line is None:
            self.kill()
            raise PlayerFault(f"{self.name} did not answer within {max(seconds, 0):.3g} s")
        return line

    def wait(self, seconds: float) -> str | None:
        """The next line it prints, or None if it is silent for so long; a fault if it has ended."""
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None
        if line is None:
            self._process.wait()
            raise PlayerFault(f"{self.name} has ended (exit code {self._process.returncode}){self._last_words()}")
        return line

    def _last_words(self) -> str:
        time.sleep(0.05)  # the error pump may be a moment behind
        return f": {self.errors[-1]}" if self.errors else ""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self, after: float = 0.0) -> None:
        """End it, with whatever it has started itself. It has so many seconds to end first."""
        if not self._killed:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(after)
            self._killed = True
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # it leads a session, so a group, of its own
            if self.alive:
                self._process.kill()
        self._process.wait()
        with suppress(OSError):  # it was broken before
            if self._process.stdin is not None:
                self._process.stdin.close()


def _memory_guard(limit: int):  # type: ignore[no-untyped-def]
    """Run in the child before the program: a ceiling on its memory, where the system can set one."""
    if sys.platform in ("win32", "darwin"):
        return None
    import resource

    def guard() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return guard
