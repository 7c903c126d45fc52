"""A client of a protocol server that runs in a thread of this process."""

from __future__ import annotations

import io
import queue
import threading

from hansu.protocols.server import Server

WAIT = 600.0  # seconds; compiling is slow on a busy machine


class Heard(io.TextIOBase):
    """An output stream; other threads can wait for its lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.news = threading.Condition()
        self._part = ""

    def write(self, text: str) -> int:
        with self.news:
            *whole, self._part = (self._part + text).split("\n")
            self.lines += whole
            self.news.notify_all()
        return len(text)


class Talk:
    """A conversation with a server: `say` sends lines, `hear` waits for a reply."""

    def __init__(self, server: Server, heard: Heard) -> None:
        self._heard = heard
        self._read = 0  # lines that `hear` has returned
        self._sent: queue.Queue[str | None] = queue.Queue()
        self.thread = threading.Thread(target=server.run, args=(iter(self._sent.get, None),), daemon=True)
        self.thread.start()

    def say(self, *lines: str) -> None:
        for line in lines:
            self._sent.put(line)

    def end(self) -> None:
        """Close the input, which ends the server."""
        self._sent.put(None)
        self.thread.join(WAIT)
        assert not self.thread.is_alive()

    @property
    def lines(self) -> list[str]:
        """All lines of the server so far."""
        with self._heard.news:
            return list(self._heard.lines)

    def hear(self, start: str = "", passing: str = "\n") -> str:
        """Wait for the next line that starts with `start` but not with `passing`; skip all others."""
        with self._heard.news:
            while True:
                assert self._heard.news.wait_for(lambda: len(self._heard.lines) > self._read, WAIT), self._heard.lines
                line = self._heard.lines[self._read]
                self._read += 1
                if line.startswith(start) and not line.startswith(passing):
                    return line

    @property
    def silent(self) -> bool:
        """Has `hear` returned every line?"""
        with self._heard.news:
            return len(self._heard.lines) == self._read
