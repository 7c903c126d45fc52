"""Ctrl-C while compiled code runs.

Python only looks at signals between its own instructions, and a compiled search has none. But the signal's number is
written to a pipe at once; a thread that waits there stops every search, so that Python gets its turn. What cannot be
stopped (a long perft) is left by ending the process.

A thought that somebody waits for may be `interruptible`: then Ctrl-C only ends it, and it answers with what it has.

Where the interrupt comes up in a destructor or in a callback, Python would forget it; it is raised again. Where
somebody else swallowed it, a search that begins afterwards shows that.
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

_heard = threading.Event()
_answers = threading.Event()  # the search that was stopped is waited for: whoever searches afterwards may


@dataclass
class Thought:
    """What Ctrl-C ends."""

    control: Control
    interrupted: bool = False


_thoughts: list[Thought] = []


@contextmanager
def interruptible(control: Control) -> Iterator[Thought]:
    """Ctrl-C in here stops this search and nothing else; the second one is raised as ever."""
    thought = Thought(control)
    _thoughts.append(thought)
    try:
        yield thought
    finally:
        _thoughts.remove(thought)


def stop_searches_on_interrupt() -> None:
    """Call once, from the main thread."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _python_hears)
    sys.unraisablehook = _forgotten
    threading.Thread(target=_wait, args=(ours, theirs), daemon=True).start()


def _python_hears(number: int, frame: FrameType | None) -> None:
    if _thoughts and not _thoughts[-1].interrupted:
        _thoughts[-1].interrupted = True
        _thoughts[-1].control.stop()
        _answers.set()
        _heard.set()
        return
    _heard.set()
    raise KeyboardInterrupt


def _forgotten(trouble: Any) -> None:
    """In a destructor or a callback Python can raise nothing: it would only print it, and go on."""
    if trouble.exc_type is not None and issubclass(trouble.exc_type, KeyboardInterrupt):
        again = threading.Timer(0.01, _thread.interrupt_main)  # not in here, where it would be forgotten, too
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(trouble)


def _wait(ours: socket.socket, theirs: socket.socket) -> None:  # holds both ends open
    while True:
        if signal.SIGINT not in ours.recv(64):
            continue
        before = list(running)
        for control in before:
            control.stop()
        if not _heard.wait(PATIENCE):
            cursor = SHOW_CURSOR if sys.stderr.isatty() else ""  # a picture that moves has hidden it
            print(f"{cursor}\n{localize(Message('stopped'))}", file=sys.stderr, flush=True)
            os._exit(130)
        time.sleep(0.1)
        _heard.clear()
        if _answers.is_set():
            _answers.clear()
            continue
        time.sleep(PATIENCE)
        if any(control not in before for control in list(running)):
            signal.raise_signal(signal.SIGINT)  # somebody searches on: it was forgotten
