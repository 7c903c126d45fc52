"""Watching and stopping a search while it runs.

A compiled search sees only an array of words. Word 0 is the stop flag, which the search polls; a timer or another
thread sets it (the search holds no interpreter lock). An interpreted search sees the Control itself.

    word  0  stop           1  nodes so far      2  node limit (0: none)      3  evaluations of unfinished positions
          4  deepest ply    5  root moves known  6  deadline (monotonic nanoseconds; 0: none)
    then  ROOT..   pairs (action, bits of the value) for each root move
          LINES..  one row a ply: length, actions of the best line from that ply on
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hansu.core.report import Report

STOP, NODES, NODE_LIMIT, EVALUATIONS, DEEPEST, ROOT_MOVES, DEADLINE = range(7)
ROOT = 8
ROOT_ROOM = 1 << 14  # moves; memory that nobody touches costs nothing
LINES = ROOT + 2 * ROOT_ROOM
LINE_ROOM = 48  # plies of the best line that are kept


running: weakref.WeakSet[Control] = weakref.WeakSet()
"""Every Control that anybody still holds: an interrupt stops them all."""


class Control:
    """One decision's stop flag, counters and listener (`on_report`), who may want to hear of several `lines`, the best
    moves each with what is expected after it (`Player.tells_lines`). Make a new one for each decision.

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
        self._words: Any = None  # int64[LINES + LINE_ROOM * (LINE_ROOM + 1)]

    @property
    def words(self) -> Any:
        """The array that compiled searches share with this object, made when first asked for."""
        if self._words is None:
            import numpy as np

            words = np.empty(LINES + LINE_ROOM * (LINE_ROOM + 1), dtype=np.int64)
            words[:ROOT] = 0
            words[LINES :: LINE_ROOM + 1] = 0  # the lines' lengths
            self._words = words
            self._keep_stop()
        return self._words

    @property
    def address(self) -> int:
        """Where the words lie: what compiled searches are handed, one number instead of an array's seven."""
        return int(self.words.ctypes.data)

    @property
    def stopped(self) -> bool:
        """Has somebody said stop, or has the time run out?"""
        return self._stop or (self._words is not None and bool(self._words[STOP]))

    @property
    def nodes(self) -> int:
        """What a compiled search has counted so far; 0 where it does not tell."""
        return 0 if self._words is None else int(self._words[NODES])

    def clear(self, node_limit: int | None = None) -> None:
        """Ready for a run: counters at zero; the stop flag and the deadline stay."""
        words = self.words
        deadline = words[DEADLINE]
        words[1:ROOT] = 0
        words[LINES :: LINE_ROOM + 1] = 0
        words[DEADLINE] = deadline
        words[NODE_LIMIT] = node_limit or 0

    def stop(self) -> None:
        """End the search as soon as it looks; it answers with what it has. Any thread may call this."""
        self._stop = True
        if self._words is not None:
            self._words[STOP] = 1

    def _keep_stop(self) -> None:
        """Another thread may have asked for it just before; never write that it has not."""
        if self._stop:
            self._words[STOP] = 1

    def tell(self, report: Report) -> None:
        """Whoever listens hears what the search knows so far."""
        if self.on_report is not None:
            self.on_report(report)

    @contextmanager
    def deadline(self, seconds: float | None) -> Iterator[None]:
        """Stops after so many seconds. Searches look at the clock themselves where compiled code can; a timer thread,
        which may wake late on a busy machine, is there for the others."""
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
        """A deadline for a part of the work. What follows may go on, unless somebody asked to stop meanwhile."""
        if seconds is None:
            yield
            return
        words = self.words
        whole = int(words[DEADLINE])
        ends = time.monotonic_ns() + int(seconds * 1e9)
        words[DEADLINE] = min(ends, whole) if whole else ends
        try:
            yield
        finally:
            words[DEADLINE] = whole
            words[STOP] = 0
            self._keep_stop()

    @property
    def halted(self) -> bool:
        """Stopped, or at the limit of nodes: what a search sees, for the code around it."""
        return self.stopped or 0 < self.words[NODE_LIMIT] <= self.words[NODES]
