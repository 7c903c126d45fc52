"""Connections below the app: limits on their number, their idle time, and their closing.

uvicorn parses requests and frames; the two protocols here wrap its protocols and rely only on asyncio's interface of a
protocol and its transport. A connection without a request is closed after some seconds, or as soon as its place is
needed. A closed connection that does not take its remaining data is aborted. Frames of a socket are counted before they
are parsed, because pings and empty fragments cost as much as messages.
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

TICK = 0.1  # seconds between two checks of all connections
EXTRA_DESCRIPTORS = 24  # for connections that are being opened or closed at this moment
SETTLED = 5.0  # seconds without a new connection after which none is being opened or closed
FLOODED = b"\x88\x02\x03\xf0"  # a close frame with code 1008


@dataclass(eq=False)
class Connection:
    """One connection, for the lifetime of its transport."""

    transport: asyncio.Transport
    address: str
    until: float  # its deadline
    requested: bool = False  # has it ever sent a request?
    closing: bool = False


class Connections:
    """All connections of a server."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._quota = Quota(bounds.connections, bounds.connections_of_an_address)
        self._all: dict[Connection, None] = {}  # in order of arrival
        self._descriptors = 0  # accepted and not lost yet, including connections without an entry in `_all`
        self._accepted_at = 0.0

    @property
    def total(self) -> int:
        return len(self._all)

    def accept(self) -> bool:
        """Whether another connection may be accepted now; if so, it is counted."""
        if self._descriptors >= self._bounds.connections + EXTRA_DESCRIPTORS:
            return False
        self._descriptors += 1
        self._accepted_at = time.monotonic()
        return True

    def lost(self, one: Connection | None) -> None:
        """A connection and its descriptor are gone."""
        self._descriptors -= 1
        if one is not None:
            self._leave(one)

    def enter(self, transport: asyncio.Transport) -> Connection | None:
        """Register a new connection; None if there is no room. The oldest connection without a request makes way."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        while not self._quota.enter(address):
            of_any = self.total >= self._bounds.connections
            silent = (one for one in self._all if not one.requested and (of_any or one.address == address))
            oldest = next(silent, None)
            if oldest is None:
                return None
            self._leave(oldest)
            oldest.transport.abort()
        connection = Connection(transport, address, time.monotonic() + self._bounds.request_seconds)
        self._all[connection] = None
        return connection

    def upgrade(self, transport: asyncio.BaseTransport) -> Connection | None:
        """The connection of a transport that becomes a WebSocket: it has no deadline."""
        connection = next((one for one in self._all if one.transport is transport), None)
        if connection is not None:
            connection.requested, connection.until = True, math.inf
        return connection

    def _leave(self, one: Connection) -> None:
        if one in self._all:
            del self._all[one]
            self._quota.leave(one.address)

    def requested(self, one: Connection) -> None:
        """A connection has sent a request; its deadline is extended for the response."""
        one.requested = True
        one.until = time.monotonic() + self._bounds.answer_seconds

    async def watch(self) -> None:
        """Abort connections after their deadlines."""
        while True:
            self._check(time.monotonic())
            await asyncio.sleep(TICK)

    def _check(self, now: float) -> None:
        if now > self._accepted_at + SETTLED:
            self._descriptors = len(self._all)
        for one in list(self._all):
            if one.transport.is_closing() and not one.closing:
                one.closing, one.until = True, now + self._bounds.linger_seconds
            if now > one.until:
                one.transport.abort()


class Listener(socket.socket):
    """A listening socket that limits accepts. asyncio would accept thousands of waiting connections at once and run out
    of descriptors before it reports the first one."""

    connections: Connections | None = None

    def accept(self) -> tuple[socket.socket, Any]:
        if self.connections is not None and not self.connections.accept():
            raise BlockingIOError  # as if nobody waited; asyncio tries again at once
        try:
            return super().accept()
        except OSError:  # nobody is waiting
            if self.connections is not None:
                self.connections.lost(None)
            raise


class HttpProtocol(H11Protocol):
    """An HTTP connection, until it becomes a WebSocket."""

    def __init__(self, connections: Connections, **arguments: Any) -> None:
        super().__init__(**arguments)
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
            self._connections.requested(self._connection)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.lost(self._connection)
        super().connection_lost(exc)


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket: it takes over the connection of its HTTP request."""

    def __init__(self, connections: Connections, bounds: Bounds, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._connections = connections
        self._connection: Connection | None = None
        self._frames = FrameCount()
        self._bucket = TokenBucket(bounds.frames_a_second, bounds.frame_burst)
        self._opened = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connection = self._connections.upgrade(transport)

    def data_received(self, data: bytes) -> None:
        if not self._opened:  # its HTTP request
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
    """Counts the frames that begin in the data of a page.

    A frame consists of two bytes (the lower seven bits of the second are the length, or 126 or 127), the length in
    two or eight bytes if it is longer, four bytes of mask, and the payload.
    """

    def __init__(self) -> None:
        self._head = b""  # the beginning of a frame whose length is not known yet
        self._left = 0  # bytes left of a frame whose length is known

    def count(self, data: bytes) -> int:
        data, at, frames = self._head + data, self._left, 0
        while at + 2 <= len(data):
            size = data[at + 1] & 0x7F
            longer = {126: 2, 127: 8}.get(size, 0)
            if at + 2 + longer > len(data):
                break
            if longer:
                size = int.from_bytes(data[at + 2 : at + 2 + longer], "big")
            at += 2 + longer + 4 + size
            frames += 1
        self._head, self._left = data[at:], max(at - len(data), 0)
        return frames


def client_faults(record: logging.LogRecord) -> bool:
    """A log filter: drops the messages that any client could trigger by sending malformed data."""
    return not record.getMessage().startswith(
        ("Invalid UTF-8 sequence", "Invalid HTTP request", "Unsupported upgrade request")
    )
