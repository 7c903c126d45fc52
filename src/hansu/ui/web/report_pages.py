"""Report pages of training runs, and of game stores with a replay of every game. Each page is self-contained HTML,
created again for every request."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from starlette.responses import HTMLResponse

from hansu.arena.import_export import game_of
from hansu.arena.replay_page import replay_page
from hansu.arena.store import Store
from hansu.arena.store_page import games_list, page
from hansu.core import Game, HansuError
from hansu.core.record import Record
from hansu.learn.run import Run
from hansu.learn.run_report import report_page
from hansu.scene.page_style import PAPER

RELOAD_SECONDS = 15
SCRIPTS = re.compile(r"<script>(.*?)</script>", re.DOTALL)
HEAD = '<meta charset="utf-8">'
HOME = '<a class="home" href="/">한 수 hansu</a>'


class ReportPage(Protocol):
    """A page, and pages below it by name."""

    def __call__(self, below: str, number: int) -> str:
        """The HTML; raises HansuError if there is no such page. `number` is the page of a long list, from 1."""
        ...


class RunReport:
    """A training run; the page reloads itself. Custom games are drawn only if they are served, so that a run's files
    cannot name code."""

    def __init__(self, folder: Path, games: Mapping[str, Game]) -> None:
        spec = str(Run(folder).read_facts().get("game"))  # raises before the server starts if it is no run
        paths = {game.path: game for game in games.values() if game.path}
        self._game = next((game for path, game in paths.items() if spec == path or spec.startswith(f"{path}:")), None)
        self._folder = folder

    def __call__(self, below: str, number: int) -> str:
        if below:
            raise HansuError("a run has only one page")
        reload = f"{HEAD}<script>setTimeout(() => location.reload(), {1000 * RELOAD_SECONDS});</script>"
        return report_page(self._folder, self._game).replace(HEAD, reload, 1)


class StoreReport:
    """The standings and plots of a store; its games are the pages below."""

    def __init__(self, path: Path, games: Mapping[str, Game], address: str) -> None:
        self._path, self._games, self._address = path, games, address
        Store(path, read_only=True).close()

    def __call__(self, below: str, number: int) -> str:
        with Store(self._path, read_only=True) as store:
            if below:
                return self._replay(store, below)
            return page(store, more=games_list(store, self._address, number))

    def _replay(self, store: Store, below: str) -> str:
        if not below.isdecimal() or len(below) > 15:
            raise HansuError("{store} has no game {game}", store=self._path.name, game=below)
        data = store.record(int(below))
        name = str(data.get("game", "")).partition(":")[0]
        game = self._games[name] if name in self._games else game_of(name)
        record = Record.from_json(data, game)
        return replay_page(record, f"{record.last.game.spec}, {below}", self._address)


def reports_of(runs: Sequence[str], stores: Sequence[str] = (), games: Mapping[str, Game] | None = None) -> Reports:
    """The report pages of some run folders and game stores."""
    pages: dict[str, ReportPage] = {}
    for folder in (Path(text).expanduser() for text in runs):
        pages[_free(f"runs/{folder.resolve().name}", pages)] = RunReport(folder, games or {})
    for path in (Path(text).expanduser() for text in stores):
        address = _free(f"arena/{path.name}", pages)
        pages[address] = StoreReport(path, games or {}, f"/{quote(address)}")
    return Reports(pages)


def _free(name: str, taken: Mapping[str, object]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


class Reports:
    """All report pages by address: `runs/mine`, `arena/games.db`."""

    def __init__(self, pages: Mapping[str, ReportPage]) -> None:
        self.addresses = [f"/{quote(name)}" for name in pages]
        self._pages = pages

    def response(self, section: str, name: str, below: str, number: int) -> HTMLResponse | None:
        """A report; without a name the list of a section's reports, or its only report. None if there is none."""
        names = [each for each in self._pages if each.startswith(f"{section}/")]
        chosen = f"{section}/{name}" if name else names[0] if len(names) == 1 else ""
        if chosen in self._pages:
            try:
                return _answer(self._pages[chosen](below, number))
            except HansuError as error:
                return _answer(_plain(escape(error.what)), 404)
        if name or not names:
            return None
        return _answer(_plain("".join(f'<p><a href="/{quote(each)}">{escape(each)}</a></p>' for each in names)))


def _answer(text: str, status: int = 200) -> HTMLResponse:
    """A response with a link home; only the page's own scripts may run."""
    text = text.replace("<main>", f"<main>{HOME}", 1)
    digests = [hashlib.sha256(script.encode()).digest() for script in SCRIPTS.findall(text)]
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    headers = {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    return HTMLResponse(text, status, headers=headers)


def _plain(body: str) -> str:
    style = f"<style>{PAPER} body {{ margin: 0 auto; max-width: 60rem; padding: 1rem }}</style>"
    return f'<!doctype html><html lang="en">{HEAD}<title>hansu</title>{style}<main>{body}</main></html>'
