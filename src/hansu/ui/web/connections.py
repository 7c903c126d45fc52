"""Connections below the app: how many there may be, how long one may say nothing, and that a closed one is gone.

uvicorn reads requests and frames; the two protocols here stand before it and use only what asyncio promises of a
protocol and its transport. Whoever connects and asks for nothing is closed after some seconds, or as soon as its place
is wanted. Whoever does not take what it is sent is cut off a moment after its connection was closed. A socket's frames
are counted before anybody reads them: pings and empty parts of messages cost as much as messages do.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import time
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hansu.ui.web.limits import Bounds, Quota, TokenBucket

TICK = 0.1  # seconds between two looks at all connections
EXTRA_DESCRIPTORS = 24  # descriptors beside those of all connections: of the ones that come or go at this moment
FORGOTTEN = 5.0  # seconds without a new connection until nothing is on the way any more
FLOODED = b"\x88\x02\x03\xf0"  # a close frame with code 1008


@dataclass(eq=False)
class Connection:
    """One of them, as long as its transport lives."""

    transport: asyncio.Transport
    address: str
    until: float  # when it is closed, unless something happens before
    asked: bool = False  # has it ever asked for anything?
    closing: bool = False


class Connections:
    """All connections of a server."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._quota = Quota(bounds.connections, bounds.connections_of_an_address)
        self._all: dict[Connection, None] = {}  # in the order in which they came
        self._descriptors = 0  # accepted, and not lost yet: also those that come or go at this moment
        self._accepted_at = 0.0

    @property
    def total(self) -> int:
        return len(self._all)

    def accept(self) -> bool:
        """May another one be accepted now? Then it counts."""
        if self._descriptors >= self._bounds.connections + EXTRA_DESCRIPTORS:
            return False
        self._descriptors += 1
        self._accepted_at = time.monotonic()
        return True

    def lost(self, one: Connection | None) -> None:
        """It is gone, and so is its descriptor."""
        self._descriptors -= 1
        if one is not None:
            self._leave(one)

    def enter(self, transport: asyncio.Transport) -> Connection | None:
        """A place for a new connection; None where there is none. One that has asked for nothing yet makes way."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        while not self._quota.enter(address):
            of_any = self.total >= self._bounds.connections
            silent = (one for one in self._all if not one.asked and (of_any or one.address == address))
            longest = next(silent, None)
            if longest is None:
                return None
            self._leave(longest)
            longest.transport.abort()
        made = Connection(transport, address, time.monotonic() + self._bounds.request_seconds)
        self._all[made] = None
        return made

    def upgrade(self, transport: asyncio.BaseTransport) -> Connection | None:
        """The connection of a transport that is a socket from now on: it lives as long as its page does."""
        found = next((one for one in self._all if one.transport is transport), None)
        if found is not None:
            found.asked, found.until = True, math.inf
        return found

    def _leave(self, one: Connection) -> None:
        if one in self._all:
            del self._all[one]
            self._quota.leave(one.address)

    def asked(self, one: Connection) -> None:
        """It has asked for something, and may take its time for the answer."""
        one.asked = True
        one.until = time.monotonic() + self._bounds.answer_seconds

    async def watch(self) -> None:
        """Cuts off what has outlived its time."""
        while True:
            self._look(time.monotonic())
            await asyncio.sleep(TICK)

    def _look(self, now: float) -> None:
        if now > self._accepted_at + FORGOTTEN:
            self._descriptors = len(self._all)
        for one in list(self._all):
            if one.transport.is_closing() and not one.closing:
                one.closing, one.until = True, now + self._bounds.linger_seconds
            if now > one.until:
                one.transport.abort()


class Listener(socket.socket):
    """A listening socket. asyncio would accept whatever waits, thousands at once, and run out of descriptors before it
    tells of the first; this one lets it take a few at a time."""

    connections: Connections | None = None

    def accept(self) -> tuple[socket.socket, Any]:
        if self.connections is not None and not self.connections.accept():
            raise BlockingIOError  # as if nobody waited; asyncio asks again at once
        try:
            return super().accept()
        except OSError:  # nobody waits
            if self.connections is not None:
                self.connections.lost(None)
            raise


class HttpProtocol(H11Protocol):
    """A connection until it becomes a socket, if it does."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._connection: Connection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._connection = self._connections.enter(transport)
        if self._connection is None:
            transport.abort()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self._connection is not None and self.cycle is not before:
            self._connections.asked(self._connection)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.lost(self._connection)
        super().connection_lost(exc)


class SocketProtocol(WebSocketsSansIOProtocol):
    """A socket: the connection of its first request, taken over."""

    def __init__(self, connections: Connections, bounds: Bounds, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._connection: Connection | None = None
        self._frames = FrameCount()
        self._bucket = TokenBucket(bounds.frames_a_second, bounds.frame_burst)
        self._opened = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connection = self._connections.upgrade(transport)

    def data_received(self, data: bytes) -> None:
        if not self._opened:  # the request that it came with
            self._opened = True
        elif not self._bucket.take(self._frames.count(data)):
            self.transport.write(FLOODED)
            self.transport.close()
            return
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.lost(self._connection)
        super().connection_lost(exc)


class FrameCount:
    """How many frames begin in what a page sends.

    A frame of a page is: two bytes (the lower seven bits of the second are the length, or 126 or 127), the length in
    two or eight bytes where it is longer, four bytes of mask, the payload.
    """

    def __init__(self) -> None:
        self._begun = b""  # the beginning of a frame whose length is not known yet
        self._left = 0  # bytes to come of a frame whose length is

    def count(self, data: bytes) -> int:
        data, at, found = self._begun + data, self._left, 0
        while at + 2 <= len(data):
            size = data[at + 1] & 0x7F
            longer = {126: 2, 127: 8}.get(size, 0)
            if at + 2 + longer > len(data):
                break
            if longer:
                size = int.from_bytes(data[at + 2 : at + 2 + longer], "big")
            at += 2 + longer + 4 + size
            found += 1
        self._begun, self._left = data[at:], max(at - len(data), 0)
        return found


def client_faults(record: logging.LogRecord) -> bool:
    """A filter that keeps out of the log what anybody can make uvicorn write there by sending nonsense."""
    return not record.getMessage().startswith(
        ("Invalid UTF-8 sequence", "Invalid HTTP request", "Unsupported upgrade request")
    )
