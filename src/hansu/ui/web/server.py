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

from hansu.arena.warmup import Warmups
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
    """Every game of the package, those given by path or with settings that a page could not ask for; and the address
    of the first one that was named."""
    found = [registry.built_in(name) for name in registry.names()]
    wanted = [registry.game(spec) for spec in named]
    for game in wanted:
        _ = game.first  # a board that cannot be made is told now
    found += [game for game in wanted if game.path or not _page_may_ask(game, bounds)]
    catalogue = Catalogue(found, bounds=bounds)
    catalogue.given = tuple(given_players(players, catalogue.games))
    return catalogue, address_of(catalogue, wanted[0]) if wanted else "/"


def _page_may_ask(game: Game, bounds: Bounds) -> bool:
    """Are all of these settings open to pages?"""
    given = {key: str(value) for key, value in game.settings.items()}
    try:
        read_settings(open_options(game.options, bounds), given, game.name)
    except HansuError:
        return False
    return True


def address_of(catalogue: Catalogue, game: Game) -> str:
    name = catalogue.name_of(game)
    own = catalogue.games[name].settings
    query = urlencode({key: str(value) for key, value in game.settings.items() if key not in own})
    return f"/{name}?{query}" if query else f"/{name}"


def listen(host: str, port: int | None) -> Listener:
    """A listening socket: the asked port, or the first free one from the usual on."""
    ports = [port] if port is not None else [*range(USUAL_PORT, USUAL_PORT + TRIED_PORTS), 0]
    for each in ports:
        try:
            return _bound(host, each)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            raise _reason(error, host, each) from None
    raise HansuError("no port is free", "name one with --port")


def _bound(host: str, port: int) -> Listener:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, asyncio sends its small messages at once; else each waits 40 ms for the other side's leave.
    made = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(256)
    except OSError:
        made.close()
        raise
    return made


def _reason(error: OSError, host: str, port: int) -> HansuError:
    if error.errno == errno.EADDRINUSE:
        what = f"port {port} is taken by another program"
        return HansuError(what, f"end it, or choose another: hansu serve --port {port + 1}")
    if error.errno == errno.EACCES:
        return HansuError(f"port {port} needs more rights than you have", "choose one above 1023, such as --port 8000")
    return HansuError(f"cannot listen on {host}:{port}: {error.strerror or error}", "check --host and --port")


def own_address() -> str:
    """This machine's address on its network, "" if it has none. (Nothing is sent.)"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return ""


def server_of(app: FastAPI, bounds: Bounds, listener: Listener) -> uvicorn.Server:
    """What runs the app behind a listening socket (`server.run(sockets=[listener])`)."""
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
    """What a server is started with, in words, so that several processes can be started with the same."""

    games: tuple[str, ...] = ()  # specs
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()  # that browsers may use for this machine
    players: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()  # folders of trainings
    stores: tuple[str, ...] = ()
    puzzles: tuple[str, ...] = ()  # files


@dataclass(frozen=True)
class Site:
    """The app of an offer, and its addresses: of what is shown first, and of what else there is."""

    app: FastAPI
    bounds: Bounds
    first: str
    others: tuple[str, ...]


def site_of(offer: Offer, bounds: Bounds | None = None, eager: bool = True) -> Site:
    """`eager`: players are prepared before anybody asks for them."""
    bounds = bounds or Bounds()
    catalogue, path = catalogue_of(offer.games, offer.players, bounds)
    reports = reports_of(offer.runs, offer.stores, catalogue.games)
    puzzles = read_sets(offer.puzzles, catalogue)
    hosts = Hosts(offer.host, offer.names)
    app = create_app(catalogue, hosts, bounds, reports, Warmups(), puzzles, eager)
    return Site(app, bounds, path, (*reports.addresses, *(f"/puzzles/{quote(name)}" for name in puzzles)))


def serve(offer: Offer, port: int | None, browse: bool, processes: int = 1) -> None:
    """Run until Ctrl-C."""
    if processes > 1 and sys.platform == "win32":
        raise HansuError("several processes cannot share a port on Windows", "leave --processes out")
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
    print("Ctrl-C ends it", flush=True)
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
