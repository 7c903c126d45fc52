"""Helpers for the `hansu` command and for searches that another thread stops."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]


class Stoppable(Protocol):
    """A Control, or a search with its own counter and stop."""

    @property
    def nodes(self) -> int: ...

    def stop(self) -> None: ...


@contextmanager
def stopped_from_outside(control: Stoppable) -> Iterator[Callable[..., None]]:
    """Stop a search from another thread once it has counted a node or called the yielded function.

    It does not depend on the clock, so it works on a busy machine.
    """
    called, over = threading.Event(), threading.Event()

    def watch() -> None:
        while not control.nodes and not called.is_set() and not over.wait(0.001):
            pass
        control.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda *_: called.set()
    finally:
        over.set()
        watcher.join()
