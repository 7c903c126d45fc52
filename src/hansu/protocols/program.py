"""An external program that is driven line by line, with limits on time and memory. It ends with hansu, together with
all processes that it has started (see `supervisor`)."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from hansu.core.errors import PlayerFault
from hansu.core.message import Message

MEMORY_LIMIT = 8 << 30  # bytes of address space; a compiler maps far more than it uses
LONGEST_LINE = 1 << 18  # characters; enough for a report on every move of a large board
MAX_ERROR_LINES = 40
QUEUED_LINES = 200
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PR_SET_DUMPABLE = 4  # of Linux's prctl
SUPERVISOR = Path(__file__).with_name("supervisor.py")
SUPERVISOR_SECONDS = 10.0  # until the supervisor itself is killed


class Program:
    """A running program. Its failures raise PlayerFault with its name."""

    def __init__(
        self, command: Sequence[str], name: str, memory_limit: int = MEMORY_LIMIT, folder: Path | None = None
    ) -> None:
        self.name = name
        self.errors: deque[str] = deque(maxlen=MAX_ERROR_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue(QUEUED_LINES)
        self._killed = False
        self._control = -1  # pipe; closing it ends the program
        self._closing = threading.Lock()
        try:
            self._process = self._start(list(command), memory_limit, folder)
        except (OSError, ValueError) as error:  # ValueError: a word with a null byte
            reason = getattr(error, "strerror", None) or error
            what = Message("{name} cannot be started: {error}", name=name, error=reason)
            hint = Message("check that {program} exists and can run on this machine", program=command[0])
            raise PlayerFault(what, hint) from None
        threading.Thread(target=self._read_output, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _start(self, command: list[str], memory_limit: int, folder: Path | None) -> subprocess.Popen[str]:
        def popen(words: list[str], *pipes: int) -> subprocess.Popen[str]:
            return subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                encoding="utf-8", errors="replace", bufsize=1, start_new_session=True, cwd=folder, pass_fds=pipes,
            )  # fmt: skip

        if os.name != "posix":
            return popen(command)
        control, self._control = os.pipe()
        status_read, status = os.pipe()
        try:
            supervisor = [sys.executable, "-I", "-S", str(SUPERVISOR), str(memory_limit), str(control), str(status)]
            process = popen([*supervisor, *command], control, status)
        except BaseException:
            os.close(status_read)
            self._close_control()
            raise
        finally:
            os.close(control)
            os.close(status)
        with os.fdopen(status_read, encoding="utf-8", errors="replace") as file:
            reason = file.read()
        if reason:
            self._close_control()
            process.communicate()
            raise OSError(reason)
        return process

    def _close_control(self) -> None:
        """Close the control pipe, once."""
        with self._closing:
            control, self._control = self._control, -1
        if control >= 0:
            os.close(control)

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        for line in _lines(self._process.stdout):
            if not self._enqueue(line):
                return
        self._enqueue(None)

    def _enqueue(self, line: str | None) -> bool:
        """Wait for space in the queue. So a program that prints faster than it is read is slowed down."""
        while not self._killed:
            with suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return True
        return False

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in _lines(self._process.stderr):
            self.errors.append(line.rstrip())

    def send(self, line: str) -> None:
        """Send a line to the program."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            words = self._last_error()
            if words:
                raise PlayerFault("{name} has ended: {words}", name=self.name, words=words) from None
            raise PlayerFault("{name} has ended", name=self.name) from None

    def read(self, seconds: float) -> str:
        """The next line of the program. Raises PlayerFault after `seconds`, or if the program has ended."""
        line = self.wait(seconds)
        if line is None:
            self.kill()
            raise PlayerFault("{name} did not answer within {seconds:.3g} s", name=self.name, seconds=max(seconds, 0))
        return line

    def wait(self, seconds: float) -> str | None:
        """The next line of the program; None after `seconds`. Raises PlayerFault if the program has ended."""
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None
        if line is None:
            self._process.wait()
            what = Message("{name} has ended (exit code {code})", name=self.name, code=self._process.returncode)
            if words := self._last_error():
                what = Message("{what}: {words}", what=what, words=words)
            raise PlayerFault(what)
        return line

    def _last_error(self) -> str:
        time.sleep(0.05)  # the reader of the error stream may lag behind
        return self.errors[-1] if self.errors else ""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self, after: float = 0.0) -> None:
        """Kill the program and all processes that it has started. First wait up to `after` seconds for it to exit."""
        if not self._killed:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(after)
            self._killed = True
            if self._control >= 0:
                self._close_control()
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(SUPERVISOR_SECONDS)
            if self.alive:
                self._process.kill()
        self._process.wait()
        with suppress(OSError):  # the pipe may be broken
            if self._process.stdin is not None:
                self._process.stdin.close()

    def __del__(self) -> None:
        if getattr(self, "_control", -1) >= 0:
            self._close_control()


def _lines(stream: IO[str]) -> Iterator[str]:
    """The lines of a stream; long lines are truncated."""
    while line := stream.readline(LONGEST_LINE):
        end = line
        while end and not end.endswith("\n"):
            end = stream.readline(LONGEST_LINE)
        yield printable(line.rstrip("\r\n"))


def printable(text: str) -> str:
    """A text without characters that control a terminal (escapes, other control characters, bidirectional marks)."""
    return _CONTROL_CHARACTERS.sub("\ufffd", " ".join(text.splitlines()) if "\n" in text else text)


def closed_to_others() -> None:
    """Forbid other processes of the same user to read or change the memory of this one, if the system supports it."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
