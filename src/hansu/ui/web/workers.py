"""The threads that think. Compiled searches hold no interpreter lock, so threads are enough; there are few of them.

A search waits for a slot in a bounded queue, first come first served; long ones (analyses) never take all slots. Its
slot is free again when its thread has really ended, even if nobody waits for the answer any more.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from hansu.core.compiled import first_time_notice, ready_notice
from hansu.core.control import Control
from hansu.core.phrase import Phrase
from hansu.core.report import Report
from hansu.ui.web.bounds import Bounds
from hansu.ui.web.words import Refused

STACK = 256 << 20  # bytes of a thread's stack, of address space only: searches may go thousands of plies deep
TICK = 0.05  # seconds between two looks at the clock

T = TypeVar("T")


class Search(Generic[T]):
    """One piece of work: what to do, how to stop it, when it began. `work` runs in a worker thread and asks for a
    `control` for each of its decisions."""

    def __init__(self, work: Callable[[Search[T]], T], seconds: float, *, long: bool = False) -> None:
        self.work = work
        self.seconds = seconds
        self.long = long
        self.done: Future[T] = Future()
        self.on_report: Callable[[Report], None] | None = None
        self.on_compiling: Callable[[str], None] | None = None
        self.began: float | None = None  # when its thread began
        self.until = math.inf  # when its time is over
        self.timed_out = False
        self.stopped = False
        self._control: Control | None = None

    def control(self) -> Control:
        """A new control, stopped already if the search is."""
        self._control = made = Control(self._tell)
        if self.stopped:
            made.stop()
        return made

    @property
    def nodes(self) -> int:
        """What the decision at hand has counted so far."""
        return 0 if self._control is None else self._control.nodes

    def _tell(self, report: Report) -> None:
        if self.on_report is not None:
            self.on_report(report)

    def stop(self) -> None:
        """It answers soon with what it has; one that has not begun is dropped. Any thread may call this."""
        self.stopped = True
        if self._control is not None:
            self._control.stop()
        if self.began is None:
            self.done.cancel()

    def waited_for(self) -> asyncio.Future[T]:
        """Its answer, for somebody who may have gone before it comes."""
        future = asyncio.wrap_future(self.done)
        future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody may ask for it
        return future

    def run(self) -> None:
        if not self.done.set_running_or_notify_cancel():
            return
        self.began = time.monotonic()
        _at_work.search = self
        self.until = self.began + self.seconds
        try:
            self.done.set_result(self.work(self))
        except BaseException as error:
            self.done.set_exception(error)
        finally:
            _at_work.search = None

    def compiling(self, what: str, more: float) -> None:
        """Called in its own thread: the clock does not run while something is compiled."""
        self.until = time.monotonic() + self.seconds + more
        if self.on_compiling is not None:
            self.on_compiling(what)

    def compiled(self) -> None:
        """Called in its own thread: the clock runs again, from the beginning."""
        self.until = time.monotonic() + self.seconds

    def look_at_the_clock(self) -> None:
        if time.monotonic() > self.until and not self.stopped:
            self.timed_out = True
            self.stop()


class Dropped(Exception):
    """A search was stopped before it began."""


class _AtWork(threading.local):
    search: Search[Any] | None = None


_at_work = _AtWork()


class Workers:
    """A bounded pool. Everything but the work itself happens in the event loop's thread."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._tasks: SimpleQueue[Search[Any] | None] = SimpleQueue()
        self._waiting: deque[tuple[Search[Any], asyncio.Future[None]]] = deque()
        self._running: set[Search[Any]] = set()
        self._threads: list[threading.Thread] = []
        self._clock: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From the event loop."""
        self._clock = asyncio.ensure_future(self._tick())
        before = threading.stack_size(STACK)
        try:
            for number in range(self._bounds.workers):
                thread = threading.Thread(target=self._work, name=f"search-{number}", daemon=True)
                thread.start()
                self._threads.append(thread)
        finally:
            threading.stack_size(before)
        first_time_notice.append(self._compiling)
        ready_notice.append(self._compiled)

    async def close(self, seconds: float = 1.0) -> None:
        """Stop everything, and wait a moment for the threads: compiled code should not run when the process ends."""
        if self._clock is not None:
            self._clock.cancel()
        for notices, own in ((first_time_notice, self._compiling), (ready_notice, self._compiled)):
            if own in notices:
                notices.remove(own)
        for search, turn in self._waiting:
            search.stop()
            turn.cancel()
        for search in list(self._running):
            search.stop()
        for _ in self._threads:
            self._tasks.put(None)
        until = time.monotonic() + seconds
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < until:
            await asyncio.sleep(0.01)

    async def _tick(self) -> None:
        while True:
            for search in self._running:
                search.look_at_the_clock()
            await asyncio.sleep(TICK)

    def _compiling(self, what: str) -> None:
        search = _at_work.search
        if search is not None:
            search.compiling(what, self._bounds.compile_seconds)

    def _compiled(self, what: str) -> None:
        search = _at_work.search
        if search is not None:
            search.compiled()

    def _work(self) -> None:
        while (search := self._tasks.get()) is not None:
            search.run()

    @property
    def searching(self) -> int:
        return len(self._running)

    @property
    def queued(self) -> int:
        return len(self._waiting)

    async def run(self, search: Search[T], on_queue: Callable[[int], None] | None = None) -> T:
        """The answer of a search. Cancelling the caller stops the search."""
        try:
            await self._turn(search, on_queue)
            return await asyncio.shield(search.waited_for())
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if search.done.cancelled() and task is not None and not task.cancelling():
                raise Dropped from None
            search.stop()
            raise

    async def _turn(self, search: Search[T], on_queue: Callable[[int], None] | None) -> None:
        if search.done.cancelled():
            raise asyncio.CancelledError
        if self._free(search):
            self._begin(search)
            return
        if len(self._waiting) >= self._bounds.queue:
            raise _busy()
        loop = asyncio.get_running_loop()
        place: tuple[Search[T], asyncio.Future[None]] = (search, loop.create_future())
        self._waiting.append(place)
        search.done.add_done_callback(lambda _: _soon(loop, place[1].cancel))
        if on_queue is not None:
            on_queue(len(self._waiting))
        try:
            await asyncio.wait_for(place[1], self._bounds.queue_seconds)
        except TimeoutError:
            raise _busy() from None
        finally:
            if place in self._waiting:
                self._waiting.remove(place)

    def _free(self, search: Search[Any]) -> bool:
        if len(self._running) >= self._bounds.workers:
            return False
        return not search.long or sum(other.long for other in self._running) < self._bounds.long_searches

    def _begin(self, search: Search[Any]) -> None:
        loop = asyncio.get_running_loop()
        self._running.add(search)
        search.done.add_done_callback(lambda _: _soon(loop, self._ended, search))
        self._tasks.put(search)

    def _ended(self, search: Search[Any]) -> None:
        self._running.discard(search)
        for waiting, turn in list(self._waiting):
            if not turn.done() and self._free(waiting):
                self._waiting.remove((waiting, turn))
                turn.set_result(None)
                self._begin(waiting)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], *args: Any) -> None:
    """From any thread; a loop that is closed has nobody left to tell."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(call, *args)


def _busy() -> Refused:
    return Refused(
        "busy",
        Phrase("too many searches are waiting"),
        Phrase("try again in a moment"),
    )
