"""The `hansu` command in tests, and searches that are stopped from outside."""

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
    """A Control, or a search that counts and is stopped by itself."""

    @property
    def nodes(self) -> int: ...

    def stop(self) -> None: ...


@contextmanager
def stopped_from_outside(control: Stoppable) -> Iterator[Callable[..., None]]:
    """Stops a search from another thread as soon as it has counted a node, or has told something to what is given here:
    however long that takes on a busy machine."""
    told, over = threading.Event(), threading.Event()

    def watch() -> None:
        while not control.nodes and not told.is_set() and not over.wait(0.001):
            pass
        control.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda *_: told.set()
    finally:
        over.set()
        watcher.join()
