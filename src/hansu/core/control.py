"""Watching and stopping a running search.

An interpreted search uses the Control itself. A compiled search sees only its array of words, int64. Word 0 is the stop
flag: the search polls it, and a timer or another thread sets it (the search does not hold the interpreter lock).

    word  0  stop           1  nodes so far            2  node limit (0: none)    3  evaluations of unfinished positions
          4  deepest ply    5  number of root moves    6  deadline (monotonic nanoseconds; 0: none)
    then  ROOT..   a pair (action, bits of the value) per root move
          LINES..  a row per ply: length and actions of the best line from that ply on
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hansu.core.report import Report
from hansu.core.types import Int64Array

STOP, NODES, NODE_LIMIT, EVALUATIONS, DEEPEST, ROOT_MOVES, DEADLINE = range(7)
ROOT = 8
ROOT_ROOM = 1 << 14  # moves; memory that is never written costs nothing
LINES = ROOT + 2 * ROOT_ROOM
LINE_ROOM = 48  # plies of the best line

running: weakref.WeakSet[Control] = weakref.WeakSet()
"""Every living Control: Ctrl-C stops them all."""


class Control:
    """The stop flag, counters and progress callback of one decision. Create a new one for each decision.

    `on_report` is called with every progress report. `lines` is the number of best moves to report, each with its line
    (players with `tells_lines`).

    >>> import hansu
    >>> depths = []
    >>> position = hansu.game("tictactoe").position("1 5 9 2")
    >>> control = Control(lambda report: depths.append(report.depth))
    >>> decision = hansu.player("iterative", position.game).decide(position, control=control)
    >>> depths, decision.report.proved
    ([1, 2, 3, 4, 5], True)
    """

    def __init__(self, on_report: Callable[[Report], None] | None = None, lines: int = 1) -> None:
        running.add(self)
        self.on_report = on_report
        self.lines = lines
        self._stop = False
        self._words: Int64Array | None = None  # int64[LINES + LINE_ROOM * (LINE_ROOM + 1)]

    @property
    def words(self) -> Int64Array:
        """The array that compiled searches share with this object; created on first use."""
        if self._words is None:
            import numpy as np

            words = np.empty(LINES + LINE_ROOM * (LINE_ROOM + 1), dtype=np.int64)
            words[:ROOT] = 0
            words[LINES :: LINE_ROOM + 1] = 0  # the lines' lengths
            self._words = words
            self._restore_stop(words)
        return self._words

    @property
    def address(self) -> int:
        """The address of `words`: compiled searches take this one number instead of an array's seven."""
        return int(self.words.ctypes.data)

    @property
    def stopped(self) -> bool:
        """Was a stop requested, or is the time up?"""
        return self._stop or (self._words is not None and bool(self._words[STOP]))

    @property
    def nodes(self) -> int:
        """The nodes that a compiled search has counted so far; 0 if it does not count."""
        return 0 if self._words is None else int(self._words[NODES])

    def clear(self, node_limit: int | None = None) -> None:
        """Reset the counters for a new run. The stop flag and the deadline stay."""
        words = self.words
        deadline = words[DEADLINE]
        words[1:ROOT] = 0
        words[LINES :: LINE_ROOM + 1] = 0
        words[DEADLINE] = deadline
        words[NODE_LIMIT] = node_limit or 0

    def stop(self) -> None:
        """Ask the search to stop and return its best move so far. Any thread may call this."""
        self._stop = True
        if self._words is not None:
            self._words[STOP] = 1

    def _restore_stop(self, words: Int64Array) -> None:
        """Set the flag again after it was cleared: another thread may have requested a stop meanwhile."""
        if self._stop:
            words[STOP] = 1

    def tell(self, report: Report) -> None:
        """Pass a progress report to `on_report`."""
        if self.on_report is not None:
            self.on_report(report)

    @contextmanager
    def deadline(self, seconds: float | None) -> Iterator[None]:
        """Stop the search after this many seconds.

        Compiled searches read the clock themselves. A timer thread, which may wake up late on a busy machine, stops
        the others.
        """
        if seconds is None:
            yield
            return
        self.words[DEADLINE] = time.monotonic_ns() + int(seconds * 1e9)
        timer = threading.Timer(seconds, self.stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def phase(self, seconds: float | None) -> Iterator[None]:
        """A deadline for one phase of the search. Afterwards the search may go on, unless a stop was requested."""
        if seconds is None:
            yield
            return
        words = self.words
        total = int(words[DEADLINE])
        end = time.monotonic_ns() + int(seconds * 1e9)
        words[DEADLINE] = min(end, total) if total else end
        try:
            yield
        finally:
            words[DEADLINE] = total
            words[STOP] = 0
            self._restore_stop(words)

    @property
    def halted(self) -> bool:
        """Is the search stopped or at its node limit? The same test as the search's own."""
        return self.stopped or bool(0 < self.words[NODE_LIMIT] <= self.words[NODES])
