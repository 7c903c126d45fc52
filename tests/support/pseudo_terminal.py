"""Runs a command in a pseudo-terminal, with its screen, keyboard and Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

SECONDS = 600.0  # a generous timeout for busy machines
COLUMNS, ROWS = 100, 40


class Terminal:
    """`hansu` with these arguments. Standard output may go to a file, as with `>`."""

    def __init__(self, *words: str, output: Path | None = None) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("NO_COLOR", None)
        to = theirs if output is None else os.open(output, os.O_WRONLY | os.O_CREAT)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hansu", *words],
            stdin=theirs, stdout=to, stderr=theirs, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal
        )  # fmt: skip
        os.close(theirs)
        if output is not None:
            os.close(to)
        self._shown = b""
        self._matched = 0  # characters up to the last match

    @property
    def shown(self) -> str:
        return self._shown.decode(errors="replace")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def wait_for(self, pattern: str) -> None:
        """Wait until the pattern appears after the last match."""
        end = time.monotonic() + SECONDS
        while not (match := re.compile(pattern).search(self.shown, self._matched)):
            assert time.monotonic() < end and self._read(), f"{pattern} was never shown: {self.shown!r}"
        self._matched = match.end()

    def interrupt(self) -> None:
        self.type("\x03")

    def end(self) -> int:
        """Wait for the process to end; returns its exit code."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self._read():
            pass
        code = self._process.wait(timeout=SECONDS)
        os.close(self._ours)
        return code

    def _read(self) -> bool:
        """Read more output. False if the process has ended and everything was read."""
        while not select.select([self._ours], [], [], 0.1)[0]:
            if self._process.poll() is not None:
                return False
        try:
            self._shown += os.read(self._ours, 65536)
        except OSError:
            return False
        return True

    @property
    def lines(self) -> list[str]:
        """The output without escape sequences."""
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown)
        return [line.rstrip() for line in re.split(r"[\r\n]+", plain)]
