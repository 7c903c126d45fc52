"""Ctrl-C while compiled code runs.

Python handles signals between its own instructions, and a compiled search has none. But the signal's number is written
to a pipe at once; a thread that reads the pipe stops every search, so that Python can handle the signal. If something
cannot be stopped (a long perft), the process ends.

A search that a person waits for may be `interruptible`: Ctrl-C ends only this search, which returns its result so far.

An interrupt in a destructor or a callback would be lost; it is raised again. If other code swallowed the interrupt, a
search that starts afterwards reveals it.
"""

from __future__ import annotations

import _thread
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from hansu.core.control import Control, running
from hansu.core.message import Message
from hansu.core.terminal_language import localize

PATIENCE = 2.0  # seconds until the process is ended
SHOW_CURSOR = "\x1b[?25h"

_handled = threading.Event()
_expected = threading.Event()  # the caller waits for the stopped search, so later searches are legitimate


@dataclass
class InterruptibleSearch:
    """A search that Ctrl-C ends."""

    control: Control
    interrupted: bool = False


_searches: list[InterruptibleSearch] = []


@contextmanager
def interruptible(control: Control) -> Iterator[InterruptibleSearch]:
    """Inside this context the first Ctrl-C only stops this search; the second one raises KeyboardInterrupt."""
    search = InterruptibleSearch(control)
    _searches.append(search)
    try:
        yield search
    finally:
        _searches.remove(search)


def stop_searches_on_interrupt() -> None:
    """Install the handling of Ctrl-C. Call once, from the main thread."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _handle_signal)
    sys.unraisablehook = _raise_again
    threading.Thread(target=_wait, args=(ours, theirs), daemon=True).start()


def _handle_signal(number: int, frame: FrameType | None) -> None:
    if _searches and not _searches[-1].interrupted:
        _searches[-1].interrupted = True
        _searches[-1].control.stop()
        _expected.set()
        _handled.set()
        return
    _handled.set()
    raise KeyboardInterrupt


def _raise_again(error: Any) -> None:
    """In a destructor or a callback Python cannot raise the interrupt: it would print it and continue."""
    if error.exc_type is not None and issubclass(error.exc_type, KeyboardInterrupt):
        again = threading.Timer(0.01, _thread.interrupt_main)  # not here, where it would be lost, too
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(error)


def _wait(ours: socket.socket, theirs: socket.socket) -> None:  # holds both ends open
    while True:
        if signal.SIGINT not in ours.recv(64):
            continue
        before = list(running)
        for control in before:
            control.stop()
        if not _handled.wait(PATIENCE):
            cursor = SHOW_CURSOR if sys.stderr.isatty() else ""  # a live display has hidden it
            print(f"{cursor}\n{localize(Message('stopped'))}", file=sys.stderr, flush=True)
            os._exit(130)
        time.sleep(0.1)
        _handled.clear()
        if _expected.is_set():
            _expected.clear()
            continue
        time.sleep(PATIENCE)
        if any(control not in before for control in list(running)):
            signal.raise_signal(signal.SIGINT)  # a new search runs: the interrupt was swallowed
