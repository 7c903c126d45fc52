"""The web app: pages, the catalogue, the socket. docs/internals/web_protocol.md describes each address."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from hansu import __version__
from hansu.arena.roster import adviser
from hansu.arena.warmup import WarmupQueue
from hansu.core.errors import HansuError
from hansu.core.language import languages
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.connections import Connections
from hansu.ui.web.limits import Bounds, Quota
from hansu.ui.web.page_socket import PageSocket
from hansu.ui.web.puzzles import PuzzleSet
from hansu.ui.web.report_pages import Reports
from hansu.ui.web.security import Guard, Hosts
from hansu.ui.web.session import Shared

STATIC = Path(__file__).parent / "static"
READ = ["GET", "HEAD"]
FULL = 1013
POOL_THREADS = 4


def create_app(
    catalogue: Catalogue, hosts: Hosts | None = None, bounds: Bounds | None = None, reports: Reports | None = None,
    warmups: WarmupQueue | None = None, puzzles: Mapping[str, PuzzleSet] | None = None,
    eager: bool = True,
) -> FastAPI:  # fmt: skip
    """The app for these games, players, reports and puzzle sets. With `warmups` players are compiled in separate
    processes (`eager`: before a page needs them), otherwise by the first worker that needs them."""
    bounds, puzzles = bounds or Bounds(), puzzles or {}
    sets = [{"name": one.name, "title": one.title, "count": len(one.puzzles)} for one in puzzles.values()]
    pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="pool")
    shared = Shared(catalogue, bounds, pool, warmups)
    sessions = Quota(bounds.sessions, bounds.sessions_of_an_address)
    connections = Connections(bounds)
    texts = {code: {"name": language.name, "page": language.page} for code, language in languages().items()}

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        shared.workers.start()
        pool.submit(_settle, catalogue)
        if warmups is not None and eager:
            pool.submit(_prepare, catalogue, warmups)
        watching = asyncio.ensure_future(connections.watch())
        try:
            yield
        finally:
            watching.cancel()
            if warmups is not None:
                warmups.close()
            await shared.workers.close()
            pool.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, hosts=hosts or Hosts("127.0.0.1"))
    app.state.shared, app.state.connections = shared, connections

    @app.api_route("/api/catalogue", methods=READ)
    async def show_catalogue() -> Response:
        described = await asyncio.get_running_loop().run_in_executor(pool, catalogue.described)
        return JSONResponse({**described, "puzzles": sets, "reports": reports.addresses if reports else []})

    @app.api_route("/api/puzzles/{name}", methods=READ)
    async def show_puzzles(name: str) -> Response:
        return JSONResponse(puzzles[name].as_json()) if name in puzzles else _missing()

    @app.get("/api/languages")
    async def show_languages() -> Response:
        return JSONResponse(texts)

    @app.api_route("/api/rules/{name}", methods=READ)
    async def show_rules(name: str) -> Response:
        if name not in catalogue.games:
            return _missing()
        return JSONResponse(await asyncio.get_running_loop().run_in_executor(pool, catalogue.lessons, name))

    @app.api_route("/api/status", methods=READ)
    async def show_status() -> dict[str, Any]:
        workers = shared.workers
        return {
            "version": __version__, "connections": connections.total, "sessions": sessions.total,
            "searching": workers.searching, "queued": workers.queued, "workers": bounds.workers,
        }  # fmt: skip

    @app.websocket("/play")
    async def play(socket: WebSocket) -> None:
        address = socket.client.host if socket.client is not None else ""
        await socket.accept()
        if not sessions.enter(address):
            await socket.close(FULL)
            return
        try:
            await PageSocket(socket, shared, address).serve(__version__)
        finally:
            sessions.leave(address)

    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    for section in ("runs", "arena"):
        app.add_api_route(f"/{section}", _report(reports, section, pool), methods=READ)
        app.add_api_route(f"/{section}/{{name}}", _report(reports, section, pool), methods=READ)
        app.add_api_route(f"/{section}/{{name}}/{{below}}", _report(reports, section, pool), methods=READ)

    @app.api_route("/{name:path}", methods=READ)
    async def page(request: Request, name: str) -> Response:
        if name.strip("/") in ("", *catalogue.games, *(f"puzzles/{known}" for known in puzzles)):
            return FileResponse(STATIC / "index.html", media_type="text/html")
        return _missing()

    return app


def _report(reports: Reports | None, section: str, pool: ThreadPoolExecutor) -> Callable[..., Awaitable[Response]]:
    async def show(name: str = "", below: str = "", page: str = "1") -> Response:
        number = int(page) if page.isdecimal() and len(page) < 9 else 1
        loop = asyncio.get_running_loop()
        if reports is None:
            return _missing()
        response = await loop.run_in_executor(pool, reports.response, section, name, below, number)
        return response or _missing()

    return show


def _missing() -> Response:
    path = STATIC / "missing.html"
    text = path.read_text(encoding="utf-8") if path.is_file() else _MISSING
    return HTMLResponse(text, status_code=404)


def _settle(catalogue: Catalogue) -> None:
    """Before the first page: create the catalogue, and exclude everything loaded so far from garbage collection, which
    would otherwise pause the server for a tenth of a second again and again."""
    catalogue.described()
    gc.collect()
    gc.freeze()


def _prepare(catalogue: Catalogue, warmups: WarmupQueue) -> None:
    """Compile the default opponent and analyst of every game before a page needs them."""
    for game in catalogue.games.values():
        for spec in dict.fromkeys((game.opponent, adviser(game))):
            with contextlib.suppress(HansuError):
                warmups.request(game, catalogue.player(spec, game), urgent=False)


_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hansu</title>
<h1>Not here · 여기에는 없습니다</h1><p><a href="/">All games · 모든 게임</a></p></html>
"""
