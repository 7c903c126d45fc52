"""A command in a pseudo-terminal: what a person there sees, types and interrupts."""

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

SECONDS = 600.0  # a busy machine may take long; nothing here waits for a clock that is not its own
COLUMNS, ROWS = 100, 40


class Terminal:
    """`hansu` with these words. Standard output may go to a file instead, as behind `>`."""

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
        self._seen = 0  # characters of it that were waited for

    @property
    def shown(self) -> str:
        return self._shown.decode(errors="replace")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def wait_for(self, pattern: str) -> None:
        """Until the pattern is shown, after what was waited for before."""
        end = time.monotonic() + SECONDS
        while not (found := re.compile(pattern).search(self.shown, self._seen)):
            assert time.monotonic() < end and self._read(), f"{pattern} was never shown: {self.shown!r}"
        self._seen = found.end()

    def interrupt(self) -> None:
        self.type("\x03")

    def end(self) -> int:
        """The exit code, when it has ended by itself."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self._read():
            pass
        code = self._process.wait(timeout=SECONDS)
        os.close(self._ours)
        return code

    def _read(self) -> bool:
        """False: it has ended, and everything was read."""
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
        """What was shown, without colours and the cursor's ways."""
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown)
        return [line.rstrip() for line in re.split(r"[\r\n]+", plain)]
