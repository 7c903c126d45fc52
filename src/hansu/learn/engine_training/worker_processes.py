"""Work in several processes until a deadline or Ctrl-C; all results up to then are returned.

A worker process sends each result (a game or a position) at once, so at most its current one is lost. Ctrl-C reaches
only the main process, which ends the workers."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, TypeVar

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.learn.recipe import Job

PROGRESS_SECONDS = 5.0  # between rows of progress

Part = TypeVar("Part")
Task = TypeVar("Task")
Source = Callable[[Task], Callable[[], Part | None]]  # sets a worker up; returns the function that it repeats


class Gathered(NamedTuple, Generic[Part]):
    parts: list[Part]  # at least one
    stopped: bool  # by Ctrl-C


def gather(
    job: Job, source: Source[Task, Part], tasks: Sequence[Task], seconds: float,
    count: Callable[[Part], Mapping[str, int]],
) -> Gathered[Part]:  # fmt: skip
    """Run each task in a worker process until `seconds` have passed since the first worker was ready, and collect their
    results. `count` returns what a result adds to the numbers of the progress rows."""
    parts: list[Part] = []
    stopped, started, shown = False, None, -PROGRESS_SECONDS
    numbers: Counter[str] = Counter()

    def show() -> None:
        passed = min(time.monotonic() - started, seconds) if started else 0.0
        job.show({"kind": "progress", "seconds": round(passed, 1), "whole": seconds, **numbers})

    workers: list[multiprocessing.process.BaseProcess] = []
    try:
        running: dict[Any, multiprocessing.process.BaseProcess] = {}
        for task in tasks:
            receiver, sender = multiprocessing.get_context("spawn").Pipe(duplex=False)
            worker = multiprocessing.get_context("spawn").Process(
                target=_work, args=(sender, source, task, seconds), daemon=True
            )
            with uninterrupted():  # the worker inherits this
                worker.start()
                workers.append(worker)
            sender.close()
            running[receiver] = worker
        while running:
            pipe: Any
            for pipe in wait(list(running), PROGRESS_SECONDS):
                try:
                    result = pipe.recv()
                except EOFError:
                    ended = running.pop(pipe)
                    ended.join()
                    if ended.exitcode:
                        job.tell(Message("a worker process died (exit code {code})", code=ended.exitcode))
                    continue
                if isinstance(result, Exception):
                    raise result
                started = started or time.monotonic()
                if result is not None:
                    parts.append(result)
                    numbers.update(count(result))
            if time.monotonic() - shown >= PROGRESS_SECONDS:
                shown = time.monotonic()
                show()
    except KeyboardInterrupt:
        stopped = True
    finally:
        with uninterrupted():
            for each in workers:
                each.terminate()
            for each in workers:
                each.join()
    if not parts:
        if stopped:
            raise KeyboardInterrupt
        raise HansuError("nothing was completed in time", "increase --minutes")
    show()
    return Gathered(parts, stopped)


def _work(pipe: Connection, source: Source[Task, Part], task: Task, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the main process, which ends this one
    with suppress(BrokenPipeError):  # the main process has ended
        try:
            work = source(task)
            pipe.send(None)
            ends = time.monotonic() + seconds
            while True:
                part = work()
                if part is not None:
                    pipe.send(part)
                if time.monotonic() >= ends:
                    return
        except Exception as error:
            pipe.send(error)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C in the `with` block, and in the processes that are started there."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread is interrupted
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
