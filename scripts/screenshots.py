"""Takes the README's pictures of the web app with a real browser: python scripts/screenshots.py [NAME...]

Starts a server of its own, opens each page below, waits until it has something to show, and saves it as
docs/pictures/web_NAME.webp. Needs playwright and a Chromium.
"""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import hansu
from hansu.core import registry

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
DESKTOP = {"viewport": {"width": 1180, "height": 790}, "device_scale_factor": 1.5}
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
DARK = DESKTOP | {"color_scheme": "dark"}
QUALITY = 0.88
LONG = 120_000  # milliseconds: the first search of a kind is compiled


@dataclass
class Shot:
    """A page, and what to do there before the picture is taken."""

    path: str
    act: Callable[[Page], None] = lambda page: None
    settings: dict[str, Any] = field(default_factory=lambda: DESKTOP)


def turn(page: Page) -> None:
    """Until the machine has moved and said why."""
    page.wait_for_selector(".seats[data-kind=turn], .seats[data-kind=over]", timeout=LONG)
    page.wait_for_timeout(300)


def heat(page: Page) -> None:
    turn(page)
    page.click("[data-heat=value]")
    page.wait_for_selector(".heat-spot.best", timeout=LONG)
    page.wait_for_timeout(1_500)


def jump(page: Page) -> None:
    """A piece is chosen, its targets are lit."""
    turn(page)
    page.locator(".target:not(.done):not(.far)").last.click()
    page.mouse.move(5, 5)


def steer(page: Page) -> None:
    turn(page)
    for key in ("Left", "Left", "Left", "Down", "Down", "Left", "Left", "Left"):
        page.keyboard.press(f"Arrow{key}", delay=30)
        page.wait_for_timeout(350)
    turn(page)


def deep(page: Page) -> None:
    page.wait_for_selector(".seats", timeout=LONG)
    page.click("[data-heat=value]")
    page.wait_for_selector(".heat-spot.best", timeout=LONG)
    page.wait_for_timeout(4_000)


def xray(page: Page) -> None:
    turn(page)
    page.keyboard.press("x")
    page.wait_for_selector(".tree-node", timeout=LONG)
    page.click(".xray [data-do=to_end]")
    page.locator(".tree-node").nth(5).click()
    page.wait_for_selector(".inset-board svg")
    page.wait_for_timeout(500)


def moves(spec: str, player: str, plies: int) -> str:
    """A game that a player plays with itself, so that there is something on the board."""
    position = hansu.game(spec).first
    who = hansu.player(player, position.game)
    for _ in range(plies):
        position = position.play(who.decide(position).action)
    return ",".join(position.moves)


ATAXX = f"/ataxx?first=human&second=engine:depth=4&moves={moves('ataxx', 'engine:depth=4', 19)}"
TRIANGLES = f"points=12&seed=4&moves={moves('triangles:points=12,seed=4', 'rule', 13)}"
RENJU = "h8,h9,i8,g8,f7,i9,g9,i7,f10,h10,g11,e9,e8,h11,d9,c10,d7,g7,d8"  # black, to move after the answer, has a 3-3
SHOTS = {
    "home": Shot("/", lambda page: page.locator(".card").first.wait_for()),
    "tictactoe": Shot("/tictactoe?first=human&second=mcts:simulations=2000&moves=5,1,3", heat),
    "tree": Shot("/tree?first=human&second=minimax", heat),
    "connect_four": Shot("/connect_four?first=human&second=solver&moves=4,4,4,4,4,2,2,4,5,3,3,5,5", heat),
    "ataxx": Shot(ATAXX, jump),
    "renju": Shot(f"/renju?first=human&second=engine:depth=6&moves={RENJU}", turn),
    "triangles": Shot(f"/triangles?first=human&second=rule&{TRIANGLES}", turn),
    "pacman": Shot("/pacman?first=human&second=directional&layout=mediumClassic", steer),
    "analysis": Shot("/ataxx?view=analysis&start=x5o/1x5/7/2x1o2/7/5o1/o5x x 0 1", deep),
    "xray": Shot("/tictactoe?first=human&second=human&moves=1,5,9,2,8,7", xray),
    "dark": Shot("/connect_four?first=human&second=solver&moves=4,4,3,5,3,3,2", heat, DARK),
    "phone": Shot(ATAXX, jump, PHONE),
    "korean": Shot("/connect_four?first=human&second=solver&moves=4,4,3,5,3,3,2", turn, PHONE | {"locale": "ko-KR"}),
}


@contextmanager
def server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "hansu", "serve", "--port", str(port)], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                urllib.request.urlopen(f"{address}/api/status", timeout=1).read()
                break
            except OSError:
                if process.poll() is not None:
                    raise SystemExit("the server did not start") from None
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def smaller(browser: Browser, png: bytes) -> bytes:
    """The picture as WebP, which the browser itself can make."""
    page = browser.new_page()
    text = page.evaluate(
        """async ([data, quality]) => {
          const image = new Image();
          image.src = "data:image/png;base64," + data;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          canvas.getContext("2d").drawImage(image, 0, 0);
          const blob = await canvas.convertToBlob({ type: "image/webp", quality });
          const bytes = new Uint8Array(await blob.arrayBuffer());
          return btoa(bytes.reduce((all, byte) => all + String.fromCharCode(byte), ""));
        }""",
        [base64.b64encode(png).decode(), QUALITY],
    )
    page.close()
    return base64.b64decode(text)


def shots() -> dict[str, Shot]:
    """Those above, and one of every other game that there is."""
    others = [name for name in registry.names() if name not in SHOTS]
    return SHOTS | {name: Shot(f"/{name}?first=human&second=iterative&time=1", heat) for name in others}


def main(wanted: list[str]) -> None:
    known = shots()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no such picture: {', '.join(unknown)}; there are {', '.join(known)}")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    FOLDER.mkdir(exist_ok=True)
    total = 0
    with server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in wanted or known:
            shot = known[name]
            context = browser.new_context(**{"locale": "en-GB", "reduced_motion": "reduce", **shot.settings})
            page = context.new_page()
            page.goto(address + shot.path)
            shot.act(page)
            page.evaluate("document.fonts.ready")
            picture = smaller(browser, page.screenshot(full_page=shot.path == "/"))
            file = FOLDER / f"web_{name}.webp"
            file.write_bytes(picture)
            total += len(picture)
            print(f"{file.relative_to(FOLDER.parents[1])}  {len(picture) / 1000:.0f} kB")
            context.close()
        browser.close()
    print(f"{total / 1000:.0f} kB in all")


if __name__ == "__main__":
    main(sys.argv[1:])
