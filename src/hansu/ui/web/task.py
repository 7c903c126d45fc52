"""One piece of thinking: who thinks about which position, what is to be done, how it is stopped, when it began.

Its `work` runs in a worker's thread and asks for a `control` for each of its decisions. Everything else may be called
from any thread.
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
    """`client` is the address it is done for, `number` the id of the message that asked for it."""

    def __init__(
        self, kind: Kind, player: Player, at: Position, work: Callable[[Task[T]], T], *, seconds: float,
        ply: int = 0, number: int | None = None, client: str = "", waits: bool = True,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.player = player
        self.at = at
        self.work = work
        self.seconds = seconds
        self.ply = ply
        self.number = number
        self.client = client
        self.waits = waits  # until its player is prepared; if not, somebody else answers for it
        self.long = kind in ("analysis", "review")  # these never take all workers
        self.wanted = True  # False: its answer is of no interest any more
        self.done: Future[T] = Future()
        self.on_found: Callable[[dict[str, Any]], None] | None = None
        self.on_compiling: Callable[[str], None] | None = None
        self.began: float | None = None  # when its thread began
        self.until = math.inf  # when its time is over
        self.timed_out = False
        self.stopped_at: float | None = None
        self._control: Control | None = None

    def control(self, lines: int = 1) -> Control:
        """A new control, stopped already if the task is."""
        self._control = made = Control(self._report, lines)
        if self.stopped:
            made.stop()
        return made

    @property
    def nodes(self) -> int:
        """What the decision at hand has counted so far."""
        return 0 if self._control is None else self._control.nodes

    @property
    def stopped(self) -> bool:
        return self.stopped_at is not None

    def thought_for(self, now: float) -> float:
        """Seconds that it has had to think; less than none while something is compiled for it."""
        return now - (self.until - self.seconds)

    def tell(self, found: dict[str, Any]) -> None:
        """What it knows so far, as `Report.as_json` tells it."""
        if self.on_found is not None:
            self.on_found(found)

    def _report(self, report: Report) -> None:
        if self.began is not None and self.kind in ("move", "hint"):  # the others tell it themselves, or not at all
            with contextlib.suppress(Exception):  # what is told of the way must not end the search
                self.tell(replace(report, seconds=time.monotonic() - self.began).as_json(self.at))

    def stop(self) -> None:
        """It answers soon with what it has; one that has not begun is dropped."""
        self.stopped_at = self.stopped_at or time.monotonic()
        if self._control is not None:
            self._control.stop()
        if self.began is None:
            self.done.cancel()

    def time_out(self) -> None:
        """It has had its time."""
        if not self.stopped:
            self.timed_out = True
            self.stop()

    def answer(self) -> asyncio.Future[T]:
        """For somebody who may have gone before it comes."""
        future = asyncio.wrap_future(self.done)
        future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody may ask for it
        return future

    def run(self) -> None:
        if not self.done.set_running_or_notify_cancel():
            return
        self.began = time.monotonic()
        self.until = self.began + self.seconds
        try:
            self.done.set_result(self.work(self))
        except BaseException as error:
            self.done.set_exception(error)

    def compiling(self, what: str, more: float) -> None:
        """Called in its own thread: the clock does not run while something is compiled."""
        self.until = time.monotonic() + self.seconds + more
        if self.on_compiling is not None:
            self.on_compiling(what)

    def compiled(self) -> None:
        """Called in its own thread: the clock runs again, from the beginning."""
        self.until = time.monotonic() + self.seconds


AnyTask = Task[Any]
