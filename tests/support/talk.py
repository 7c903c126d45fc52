"""A manager that talks with a server of a protocol, which runs in a thread of this process."""

from __future__ import annotations

import io
import queue
import threading

from hansu.protocols.server import Server

WAIT = 600.0  # seconds: compiling takes a while on a busy machine


class Heard(io.TextIOBase):
    """An output whose lines can be waited for."""

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
    def __init__(self, server: Server, heard: Heard) -> None:
        self._heard = heard
        self._read = 0  # lines that `hear` has given
        self._said: queue.Queue[str | None] = queue.Queue()
        self.thread = threading.Thread(target=server.run, args=(iter(self._said.get, None),), daemon=True)
        self.thread.start()

    def say(self, *lines: str) -> None:
        for line in lines:
            self._said.put(line)

    def end(self) -> None:
        """The end of the input, and so of the server."""
        self._said.put(None)
        self.thread.join(WAIT)
        assert not self.thread.is_alive()

    @property
    def lines(self) -> list[str]:
        """All that it has said."""
        with self._heard.news:
            return list(self._heard.lines)

    def hear(self, start: str = "", passing: str = "\n") -> str:
        """The next line that begins so; those that begin with `passing` are passed over, as are others before."""
        with self._heard.news:
            while True:
                assert self._heard.news.wait_for(lambda: len(self._heard.lines) > self._read, WAIT), self._heard.lines
                line = self._heard.lines[self._read]
                self._read += 1
                if line.startswith(start) and not line.startswith(passing):
                    return line

    @property
    def silent(self) -> bool:
        """Has it said nothing that was not heard?"""
        with self._heard.news:
            return len(self._heard.lines) == self._read
