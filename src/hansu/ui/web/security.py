"""Who may talk to the server, and what a page may do.

A browser sends whatever any web page tells it to. Two things keep other sites out: the Host must be one that this
server goes by (a name of an attacker that was made to point here is not), and a socket's Origin must be that very host.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOCAL = {"localhost", "127.0.0.1", "::1"}
WIDE = {"0.0.0.0", "::", ""}


class Hosts:
    """The names a server goes by. One that listens everywhere goes by any address (an attacker's name is no
    address), by the machine's name, and by the names it is told."""

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self.wide = host in WIDE
        self.names = LOCAL | {name.lower() for name in names}
        if self.wide:
            self.names |= {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        else:
            self.names.add(host.lower())

    def allow(self, host: str | None) -> bool:
        name = host_name(host)
        if name is None:
            return False
        return name in self.names or (self.wide and _is_address(name))


def host_name(host: str | None) -> str | None:
    """`localhost:8000` -> `localhost`, `[::1]:8000` -> `::1`; None if it is none."""
    if not host:
        return None
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def same_origin(origin: str | None, host: str | None) -> bool:
    """A browser always names the origin of a socket; a program that names none is no browser."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == (host or "").lower()
    except ValueError:
        return False


class Guard:
    """Refuses foreign hosts and origins; adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host")
        welcome = self._hosts.allow(host)
        if scope["type"] == "websocket":
            if welcome and same_origin(headers.get("origin"), host):
                await self._app(scope, receive, send)
            else:
                await receive()  # the wish to connect
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        if welcome:
            await self._app(scope, receive, send_safely)
        else:
            refusal = PlainTextResponse("This server does not go by that name. Use the address that it printed.\n", 421)
            await refusal(scope, receive, send_safely)
