"""A real browser for the tests of the web app: a server of its own, pages whose console must stay clean, and what a
person sees and does.

Needs playwright and a Chromium (or Chrome). Without them these tests are skipped, unless HANSU_BROWSER_REQUIRED=1 says
that there must be one. A module that asks for it says `pytest_plugins = ("support.web_browser",)` and takes `visit`.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

try:
    from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
    from playwright.sync_api import Error as PlaywrightError
except ImportError:
    sync_playwright = None  # type: ignore[assignment]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
REQUIRED = os.environ.get("HANSU_BROWSER_REQUIRED") == "1"
MISSING = "playwright is not installed" if sync_playwright is None else "" if BROWSER else "there is no Chromium"
if MISSING and not REQUIRED:
    pytest.skip(f"{MISSING}: the web app cannot be tried in a browser", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PATIENCE = 180  # seconds; the machine may be busy


class Server:
    """`hansu serve` in a process of its own, on one port all its lives."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hansu", "serve", "--port", str(self.port), *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT,
        )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.address}/api/status", timeout=1).read()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def site() -> Iterator[Server]:
    assert not MISSING, MISSING
    made = Server()
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert not MISSING, MISSING
    expect.set_options(timeout=1000 * PATIENCE)  # a first search is compiled, and the machine may be busy
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield made
        made.close()


Visit = Callable[..., "Page"]


@pytest.fixture
def visit(browser: Browser, site: Server) -> Iterator[Visit]:
    """Open a page at an address; afterwards its console must be clean."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(path: str = "/", *, still: bool = True, forgive: str | None = None, **settings: Any) -> Page:
        settings = {"viewport": {"width": 1200, "height": 860}, "locale": "en-GB", **settings}
        if still:
            settings["reduced_motion"] = "reduce"
        context = browser.new_context(**settings)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.address)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)

        def heard(message: Any) -> None:
            if message.type in ("error", "warning") and not (forgive and re.search(forgive, message.text)):
                complaints.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: forgive or _failed(request, complaints))
        page.on("request", lambda request: _own(request.url, complaints))
        page.goto(site.address + path)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:  # to close one that is about to go back in its history can hang for ever
            with suppress(PlaywrightError):  # it went back
                page.goto("about:blank")
        context.close()
    assert complaints == []


def _failed(request: Any, complaints: list[str]) -> None:
    """What a page that was left no longer needed is no failure."""
    if "ERR_ABORTED" not in str(request.failure):
        complaints.append(f"{request.url}: {request.failure}")


def _own(url: str, complaints: list[str]) -> None:
    """No request ever leaves for elsewhere."""
    if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
        complaints.append(f"a request to {url}")


# What a person sees and does.


def kind(page: Page) -> str:
    """What is going on, as the line over the board says it: turn, thinking, over, past, offline, ..."""
    return page.locator(".seats").get_attribute("data-kind") or ""


def wait_for(page: Page, *kinds: str) -> str:
    page.wait_for_function(
        "kinds => kinds.includes(document.querySelector('.seats')?.dataset.kind)",
        arg=list(kinds),
        timeout=1000 * PATIENCE,
    )
    return kind(page)


def plies(page: Page) -> int:
    return int(page.locator(".replay .ply").first.inner_text().split("/")[1])


def click_target(page: Page, index: int, selector: str = ".target") -> None:
    """A click of the mouse in the middle of a target."""
    box = page.locator(f".over {selector} .reach").nth(index).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def make_a_move(page: Page, chance: random.Random) -> None:
    """Any legal move, by clicks on the board, or on a button where the move has no place there."""
    before = plies(page)
    for _ in range(4):
        count = page.locator(".over .target").count()
        if count == 0:
            break
        click_target(page, chance.randrange(count))
        if not page.locator(".board.second").count():
            break
    else:
        raise AssertionError("touching did not make a move")
    if count == 0:
        page.locator(".actions .buttons button").first.click()
    page.wait_for_function("n => +document.querySelector('.replay .ply').textContent.split('/')[1] > n", arg=before)


def play_to_the_end(page: Page, move: Callable[[Page, random.Random], None] = make_a_move, most: int = 400) -> int:
    chance = random.Random(7)
    for made in range(most):
        if wait_for(page, "turn", "over") == "over":
            return made
        move(page, chance)
    raise AssertionError("the game does not end")


def middle(page: Page, selector: str, index: int = 0) -> tuple[float, float]:
    box = page.locator(selector).nth(index).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def no_sideways(page: Page) -> None:
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 360
