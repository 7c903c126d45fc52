"""Starts the web app: finds a port, prints the address, ends cleanly."""

from __future__ import annotations

import errno
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

import uvicorn
from fastapi import FastAPI

from hansu.arena.warmup import WarmupQueue
from hansu.core import Game, HansuError, registry
from hansu.core.options import read_settings
from hansu.ui.web.app import create_app
from hansu.ui.web.catalogue import Catalogue, given_players, open_options
from hansu.ui.web.connections import HttpProtocol, Listener, SocketProtocol, client_faults
from hansu.ui.web.limits import Bounds
from hansu.ui.web.puzzles import read_sets
from hansu.ui.web.report_pages import reports_of
from hansu.ui.web.security import WIDE, Hosts

USUAL_PORT = 8000
TRIED_PORTS = 50
STOP_SECONDS = 3


def catalogue_of(named: Sequence[str], players: Sequence[str], bounds: Bounds) -> tuple[Catalogue, str]:
    """All games of the package, plus the named games with a path or with settings that pages may not use; and the
    address of the first named game."""
    games = [registry.built_in(name) for name in registry.names()]
    extra = [registry.game(spec) for spec in named]
    for game in extra:
        _ = game.first  # raises now if the board cannot be created
    games += [game for game in extra if game.path or not _open_to_pages(game, bounds)]
    catalogue = Catalogue(games, bounds=bounds)
    catalogue.given = tuple(given_players(players, catalogue.games))
    return catalogue, address_of(catalogue, extra[0]) if extra else "/"


def _open_to_pages(game: Game, bounds: Bounds) -> bool:
    """May a page use all of these settings?"""
    settings = {key: str(value) for key, value in game.settings.items()}
    try:
        read_settings(open_options(game.options, bounds), settings, game.name)
    except HansuError:
        return False
    return True


def address_of(catalogue: Catalogue, game: Game) -> str:
    """The address of a game's page."""
    name = catalogue.name_of(game)
    own = catalogue.games[name].settings
    query = urlencode({key: str(value) for key, value in game.settings.items() if key not in own})
    return f"/{name}?{query}" if query else f"/{name}"


def listen(host: str, port: int | None) -> Listener:
    """A listening socket on this port, or on the first free one from the default port on."""
    ports = [port] if port is not None else [*range(USUAL_PORT, USUAL_PORT + TRIED_PORTS), 0]
    for each in ports:
        try:
            return _bound(host, each)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            raise _reason(error, host, each) from None
    raise HansuError("no port is free", "choose one with --port")


def _bound(host: str, port: int) -> Listener:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With TCP named explicitly, asyncio sets TCP_NODELAY; otherwise small messages are delayed by 40 ms.
    listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError:
        listener.close()
        raise
    return listener


def _reason(error: OSError, host: str, port: int) -> HansuError:
    if error.errno == errno.EADDRINUSE:
        return HansuError(
            "port {port} is used by another program",
            "stop that program, or choose another port: hansu serve --port {other}",
            port=port, other=port + 1,
        )  # fmt: skip
    if error.errno == errno.EACCES:
        return HansuError("you may not use port {port}", "choose one above 1023, such as --port 8000", port=port)
    return HansuError(
        "cannot listen on {host}:{port}: {reason}", "check --host and --port",
        host=host, port=port, reason=error.strerror or error,
    )  # fmt: skip


def own_address() -> str:
    """This machine's address on its network; "" if it has none. (Nothing is sent.)"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return ""


def server_of(app: FastAPI, bounds: Bounds, listener: Listener) -> uvicorn.Server:
    """The server that runs the app on a listening socket: `server.run(sockets=[listener])`."""
    listener.connections = connections = app.state.connections
    http: Any = partial(HttpProtocol, connections)
    ws: Any = partial(SocketProtocol, connections, bounds)
    config = uvicorn.Config(
        app, loop="asyncio", log_level="warning", ws_max_size=bounds.message_bytes, ws_per_message_deflate=False,
        timeout_graceful_shutdown=STOP_SECONDS, server_header=False, http=http, ws=ws,
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(client_faults)
    return uvicorn.Server(config)


@dataclass(frozen=True)
class Offer:
    """The command line of a server as plain data, so that several processes can start from it."""

    games: tuple[str, ...] = ()  # specs
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()  # more host names of this machine
    players: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()  # folders of training runs
    stores: tuple[str, ...] = ()
    puzzles: tuple[str, ...] = ()  # files


@dataclass(frozen=True)
class Site:
    """The app of an offer, the address of its first page, and its other addresses."""

    app: FastAPI
    bounds: Bounds
    first: str
    others: tuple[str, ...]


def site_of(offer: Offer, bounds: Bounds | None = None, eager: bool = True) -> Site:
    """The site of an offer. `eager`: compile players before a page needs them."""
    bounds = bounds or Bounds()
    catalogue, path = catalogue_of(offer.games, offer.players, bounds)
    reports = reports_of(offer.runs, offer.stores, catalogue.games)
    puzzles = read_sets(offer.puzzles, catalogue)
    hosts = Hosts(offer.host, offer.names)
    app = create_app(catalogue, hosts, bounds, reports, WarmupQueue(), puzzles, eager)
    return Site(app, bounds, path, (*reports.addresses, *(f"/puzzles/{quote(name)}" for name in puzzles)))


def serve(offer: Offer, port: int | None, browse: bool, processes: int = 1) -> None:
    """Run until Ctrl-C."""
    if processes > 1 and sys.platform == "win32":
        raise HansuError("several processes cannot share a port on Windows", "leave out --processes")
    site = site_of(offer)
    sock = listen(offer.host, port)
    host = offer.host
    shown = "localhost" if host in WIDE | {"127.0.0.1"} else f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{sock.getsockname()[1]}"
    print(f"hansu is at {base}{site.first}", flush=True)
    for other in site.others:
        print(f"  and {base}{other}", flush=True)
    if host in WIDE and (own := own_address()):
        print(f"others on the network: {(base + site.first).replace('localhost', own)}", flush=True)
    print("Press Ctrl-C to stop.", flush=True)
    if browse:
        threading.Timer(1.0, webbrowser.open, [base + site.first]).start()
    try:
        if processes > 1:
            from hansu.ui.web.processes import serve_together

            serve_together(offer, sock, processes)
        else:
            server_of(site.app, site.bounds, sock).run(sockets=[sock])
    except KeyboardInterrupt:
        pass
    finally:
        sock.close()
    print("\nstopped", flush=True)
