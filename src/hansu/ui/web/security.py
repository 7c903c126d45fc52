"""Access control: which hosts and origins may talk to the server, and what a page may do.

A browser sends requests for any web page. Two checks keep other sites out: the Host header must be a name of this
server (which stops DNS rebinding), and the Origin of a WebSocket must be the same host.
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
    """The host names of a server. A server on all interfaces accepts every IP address, the machine's name, and the
    configured names."""

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self.wide = host in WIDE
        self.names = LOCAL | {name.lower() for name in names}
        if self.wide:
            self.names |= {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        else:
            self.names.add(host.lower())

    def allow(self, host: str | None) -> bool:
        """Whether a Host header names this server."""
        name = host_name(host)
        if name is None:
            return False
        return name in self.names or (self.wide and _is_address(name))


def host_name(host: str | None) -> str | None:
    """`localhost:8000` -> `localhost`, `[::1]:8000` -> `::1`; None if it is invalid."""
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
    """Whether a WebSocket comes from this host. Browsers always send an origin; other programs need not."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == (host or "").lower()
    except ValueError:
        return False


class Guard:
    """Rejects foreign hosts and origins; adds the security headers to every response."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host")
        allowed = self._hosts.allow(host)
        if scope["type"] == "websocket":
            if allowed and same_origin(headers.get("origin"), host):
                await self._app(scope, receive, send)
            else:
                await receive()  # the connect event
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                response = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    response.setdefault(name, value)
            await send(message)

        if allowed:
            await self._app(scope, receive, send_safely)
        else:
            rejection = PlainTextResponse(
                "This is not the name of this server. Use the address that it printed.\n", 421
            )
            await rejection(scope, receive, send_safely)
