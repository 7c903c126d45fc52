"""The threads that think. Compiled searches hold no interpreter lock, so threads are enough; there are few of them.

A task waits for a worker in a bounded queue: the address that has the fewest workers is next, then the one that has
waited longest for its turn. Where somebody waits who has none, the one who has most is told to come to an end. Long
tasks (analyses) never take all workers. A worker is free again when its thread has really ended, even if nobody waits
for the answer.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from hansu.compile.native import first_time_notice, ready_notice
from hansu.core.message import Message
from hansu.ui.web.limits import Bounds
from hansu.ui.web.task import AnyTask, Task
from hansu.ui.web.translations import Refused

STACK = 256 << 20  # bytes of a thread's stack, of address space only: searches may go thousands of plies deep
TICK = 0.05  # seconds between two looks at the clock

T = TypeVar("T")


class Dropped(Exception):
    """A task was stopped before it began."""


class _AtWork(threading.local):
    task: AnyTask | None = None


_at_work = _AtWork()


class Workers:
    """A bounded pool. Everything but the work itself happens in the event loop's thread."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._handed: SimpleQueue[AnyTask | None] = SimpleQueue()  # to the threads
        self._waiting: dict[AnyTask, asyncio.Future[None]] = {}  # in the order in which they came
        self._running: set[AnyTask] = set()
        self._begun: dict[str, int] = {}  # of each address that has something here: the number of its newest task
        self._numbers = itertools.count(1)
        self._threads: list[threading.Thread] = []
        self._clock: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From the event loop."""
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
        """Stop everything, and wait a moment for the threads: compiled code should not run when the process ends."""
        if self._clock is not None:
            self._clock.cancel()
        for notices, own in ((first_time_notice, self._compiling), (ready_notice, self._compiled)):
            if own in notices:
                notices.remove(own)
        for task, turn in self._waiting.items():
            task.stop()
            turn.cancel()
        for task in list(self._running):
            task.stop()
        for _ in self._threads:
            self._handed.put(None)
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
        if _at_work.task is not None:
            _at_work.task.compiling(what, self._bounds.compile_seconds)

    def _compiled(self, what: str) -> None:
        if _at_work.task is not None:
            _at_work.task.compiled()

    def _work(self) -> None:
        while (task := self._handed.get()) is not None:
            _at_work.task = task
            task.run()
            _at_work.task = task = None  # while it waits for the next one, it holds no player

    @property
    def searching(self) -> int:
        return len(self._running)

    @property
    def queued(self) -> int:
        return len(self._waiting)

    async def run(self, task: Task[T], on_queue: Callable[[int], None] | None = None) -> T:
        """The answer of a task. Cancelling the caller stops the task."""
        try:
            await self._turn(task, on_queue)
            return await asyncio.shield(task.answer())
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.done.cancelled() and caller is not None and not caller.cancelling():
                raise Dropped from None
            task.stop()
            raise

    async def _turn(self, task: AnyTask, on_queue: Callable[[int], None] | None) -> None:
        if task.done.cancelled():
            raise asyncio.CancelledError
        if self._free(task):
            self._begin(task)
            return
        if len(self._waiting) >= self._bounds.queue:
            self._make_room(task.client)
        loop = asyncio.get_running_loop()
        self._waiting[task] = turn = loop.create_future()
        task.done.add_done_callback(lambda _: _soon(loop, turn.cancel))
        if on_queue is not None:
            on_queue(len(self._waiting))
        try:
            await asyncio.wait_for(turn, self._bounds.queue_seconds)
        except TimeoutError:
            raise _busy() from None
        finally:
            self._waiting.pop(task, None)

    def _free(self, task: AnyTask) -> bool:
        return len(self._running) < self._bounds.workers and not (task.long and self._long_taken)

    @property
    def _long_taken(self) -> bool:
        return sum(task.long for task in self._running) >= self._bounds.long_searches

    def _begin(self, task: AnyTask) -> None:
        loop = asyncio.get_running_loop()
        self._running.add(task)
        self._begun[task.client] = next(self._numbers)
        task.done.add_done_callback(lambda _: _soon(loop, self._ended, task))
        self._handed.put(task)

    def _ended(self, task: AnyTask) -> None:
        self._running.discard(task)
        while True:
            held = self._held()
            ready = [task for task, turn in self._waiting.items() if not turn.done() and self._free(task)]
            if not ready:
                break
            chosen = min(ready, key=lambda task: (held[task.client], self._begun.get(task.client, 0)))
            self._waiting.pop(chosen).set_result(None)
            self._begin(chosen)
        here = {task.client for task in (*self._running, *self._waiting)}
        self._begun = {client: number for client, number in self._begun.items() if client in here}

    # Fair shares.

    def _held(self) -> Counter[str]:
        """How many workers each address has."""
        return Counter(task.client for task in self._running)

    def _share(self, now: float) -> None:
        """Somebody has no worker and somebody has several: one of these comes to an end, and answers what it has."""
        held = self._held()
        starving = [task for task in self._waiting if not held[task.client]]
        stopping = [task for task in self._running if task.stopped_at and now < task.stopped_at + self._recently]
        if not starving or len(stopping) >= len({task.client for task in starving}):
            return
        only_long = all(task.long for task in starving) and self._long_taken
        several = [
            task for task in self._running
            if task.client and held[task.client] > 1 and not task.stopped and (task.long or not only_long)
        ]  # fmt: skip
        if several:
            chosen = max(several, key=lambda task: (held[task.client], task.thought_for(now)))
            if chosen.thought_for(now) > self._bounds.share_seconds:
                chosen.time_out()

    @property
    def _recently(self) -> float:
        """Who was stopped and has not ended after so long is not waited for."""
        return max(self._bounds.share_seconds, 1.0)

    def _make_room(self, client: str) -> None:
        """In a full queue the newest of whoever waits most makes way, if that is not the newcomer itself."""
        waiting = Counter(task.client for task in self._waiting)
        most, count = waiting.most_common(1)[0]
        if count <= waiting[client] + 1:
            raise _busy()
        last = next(task for task in reversed(self._waiting) if task.client == most)
        turn = self._waiting.pop(last)
        if not turn.done():
            turn.set_exception(_busy())


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], *args: Any) -> None:
    """From any thread; a loop that is closed has nobody left to tell."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(call, *args)


def _busy() -> Refused:
    return Refused(
        "busy",
        Message("too many searches are waiting"),
        Message("try again in a moment"),
    )
