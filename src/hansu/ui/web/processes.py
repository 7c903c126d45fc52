"""Several server processes behind one listening socket; a free process takes the next connection.

This works because the page holds its game: after its process died, the page reconnects to any other one and continues.
Each process has a share of the machine's workers and memory. A process that dies is restarted; when the parent is gone,
for whatever reason, its processes end.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.reduction
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from hansu.core import HansuError
from hansu.ui.web.connections import Listener
from hansu.ui.web.limits import Bounds
from hansu.ui.web.server import STOP_SECONDS, Offer, server_of, site_of

SHORT_LIFE = 5.0  # seconds; a process that ends sooner counts as failed
MOST_SHORT_LIVES = 3


def share_of(bounds: Bounds, processes: int) -> Bounds:
    """The limits of one of several processes."""
    return replace(
        bounds,
        workers=max(1, bounds.workers // processes),
        memory_bytes=bounds.memory_bytes // processes,
    )


def serve_together(offer: Offer, listener: socket.socket, processes: int) -> None:
    """Run until SIGINT or SIGTERM."""
    spawn = multiprocessing.get_context("spawn")
    alive, life = spawn.Pipe(duplex=False)  # nothing is sent; it closes when the parent is gone

    def start(number: int) -> SpawnProcess:
        arguments = (offer, _Descriptor(listener.fileno()), alive, processes, number == 0)
        process = spawn.Process(target=_serve_one, args=arguments, name=f"hansu {number}")
        process.start()
        return process

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    short_lives = 0
    running = [(start(number), time.monotonic()) for number in range(processes)]
    try:
        while True:
            wait([process.sentinel for process, _ in running])
            for number, (process, began) in enumerate(running):
                if process.is_alive():
                    continue
                short_lives = short_lives + 1 if time.monotonic() - began < SHORT_LIFE else 0
                if short_lives >= MOST_SHORT_LIVES:
                    raise HansuError("the server processes end right after their start", "try without --processes")
                print(f"server process {number + 1} of {processes} has ended; restarting it", file=sys.stderr)
                running[number] = (start(number), time.monotonic())
    finally:
        life.close()
        for process, _ in running:
            process.terminate()
        deadline = time.monotonic() + 2 * STOP_SECONDS
        for process, _ in running:
            process.join(max(deadline - time.monotonic(), 0.1))
            if process.is_alive():
                process.kill()


class _Descriptor:
    """A socket's descriptor, passed to a process that is being started."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (multiprocessing.reduction.DupFd(self.number),)


def _received(descriptor: Any) -> int:
    return int(descriptor.detach())


def _serve_one(offer: Offer, descriptor: int, alive: Connection, processes: int, eager: bool) -> None:
    """Serve in one process, until it is terminated or its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which terminates this process
    site = site_of(offer, share_of(Bounds(), processes), eager)
    listener = Listener(fileno=descriptor)
    server = server_of(site.app, site.bounds, listener)

    def watch() -> None:
        wait([alive])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
    server.run(sockets=[listener])
