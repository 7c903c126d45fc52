"""Joins a Ray cluster, for training and matches on many machines."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from hansu.core.errors import HansuError
from hansu.core.optional_imports import require

ANSWER_SECONDS = 5.0  # timeout for an address


@contextmanager
def joined(address: str) -> Iterator[ModuleType]:
    """The module `ray`, connected to a cluster. `local` starts one here. An existing connection is kept."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault(
        "RAY_IGNORE_UNHANDLED_ERRORS", "1"
    )  # the first lost task is reported; later ones follow from it
    ray = require("ray", "cluster")
    connecting = not ray.is_initialized()
    if connecting:
        _join(ray, address)
    try:
        yield ray
    finally:
        if connecting:
            ray.shutdown()


def _join(ray: ModuleType, address: str) -> None:
    if address not in ("local", "auto"):
        check_address(address)
    options = {"include_dashboard": False} if address == "local" else {}
    with _own_signals():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # Ray raises many kinds of errors
            raise HansuError(
                "cannot join the cluster at {address}: {error}",
                "this machine must be part of it: ray start --address=...",
                address=address, error=trouble_of(error),
            ) from None  # fmt: skip


@contextmanager
def _own_signals() -> Iterator[None]:
    """Restores our SIGTERM handler, which Ray replaces: a run saves its state when it is terminated."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def check_address(address: str) -> None:
    """Raise HansuError if no Ray server replies at the address.

    Ray itself would try for more than ten minutes. Its servers speak HTTP/2, so a server that replies to the HTTP/2
    greeting with a settings frame (type 4) may be one.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        raise HansuError(
            "{address!r} is not the address of a Ray cluster",
            "use local, auto, or host:port as `ray start` prints it",
            address=address,
        )
    greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS) as connection:
            connection.sendall(greeting)
            replied = connection.recv(9)[3:4] == b"\4"
    except (OSError, OverflowError):
        replied = False
    if not replied:
        raise HansuError("no Ray cluster responds at {address}", "start one there: ray start --head", address=address)


def trouble_of(error: Exception) -> str:
    """The first line of an error's cause."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return lines[0] if lines else type(cause).__name__
