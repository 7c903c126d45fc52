"""One socket: messages in within bounds, messages out without blocking anybody else."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hansu.core.phrase import Phrase
from hansu.ui.web.bounds import TokenBucket
from hansu.ui.web.messages import Hello, Told, Trouble
from hansu.ui.web.session import House, Session
from hansu.ui.web.words import words

log = logging.getLogger("hansu.web")
NORMAL, FLOOD, TOO_LARGE = 1000, 1008, 1009
CLOSE_SECONDS = 1.0


class Connection:
    """Reads and writes; a session in between."""

    def __init__(self, socket: WebSocket, house: House) -> None:
        self._socket = socket
        self._bounds = house.bounds
        self._outbox: asyncio.Queue[Told | str | None] = asyncio.Queue()
        self._session = Session(house, self.post, self.taken)
        self._bucket = TokenBucket(self._bounds.messages_a_second, self._bounds.burst)
        self._dropped = 0
        self._open = True

    def post(self, told: Told | str, droppable: bool) -> None:
        """Queue a message. Where the page is slow, what may be dropped is; where it is far behind, it is given up."""
        waiting = self._outbox.qsize()
        if not self._open or (droppable and waiting > 4):
            return
        if waiting >= self._bounds.outbox:
            self._give_up()
            return
        self._outbox.put_nowait(told)

    async def taken(self) -> None:
        """Until the page is not behind."""
        while self._open and self._outbox.qsize() > 1:
            await asyncio.sleep(0.02)

    async def serve(self, version: str) -> None:
        self.post(Hello(version=version), False)
        writer = asyncio.ensure_future(self._write())
        reader = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait([writer, reader], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open = False
            for task in (writer, reader):
                task.cancel()
            with contextlib.suppress(RuntimeError):  # the desk is closed already where the server had to hurry
                await self._session.close()
            if self._socket.application_state is WebSocketState.CONNECTED:
                await self._close(NORMAL)

    async def _read(self) -> None:
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] != "websocket.receive":
                    return
                text = message.get("text")
                if not await self._welcome(text if text is not None else message.get("bytes") or b""):
                    return
        except (WebSocketDisconnect, RuntimeError):
            return

    async def _welcome(self, text: str | bytes) -> bool:
        """Handle one message; False ends the connection."""
        if len(text) > self._bounds.message_bytes:
            await self._close(TOO_LARGE)
            return False
        if not self._bucket.take():
            self._dropped += 1
            if self._dropped > self._bounds.dropped:
                await self._close(FLOOD)
                return False
            if self._dropped % 20 == 1:
                self.post(_TOO_FAST, True)
            return True
        await self._session.handle(text)
        return True

    async def _write(self) -> None:
        try:
            while (told := await self._outbox.get()) is not None:
                text = told if isinstance(told, str) else told.model_dump_json()
                await asyncio.wait_for(self._socket.send_text(text), self._bounds.send_seconds)
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            return

    def _give_up(self) -> None:
        self._open = False
        self._outbox.put_nowait(None)  # behind all that waits; the send timeout ends it before

    async def _close(self, code: int) -> None:
        with contextlib.suppress(Exception):  # whoever takes no messages does not take this one, either
            await asyncio.wait_for(self._socket.close(code), CLOSE_SECONDS)


_TOO_FAST = Trouble(
    code="rate",
    text=words(Phrase("too many messages a second")),
    hint=words(Phrase("this one was dropped")),
)
