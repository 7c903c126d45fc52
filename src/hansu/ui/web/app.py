"""The web app: pages, the catalogue, the socket. docs/web.md tells what each address answers."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from hansu import __version__
from hansu.core.language import languages
from hansu.ui.web.bounds import Bounds
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.connection import Connection
from hansu.ui.web.guard import Guard, Hosts
from hansu.ui.web.session import House

STATIC = Path(__file__).parent / "static"
FULL = 1013
DESK_THREADS = 4


def create_app(catalogue: Catalogue, hosts: Hosts | None = None, bounds: Bounds | None = None) -> FastAPI:
    """The app for these games and players."""
    bounds = bounds or Bounds()
    desk = ThreadPoolExecutor(DESK_THREADS, thread_name_prefix="desk")
    house = House(catalogue, bounds, desk)
    crowd = Crowd(bounds)
    spoken = {code: {"name": language.name, "page": language.page} for code, language in languages().items()}

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        house.workers.start()
        desk.submit(_settle, catalogue)
        try:
            yield
        finally:
            await house.workers.close()
            desk.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, hosts=hosts or Hosts("127.0.0.1"))
    app.state.house, app.state.crowd = house, crowd

    @app.get("/api/catalogue")
    async def show_catalogue() -> Response:
        described = await asyncio.get_running_loop().run_in_executor(desk, catalogue.described)
        return JSONResponse(described)

    @app.get("/api/languages")
    async def show_languages() -> Response:
        return JSONResponse(spoken)

    @app.get("/api/status")
    async def show_status() -> dict[str, Any]:
        workers = house.workers
        return {
            "version": __version__, "sessions": crowd.total, "searching": workers.searching, "queued": workers.queued,
            "workers": bounds.workers,
        }  # fmt: skip

    @app.websocket("/play")
    async def play(socket: WebSocket) -> None:
        address = socket.client.host if socket.client is not None else ""
        await socket.accept()
        if not crowd.enter(address):
            await socket.close(FULL)
            return
        try:
            await Connection(socket, house).serve(__version__)
        finally:
            crowd.leave(address)

    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.api_route("/{name:path}", methods=["GET", "HEAD"])
    async def page(request: Request, name: str) -> Response:
        if name in ("", *catalogue.games):
            return FileResponse(STATIC / "index.html", media_type="text/html")
        missing = STATIC / "missing.html"
        text = missing.read_text(encoding="utf-8") if missing.is_file() else _MISSING
        return HTMLResponse(text, status_code=404)

    return app


def _settle(catalogue: Catalogue) -> None:
    """Before the first page comes: the catalogue is made, and what was loaded for it is no longer looked through for
    garbage (a pause of a tenth of a second, over and over)."""
    catalogue.described()
    gc.collect()
    gc.freeze()


class Crowd:
    """How many sessions there are, in all and of each address."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._of: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self._of.total()

    def enter(self, address: str) -> bool:
        most = self._bounds.sessions if _is_here(address) else self._bounds.sessions_of_an_address
        if self.total >= self._bounds.sessions or self._of[address] >= most:
            return False
        self._of[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True  # a test client, or a socket of the file system


_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hansu</title>
<h1>Not here · 여기에는 없습니다</h1><p><a href="/">All games · 모든 게임</a></p></html>
"""
