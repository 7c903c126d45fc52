"""A page as the server sees one, and a server in a thread, for the tests of the web app."""

from __future__ import annotations

import base64
import json
import os
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.sync.client import ClientConnection, connect

from hansu.arena.warmup import WarmupQueue
from hansu.core import Game, registry
from hansu.ui.web.app import create_app
from hansu.ui.web.catalogue import Catalogue, Given
from hansu.ui.web.limits import Bounds
from hansu.ui.web.messages import server_messages
from hansu.ui.web.security import Hosts
from hansu.ui.web.server import listen, server_of

PATIENCE = 600.0  # seconds; something may have to be compiled, and the machine may be busy


class Server:
    """The app behind a real port."""

    def __init__(self, catalogue: Catalogue, bounds: Bounds, port: int = 0, warmups: WarmupQueue | None = None) -> None:
        self.app = create_app(catalogue, Hosts("127.0.0.1"), bounds, warmups=warmups)
        self._socket = listen("127.0.0.1", port)
        self.port = self._socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._server = server_of(self.app, bounds, self._socket)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            self._thread.join(0.01)

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
        request = urllib.request.Request(f"http://{self.address}{path}", headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read().decode()

    def status(self) -> dict[str, Any]:
        return json.loads(self.get("/api/status")[2])  # type: ignore[no-any-return]

    def wait_until(self, **wanted: int) -> None:
        """Until the status says so."""
        end, found = time.monotonic() + PATIENCE, {}
        while time.monotonic() < end:
            with suppress(ConnectionError):  # where a connection has little time, this one may be cut off, too
                found = self.status()
                if all(found[key] == value for key, value in wanted.items()):
                    return
            threading.Event().wait(0.01)
        raise AssertionError(f"{wanted}, but {found}")

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@contextmanager
def running(
    more: list[Game] | None = None, given: list[Given] | None = None, port: int = 0,
    warmups: WarmupQueue | None = None, **bounds: Any,
) -> Iterator[Server]:  # fmt: skip
    limits = Bounds(**bounds)
    found = [registry.built_in(name) for name in registry.names()]
    server = Server(Catalogue([*found, *(more or [])], given or [], limits), limits, port, warmups)
    try:
        yield server
    finally:
        server.stop()


class RawSocket:
    """A connection that keeps no rules: bytes out, and nothing is read unless somebody asks."""

    def __init__(self, port: int, upgrade: bool = True) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        if upgrade:
            key = base64.b64encode(os.urandom(16)).decode()
            self.send(
                f"GET /play HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
            )
            head = b""
            while b"\r\n\r\n" not in head:
                head += self.socket.recv(1)
            assert b" 101 " in head

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def say(self, **message: Any) -> None:
        self.send(frame(TEXT, json.dumps(message).encode()))

    def rest(self) -> bytes:
        """What comes until the server closes it."""
        found = b""
        try:
            while data := self.socket.recv(1 << 16):
                found += data
        except ConnectionError:
            pass
        return found

    def close(self) -> None:
        self.socket.close()


MORE, TEXT, PING = 0, 1, 9


def frame(opcode: int, payload: bytes = b"", last: bool = True) -> bytes:
    """A frame as a page sends it, with a mask of zeros."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2, "big")
    return bytes([opcode | (0x80 if last else 0)]) + length + bytes(4) + payload


class Page:
    """Says and hears messages; keeps the game as the contract tells a page to."""

    def __init__(self, server: Server, **options: Any) -> None:
        self._entered = connect(f"ws://{server.address}/play", max_size=None, **options)
        self.socket: ClientConnection = self._entered.__enter__()
        self._number = 0
        self.moves: list[str] = []
        self.notes: list[Any] = []
        self.state: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []
        assert self.hear("hello")["version"]

    def say(self, type: str, **fields: Any) -> int:
        self._number += 1
        self.socket.send(json.dumps({"type": type, "id": self._number, **fields}))
        return self._number

    def hear(self, *types: str) -> dict[str, Any]:
        """The next message of one of these types; every message must be one of the contract."""
        while True:
            text = self.socket.recv(PATIENCE)
            server_messages.validate_json(text)
            told: dict[str, Any] = json.loads(text)
            self.heard.append(told)
            if told["type"] == "state":
                self._keep(told)
            if told["type"] in types:
                return told
            assert told["type"] != "error" or told["code"] == "replaced", told

    def _keep(self, state: dict[str, Any]) -> None:
        self.state = state
        del self.moves[state["since"] :], self.notes[state["since"] :]
        self.moves += state["moves"]
        self.notes += state["notes"]
        assert len(self.moves) == len(self.notes) == state["plies"]

    def ask(self, type: str, *types: str, **fields: Any) -> dict[str, Any]:
        """Say it, and hear its answer."""
        number = self.say(type, **fields)
        while True:
            told = self.hear(*types, "error")
            if told["re"] == number:
                return told

    def change(self, type: str, **fields: Any) -> dict[str, Any]:
        """Say something that changes the game, and hear the new state."""
        told = self.ask(type, "state", **fields)
        assert told["type"] == "state", told
        return told

    def refused(self, type: str, **fields: Any) -> dict[str, Any]:
        """Say something that cannot be, and hear why."""
        told = self.ask(type, "state", **fields)
        assert told["type"] == "error", told
        assert told["text"]["en"] and told["text"]["ko"]
        return told

    def settled(self) -> dict[str, Any]:
        """The state in which a person is to move, or nobody."""
        while self.state["searching"]:
            self.hear("state")
        return self.state

    def close(self) -> None:
        self.socket.close()
