"""One piece of thinking: which player thinks about which position, how it is stopped, and when its time is up.

Its `work` runs in a worker's thread and creates a `control` for each decision. `answer` belongs to the event loop;
everything else may be used from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Generic, Literal, TypeVar

from hansu.core import Control, Player, Position, Report

T = TypeVar("T")
Kind = Literal["move", "hint", "analysis", "review", "xray"]


class Task(Generic[T]):
    """Created in the event loop's thread. `client` is the page's address, `request_id` the id of its message."""

    def __init__(
        self, kind: Kind, player: Player, position: Position, work: Callable[[Task[T]], T], *, seconds: float,
        ply: int = 0, request_id: int | None = None, client: str = "", waits: bool = True,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.player = player
        self.position = position
        self.work = work
        self.seconds = seconds
        self.ply = ply
        self.request_id = request_id
        self.client = client
        self.waits = waits  # for its player to be compiled; otherwise a stand-in decides
        self.long = kind in ("analysis", "review")  # long tasks never occupy all workers
        self.wanted = True  # False: nobody needs the answer any more
        self.done: Future[T] = Future()
        self.answer = asyncio.wrap_future(self.done)
        self.on_report: Callable[[dict[str, Any]], None] | None = None
        self.on_compiling: Callable[[str], None] | None = None
        self.began: float | None = None  # when its thread began
        self.until = math.inf  # its deadline
        self.timed_out = False
        self.stopped_at: float | None = None
        self._loop = self.answer.get_loop()
        self._control: Control | None = None

    def control(self, lines: int = 1) -> Control:
        """A control for the next decision, stopped at once if the task is stopped."""
        self._control = control = Control(self._report, lines)
        if self.stopped_at is not None:
            control.stop()
        return control

    @property
    def goes_on(self) -> bool:
        """May a turn of several moves continue?"""
        return self.wanted and not self.timed_out

    @property
    def nodes(self) -> int:
        """The nodes that the current decision has counted so far."""
        return 0 if self._control is None else self._control.nodes

    @property
    def stopped(self) -> bool:
        return self.stopped_at is not None

    def thinking_time(self, now: float) -> float:
        """Seconds of thinking so far; negative while something is compiled."""
        return now - (self.until - self.seconds)

    def report(self, report: dict[str, Any]) -> None:
        """Publish an intermediate report, in the form of `Report.as_json`."""
        if self.on_report is not None:
            self.on_report(report)

    def _report(self, report: Report) -> None:
        if self.began is not None and self.kind in ("move", "hint"):  # the other kinds report by themselves
            with contextlib.suppress(Exception):  # a failing report must not end the search
                self.report(replace(report, seconds=time.monotonic() - self.began).as_json(self.position))

    def stop(self) -> None:
        """Make it answer soon with what it has. A task that has not begun is dropped."""
        self.stopped_at = self.stopped_at or time.monotonic()
        if self._control is not None:
            self._control.stop()
        if self.began is None:
            self.done.cancel()

    def time_out(self) -> None:
        """Stop it because its time is up."""
        if not self.stopped:
            self.timed_out = True
            self.stop()

    def run(self) -> None:
        """Do the work, in the thread of a worker."""
        if not self.done.set_running_or_notify_cancel():
            return
        self.began = time.monotonic()
        self.until = self.began + self.seconds
        try:
            self.done.set_result(self.work(self))
        except BaseException as error:
            self.done.set_exception(error)

    def compiling(self, what: str, more: float) -> None:
        """Called in its own thread: compilation does not count as thinking time."""
        self.until = time.monotonic() + self.seconds + more
        if self.on_compiling is not None:
            self.on_compiling(what)

    def compiled(self) -> None:
        """Called in its own thread: the thinking time starts again."""
        self.until = time.monotonic() + self.seconds

    def call_soon(self, call: Callable[..., Any], *args: Any) -> None:
        """Call something in the event loop's thread, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *args)


AnyTask = Task[Any]
