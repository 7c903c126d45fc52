"""The threads that think. Compiled searches release the interpreter lock, so a few threads are enough.

A task waits for a worker in a bounded queue. The address with the fewest workers is served first; among equals, the
address that has waited longest. If an address without a worker waits, the address with the most workers loses one: its
task is stopped and answers with what it has. Long tasks (analyses, reviews) never occupy all workers. A worker is free
again when its thread has really finished, even if nobody waits for the answer.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from hansu.compile.native import first_time_notice, ready_notice
from hansu.core.message import Message
from hansu.ui.web.limits import Bounds
from hansu.ui.web.task import AnyTask, Task
from hansu.ui.web.translations import Refused

STACK = 256 << 20  # bytes of each thread's stack (address space only): searches may go thousands of plies deep
TICK = 0.05  # seconds between two checks of the deadlines

T = TypeVar("T")


class Dropped(Exception):
    """A task was stopped before it began."""


class _ThreadState(threading.local):
    task: AnyTask | None = None


_thread = _ThreadState()


class Workers:
    """A bounded pool of threads. Everything except the work itself happens in the event loop's thread."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._most_long = bounds.long_searches
        self._queue: SimpleQueue[AnyTask | None] = SimpleQueue()  # to the threads
        self._waiting: dict[AnyTask, asyncio.Future[None]] = {}  # in order of arrival
        self._running: set[AnyTask] = set()
        self._last_start: dict[str, int] = {}  # address with tasks here -> number of the task it started last
        self._numbers = itertools.count(1)
        self._threads: list[threading.Thread] = []
        self._clock: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the threads. Call from the event loop."""
        self._clock = asyncio.ensure_future(self._tick())
        before = threading.stack_size(STACK)
        try:
            for number in range(self._bounds.workers):
                thread = threading.Thread(target=self._work, name=f"worker-{number}", daemon=True)
                thread.start()
                self._threads.append(thread)
        finally:
            threading.stack_size(before)
        first_time_notice.append(self._compiling)
        ready_notice.append(self._compiled)

    async def close(self, seconds: float = 1.0) -> None:
        """Stop everything and wait briefly for the threads: compiled code should not run while the process ends."""
        if self._clock is not None:
            self._clock.cancel()
        for notices, own in ((first_time_notice, self._compiling), (ready_notice, self._compiled)):
            if own in notices:
                notices.remove(own)
        for task in [*self._waiting, *self._running]:
            task.stop()
        for _ in self._threads:
            self._queue.put(None)
        until = time.monotonic() + seconds
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < until:
            await asyncio.sleep(0.01)

    async def _tick(self) -> None:
        while True:
            now = time.monotonic()
            for task in self._running:
                if now > task.until:
                    task.time_out()
            self._share(now)
            await asyncio.sleep(TICK)

    def _compiling(self, what: str) -> None:
        if _thread.task is not None:
            _thread.task.compiling(what, self._bounds.compile_seconds)

    def _compiled(self, what: str) -> None:
        if _thread.task is not None:
            _thread.task.compiled()

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            _thread.task = task
            task.run()
            _thread.task = task = None  # an idle worker holds no player

    @property
    def searching(self) -> int:
        return len(self._running)

    @property
    def queued(self) -> int:
        return len(self._waiting)

    async def run(self, task: Task[T], on_queue: Callable[[int], None] | None = None) -> T:
        """The task's answer; `on_queue` hears how long the queue is if the task has to wait. Cancelling the caller
        stops the task."""
        if task.done.cancelled():
            raise Dropped
        self._waiting[task] = turn = asyncio.get_running_loop().create_future()
        try:
            self._start_ready()
            if not turn.done():
                if len(self._waiting) > self._bounds.queue:
                    self._make_room(task.client)
                if on_queue is not None:
                    on_queue(len(self._waiting))
                await asyncio.wait(
                    (turn, task.answer), timeout=self._bounds.queue_seconds, return_when=asyncio.FIRST_COMPLETED
                )
                if turn.done():
                    turn.result()
                elif not task.answer.done():
                    raise _busy()
            return await asyncio.shield(task.answer)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.done.cancelled() and caller is not None and not caller.cancelling():
                raise Dropped from None
            task.stop()
            raise
        finally:
            self._waiting.pop(task, None)

    def _start_ready(self) -> None:
        """Start waiting tasks while workers are free: first those of the address with the fewest workers."""
        while len(self._running) < self._bounds.workers:
            long_taken = sum(task.long for task in self._running) >= self._most_long
            ready = [task for task in self._waiting if not (task.long and long_taken) and not task.done.cancelled()]
            if not ready:
                return
            held = Counter(task.client for task in self._running)
            ranks = [(held[task.client], self._last_start.get(task.client, 0)) for task in ready]
            task = ready[ranks.index(min(ranks))]
            self._waiting.pop(task).set_result(None)
            self._running.add(task)
            self._last_start[task.client] = next(self._numbers)
            task.answer.add_done_callback(partial(self._finish, task))
            self._queue.put(task)

    def _finish(self, task: AnyTask, answer: asyncio.Future[Any]) -> None:
        """A worker is free again."""
        if not answer.cancelled():
            answer.exception()  # marks it as retrieved: the caller may be gone
        self._running.discard(task)
        self._start_ready()
        here = {task.client for task in (*self._running, *self._waiting)}
        self._last_start = {client: number for client, number in self._last_start.items() if client in here}

    # Fair shares.

    def _share(self, now: float) -> None:
        """If one address has no worker and another has several, stop a task of the latter."""
        held = Counter(task.client for task in self._running)
        starving = [task for task in self._waiting if not held[task.client]]
        # A task that was stopped and has not ended after this time is not waited for.
        patience = max(self._bounds.share_seconds, 1.0)
        stopping = [task for task in self._running if task.stopped_at and now < task.stopped_at + patience]
        if not starving or len(stopping) >= len({task.client for task in starving}):
            return
        long_taken = sum(task.long for task in self._running) >= self._most_long
        only_long = long_taken and all(task.long for task in starving)
        several = [
            task for task in self._running
            if task.client and held[task.client] > 1 and not task.stopped and (task.long or not only_long)
        ]  # fmt: skip
        if several:
            chosen = max(several, key=lambda task: (held[task.client], task.thinking_time(now)))
            if chosen.thinking_time(now) > self._bounds.share_seconds:
                chosen.time_out()

    def _make_room(self, client: str) -> None:
        """The queue is full. Reject the newest task of the address with the most waiting tasks, or the newcomer of
        address `client` if that address has as many."""
        waiting = Counter(task.client for task in self._waiting)
        most, count = waiting.most_common(1)[0]
        if count <= waiting[client]:
            raise _busy()
        last = next(task for task in reversed(self._waiting) if task.client == most)
        self._waiting.pop(last).set_exception(_busy())


def _busy() -> Refused:
    return Refused(
        "busy",
        Message("too many searches are waiting"),
        Message("try again in a moment"),
    )
