"""Being in touch with a Ray cluster: whoever trains or plays on many machines joins it here."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.optional_imports import require

ANSWER_SECONDS = 5.0  # until an address counts as silent


@contextmanager
def joined(address: str) -> Iterator[Any]:
    """Ray, in touch with a cluster; `local` starts one on this machine. Whoever was in touch already stays so."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # the first thing that is lost tells of those after it
    ray = require("ray", "cluster")
    ours = not ray.is_initialized()
    if ours:
        _join(ray, address)
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def _join(ray: Any, address: str) -> None:
    if address not in ("local", "auto"):
        check_address(address)
    more = {"include_dashboard": False} if address == "local" else {}
    with _own_signals():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **more)
        except Exception as error:  # it raises whatever went wrong below
            what = Message("cannot join the cluster at {address}: {error}", address=address, error=trouble_of(error))
            hint = Message("this machine must be part of it: ray start --address=...")
            raise HansuError(what, hint) from None


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray would answer SIGTERM itself; a run has its own way to end well."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def check_address(address: str) -> None:
    """Ray itself tries for more than ten minutes to reach an address where there is no Ray. Its servers speak HTTP/2,
    so whoever answers to that greeting with settings (frame 4) may be one."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        raise HansuError(
            "{address!r} is no address of a Ray cluster",
            "local, auto, or host:port as `ray start` prints it",
            address=address,
        )
    greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS) as connection:
            connection.sendall(greeting)
            answered = connection.recv(9)[3:4] == b"\4"
    except (OSError, OverflowError):
        answered = False
    if not answered:
        raise HansuError("no Ray cluster answers at {address}", "begin one there: ray start --head", address=address)


def trouble_of(error: Exception) -> str:
    """What went wrong, in a line."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return lines[0] if lines else type(cause).__name__
