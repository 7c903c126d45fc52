"""Firefox for the tests of the web app: Debian's, or whichever there is, through WebDriver BiDi, which it speaks by
itself over a socket. (Playwright wants a Firefox of its own making.) Without one these tests are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
PATIENCE = 180  # seconds; the machine may be busy
PREFERENCES = {
    "intl.accept_languages": "en-GB",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "ui.prefersReducedMotion": 1,
}
KEYS = {"Enter": "\ue007", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Tab": "\ue004"}


class Firefox:
    """One window with one page."""

    def __init__(self, profile: Path) -> None:
        assert FIREFOX is not None
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        address = None
        for line in self.process.stderr:
            if found := re.search(r"BiDi listening on (ws://\S+)", line):
                address = found[1]
                break
        assert address is not None, "Firefox does not listen"
        self.complaints: list[str] = []
        self.number = 0
        self.ends = ExitStack()
        self.socket = self.ends.enter_context(connect(f"{address}/session", max_size=None, compression=None))
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.page = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", context=self.page, viewport={"width": 1200, "height": 860})

    def close(self) -> None:
        self.ends.close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        if self.process.stderr is not None:
            self.process.stderr.close()

    def ask(self, method: str, **params: Any) -> Any:
        """A command and its answer; what the console says meanwhile is kept."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            told = json.loads(self.socket.recv(timeout=PATIENCE))
            if told.get("method") == "log.entryAdded" and told["params"]["level"] in ("error", "warn"):
                self.complaints.append(str(told["params"]["text"]))
            if told.get("id") == self.number:
                assert told["type"] == "success", told
                return told["result"]

    def visit(self, address: str) -> None:
        self.ask("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page; plain values, and lists of them as JSON."""
        answer = self.ask(
            "script.evaluate", expression=f"JSON.stringify({script})", target={"context": self.page}, awaitPromise=True
        )
        assert answer["type"] == "success", answer
        text = answer["result"].get("value")
        return None if text is None else json.loads(text)

    def wait_for(self, script: str) -> Any:
        """Until an expression is true in the page."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := self.evaluate(script):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def text(self, selector: str) -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def press(self, *keys: str) -> None:
        values = [KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": steps})

    def click(self, selector: str, number: int = 0) -> None:
        """The mouse in the middle of what is found."""
        found = f"document.querySelectorAll({json.dumps(selector)})[{number}]"
        self.wait_for(f"!!{found}")
        self.evaluate(f"{found}.scrollIntoView({{block: 'nearest'}}) ?? null")
        box = self.evaluate(f"{found}.getBoundingClientRect()")
        at = {"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + box["height"] / 2)}
        steps = [
            {"type": "pointerMove", **at},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps})

    def _act(self, source: dict[str, Any]) -> None:
        self.ask("input.performActions", context=self.page, actions=[source])
