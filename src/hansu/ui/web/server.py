"""Starts the web app: finds a port, prints the address, ends cleanly."""

from __future__ import annotations

import errno
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI

from hansu import games as all_games
from hansu.arena.preparation import Preparations
from hansu.core import Game, HansuError
from hansu.core.options import read_settings
from hansu.ui.web.app import create_app
from hansu.ui.web.bounds import Bounds
from hansu.ui.web.catalogue import Catalogue, given_players, open_options
from hansu.ui.web.connections import HttpProtocol, Listener, SocketProtocol, client_faults
from hansu.ui.web.guard import WIDE, Hosts
from hansu.ui.web.reports import reports_of

USUAL_PORT = 8000
TRIED_PORTS = 50
STOP_SECONDS = 3


def catalogue_of(named: Sequence[str], players: Sequence[str], bounds: Bounds) -> tuple[Catalogue, str]:
    """Every game of the package, those given by path or with settings that a page could not ask for; and the address
    of the first one that was named."""
    found = [all_games.built_in(name) for name in all_games.names()]
    wanted = [all_games.game(spec) for spec in named]
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


def serve(
    named: Sequence[str], host: str, port: int | None, names: Sequence[str], players: Sequence[str], browse: bool,
    runs: Sequence[str] = (), stores: Sequence[str] = (),
) -> None:  # fmt: skip
    """Run until Ctrl-C."""
    bounds = Bounds()
    catalogue, path = catalogue_of(named, players, bounds)
    reports = reports_of(runs, stores, catalogue.games)
    app = create_app(catalogue, Hosts(host, names), bounds, reports, Preparations())
    sock = listen(host, port)
    shown = "localhost" if host in WIDE | {"127.0.0.1"} else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{sock.getsockname()[1]}{path}"
    server = server_of(app, bounds, sock)
    print(f"hansu is at {address}", flush=True)
    for report in reports.addresses:
        print(f"  and {address.removesuffix(path)}{report}", flush=True)
    if host in WIDE and (own := own_address()):
        print(f"others on the network: {address.replace('localhost', own)}", flush=True)
    print("Ctrl-C ends it", flush=True)
    if browse:
        threading.Timer(1.0, webbrowser.open, [address]).start()
    try:
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        pass
    finally:
        sock.close()
    print("\nstopped", flush=True)
