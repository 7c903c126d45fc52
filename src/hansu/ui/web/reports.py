"""Pages that are made elsewhere, shown live: the reports of training runs. Each is one HTML text without outside parts,
made anew whenever it is asked for; while a run goes on the browser asks again by itself."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from hansu.core import HansuError
from hansu.learn.report import report_page
from hansu.learn.run import Run

AGAIN_SECONDS = 15
SCRIPTS = re.compile(r"<script>(.*?)</script>", re.DOTALL)


Pages = Mapping[str, Callable[[], str]]


def reports_of(runs: Sequence[str]) -> Pages:
    """Pages by name. A folder that is no run is told before the server starts."""
    found: dict[str, Callable[[], str]] = {}
    for text in runs:
        folder = Path(text).expanduser()
        Run(folder).read_facts()
        name, number = folder.resolve().name, 2
        while name in found:
            name, number = f"{folder.resolve().name}_{number}", number + 1
        found[name] = lambda folder=folder: report_page(folder)  # type: ignore[misc]
    return found


def shown(pages: Pages, name: str) -> HTMLResponse | None:
    """One page, the list of them where no name is given, or None."""
    if name in pages:
        try:
            page = pages[name]()
        except HansuError as error:
            page = _list([error.what], "")
        again = f'<meta http-equiv="refresh" content="{AGAIN_SECONDS}">'
        return _answer(page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">{again}', 1))
    if name == "" and pages:
        return _answer(_list(sorted(pages), "/runs/"))
    return None


def _answer(page: str) -> HTMLResponse:
    """Of scripts only those run that the page was made with."""
    digests = [hashlib.sha256(script.encode()).digest() for script in SCRIPTS.findall(page)]
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return HTMLResponse(page, headers={"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"})


def _list(names: Sequence[str], before: str) -> str:
    """Names as links, or plain lines where there is nothing to link to."""
    lines = [f'<a href="{before}{escape(name)}">{escape(name)}</a>' if before else escape(name) for name in names]
    rows = "".join(f"<li>{line}</li>" for line in lines)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>hansu</title><ul>{rows}</ul></html>'
