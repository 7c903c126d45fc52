"""Work in several processes until its time is over, or until Ctrl-C; what they found by then is kept.

A process hands over a game, or a position, as soon as it has it, so what is lost is never more than what was in hand.
Ctrl-C is heard by this process alone, which ends the others.
"""

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

SHOWN_SECONDS = 5.0  # between rows of numbers

Part = TypeVar("Part")
Task = TypeVar("Task")
Source = Callable[[Task], Callable[[], Part | None]]  # what a process begins with, and what it does again and again


class Gathered(NamedTuple, Generic[Part]):
    parts: list[Part]  # one at least
    stopped: bool  # by Ctrl-C


def gather(
    job: Job, source: Source[Task, Part], tasks: Sequence[Task], seconds: float,
    count: Callable[[Part], Mapping[str, int]],
) -> Gathered[Part]:  # fmt: skip
    """What comes of each task in a process of its own, within so many seconds after the first of them is ready; `count`
    says how much a part adds to the numbers that are shown."""
    parts: list[Part] = []
    stopped, begun, shown = False, None, -SHOWN_SECONDS
    numbers: Counter[str] = Counter()

    def show() -> None:
        passed = min(time.monotonic() - begun, seconds) if begun else 0.0
        job.show({"kind": "progress", "seconds": round(passed, 1), "whole": seconds, **numbers})

    workers: list[multiprocessing.process.BaseProcess] = []
    try:
        waited_for: dict[Any, multiprocessing.process.BaseProcess] = {}
        for task in tasks:
            ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
            worker = multiprocessing.get_context("spawn").Process(
                target=_work, args=(theirs, source, task, seconds), daemon=True
            )
            with uninterrupted():  # which the worker takes over
                worker.start()
                workers.append(worker)
            theirs.close()
            waited_for[ours] = worker
        while waited_for:
            pipe: Any
            for pipe in wait(list(waited_for), SHOWN_SECONDS):
                try:
                    found = pipe.recv()
                except EOFError:
                    ended = waited_for.pop(pipe)
                    ended.join()
                    if ended.exitcode:
                        job.tell(Message("a process was lost (exit code {code})", code=ended.exitcode))
                    continue
                if isinstance(found, Exception):
                    raise found
                begun = begun or time.monotonic()
                if found is not None:
                    parts.append(found)
                    numbers.update(count(found))
            if time.monotonic() - shown >= SHOWN_SECONDS:
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
        raise HansuError("nothing was finished in that time", "give it more --minutes")
    show()
    return Gathered(parts, stopped)


def _work(pipe: Connection, source: Source[Task, Part], task: Task, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this
    with suppress(BrokenPipeError):  # the parent is no more
        try:
            found = source(task)
            pipe.send(None)
            ends = time.monotonic() + seconds
            while True:
                part = found()
                if part is not None:
                    pipe.send(part)
                if time.monotonic() >= ends:
                    return
        except Exception as error:
            pipe.send(error)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C does nothing in here, and nothing to processes that begin in here."""
    if threading.current_thread() is not threading.main_thread():  # nobody interrupts it
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
