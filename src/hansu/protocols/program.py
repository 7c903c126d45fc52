"""A program outside that we talk with line by line, within limits of time and memory. Whatever ends hansu ends it, with
all that it has started (see `supervisor`)."""

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
LONGEST_LINE = 1 << 18  # characters; a report on every move of a large board has room
KEPT_ERROR_LINES = 40
WAITING_LINES = 200
_STEERING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PR_SET_DUMPABLE = 4  # of Linux's prctl
SUPERVISOR = Path(__file__).with_name("supervisor.py")
SUPERVISOR_SECONDS = 10.0  # until the supervisor itself is killed


class Program:
    """One running program. Whatever goes wrong with it is a PlayerFault that names it."""

    def __init__(
        self, command: Sequence[str], name: str, memory_limit: int = MEMORY_LIMIT, folder: Path | None = None
    ) -> None:
        self.name = name
        self.errors: deque[str] = deque(maxlen=KEPT_ERROR_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._killed = False
        self._control = -1  # the pipe whose closing ends it
        self._closing = threading.Lock()
        try:
            self._process = self._started(list(command), memory_limit, folder)
        except (OSError, ValueError) as error:  # ValueError: a word with a null byte
            reason = getattr(error, "strerror", None) or error
            what = Message("{name} cannot be started: {error}", name=name, error=reason)
            hint = Message("is {program} there, and a program that this machine can run?", program=command[0])
            raise PlayerFault(what, hint) from None
        threading.Thread(target=self._pump_output, daemon=True).start()
        threading.Thread(target=self._pump_errors, daemon=True).start()

    def _started(self, command: list[str], memory_limit: int, folder: Path | None) -> subprocess.Popen[str]:
        def start(words: list[str], *pipes: int) -> subprocess.Popen[str]:
            return subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                encoding="utf-8", errors="replace", bufsize=1, start_new_session=True, cwd=folder, pass_fds=pipes,
            )  # fmt: skip

        if os.name != "posix":
            return start(command)
        control, self._control = os.pipe()
        said, status = os.pipe()
        try:
            supervisor = [sys.executable, "-I", "-S", str(SUPERVISOR), str(memory_limit), str(control), str(status)]
            process = start([*supervisor, *command], control, status)
        except BaseException:
            os.close(said)
            self._let_go()
            raise
        finally:
            os.close(control)
            os.close(status)
        with os.fdopen(said, encoding="utf-8", errors="replace") as file:
            trouble = file.read()
        if trouble:
            self._let_go()
            process.communicate()
            raise OSError(trouble)
        return process

    def _let_go(self) -> None:
        """Close the control pipe, once."""
        with self._closing:
            control, self._control = self._control, -1
        if control >= 0:
            os.close(control)

    def _pump_output(self) -> None:
        assert self._process.stdout is not None
        for line in _lines(self._process.stdout):
            if not self._hand_on(line):
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
        for line in _lines(self._process.stderr):
            self.errors.append(line.rstrip())

    def send(self, line: str) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            words = self._last_words()
            if words:
                raise PlayerFault("{name} has ended: {words}", name=self.name, words=words) from None
            raise PlayerFault("{name} has ended", name=self.name) from None

    def read(self, seconds: float) -> str:
        """The next line it prints, or a fault if it is silent for so long or has ended."""
        line = self.wait(seconds)
        if line is None:
            self.kill()
            raise PlayerFault("{name} did not answer within {seconds:.3g} s", name=self.name, seconds=max(seconds, 0))
        return line

    def wait(self, seconds: float) -> str | None:
        """The next line it prints, or None if it is silent for so long; a fault if it has ended."""
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None
        if line is None:
            self._process.wait()
            what = Message("{name} has ended (exit code {code})", name=self.name, code=self._process.returncode)
            if words := self._last_words():
                what = Message("{what}: {words}", what=what, words=words)
            raise PlayerFault(what)
        return line

    def _last_words(self) -> str:
        time.sleep(0.05)  # the error pump may be a moment behind
        return self.errors[-1] if self.errors else ""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self, after: float = 0.0) -> None:
        """End it, with whatever it has started itself. It has so many seconds to end first."""
        if not self._killed:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(after)
            self._killed = True
            if self._control >= 0:
                self._let_go()
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(SUPERVISOR_SECONDS)
            if self.alive:
                self._process.kill()
        self._process.wait()
        with suppress(OSError):  # it was broken before
            if self._process.stdin is not None:
                self._process.stdin.close()

    def __del__(self) -> None:
        if getattr(self, "_control", -1) >= 0:
            self._let_go()


def _lines(stream: IO[str]) -> Iterator[str]:
    """The lines of a stream. Of one that is too long only the beginning is kept."""
    while line := stream.readline(LONGEST_LINE):
        end = line
        while end and not end.endswith("\n"):
            end = stream.readline(LONGEST_LINE)
        yield printable(line.rstrip("\r\n"))


def printable(text: str) -> str:
    """A text from outside without what would steer a terminal (escapes, other control characters, turned writing)."""
    return _STEERING.sub("\ufffd", " ".join(text.splitlines()) if "\n" in text else text)


def closed_to_others() -> None:
    """From now on no other process of the same user may look into this one's memory or change it, where the system can
    see to that."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
