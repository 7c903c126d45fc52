"""The socket of one page: incoming messages within limits, outgoing messages without blocking other pages."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hansu.core.message import Message
from hansu.ui.web.limits import TokenBucket
from hansu.ui.web.messages import ErrorMessage, Hello, Reply, number_in
from hansu.ui.web.session import Session, Shared
from hansu.ui.web.translations import words

NORMAL, FLOOD, TOO_LARGE = 1000, 1008, 1009
CLOSE_SECONDS = 1.0
SLOW = 4  # waiting messages from which on a page counts as slow and skips droppable ones


class PageSocket:
    """Reads a page's messages, hands them to its session, and writes the session's messages."""

    def __init__(self, socket: WebSocket, shared: Shared, address: str) -> None:
        self._socket = socket
        self._bounds = shared.bounds
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._outbox_length = 0  # characters
        self._session = Session(shared, address, self.send, self.caught_up)
        self._bucket = TokenBucket(self._bounds.messages_a_second, self._bounds.burst)
        self._patience = TokenBucket(1.0, self._bounds.dropped)
        self._given_up = asyncio.Event()

    def send(self, message: Reply | str, droppable: bool = False) -> None:
        """Queue a message. A slow page skips droppable messages; a page that is far behind is disconnected."""
        waiting = self._outbox.qsize()
        if self._given_up.is_set() or (droppable and waiting > SLOW):
            return
        text = message if isinstance(message, str) else message.model_dump_json()
        self._outbox_length += len(text)
        self._outbox.put_nowait(text)
        if waiting >= self._bounds.outbox or self._outbox_length > self._bounds.outbox_bytes:
            self._given_up.set()

    async def caught_up(self) -> None:
        """Wait until the page has taken nearly all messages."""
        while not self._given_up.is_set() and self._outbox.qsize() > 1:
            await asyncio.sleep(0.02)

    async def serve(self, version: str) -> None:
        """Run until the page leaves, floods the server, or stops taking messages."""
        self.send(Hello(version=version))
        parts = [asyncio.ensure_future(part) for part in (self._write(), self._read(), self._given_up.wait())]
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._given_up.set()
            for part in parts:
                part.cancel()
            with contextlib.suppress(RuntimeError):  # the thread pool is gone if the server had to stop in a hurry
                await self._session.close()
            if self._socket.application_state is WebSocketState.CONNECTED:
                await self._close(NORMAL)

    async def _read(self) -> None:
        """Hand the page's messages to the session one by one, within size and rate."""
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] != "websocket.receive":
                    return
                text = message.get("text")
                if text is None:
                    text = message.get("bytes") or b""
                if len(text) > self._bounds.message_bytes:
                    await self._close(TOO_LARGE)
                    return
                if self._bucket.take():
                    await self._session.handle(text)
                elif self._patience.take():
                    number = number_in(text)  # a page waits for the answer to a message with an id
                    self.send(_TOO_FAST.model_copy(update={"re": number}), droppable=number is None)
                else:
                    await self._close(FLOOD)
                    return
        except (WebSocketDisconnect, RuntimeError):
            return

    async def _write(self) -> None:
        try:
            while True:
                text = await self._outbox.get()
                await asyncio.wait_for(self._socket.send_text(text), self._bounds.send_seconds)
                self._outbox_length -= len(text)
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            return

    async def _close(self, code: int) -> None:
        with contextlib.suppress(Exception):  # a page that takes no messages may not take this one, either
            await asyncio.wait_for(self._socket.close(code), CLOSE_SECONDS)


_TOO_FAST = ErrorMessage(
    code="rate",
    text=words(Message("too many messages a second")),
    hint=words(Message("this one was dropped")),
)
