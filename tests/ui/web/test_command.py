"""`hansu serve`: its address, its port, its end."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.commands import Run
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hansu.core import registry
from hansu.ui.web import server
from hansu.ui.web.limits import Bounds


def started(*words: str) -> tuple[subprocess.Popen[str], str]:
    """The running command and the address that it prints."""
    command = [sys.executable, "-m", "hansu", "serve", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    return process, found[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_it_serves_until_it_is_told_to_stop(nim_path: Path) -> None:
    """Ctrl-C while a page is open and a search runs."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process, address = started("--port", str(port), str(nim_path))
    assert address == f"http://localhost:{port}/nim"
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=600) as answer:
                assert answer.status == 200
            break
        except ConnectionError:
            pass
    with connect(f"ws://127.0.0.1:{port}/play", max_size=None) as page:
        page.send('{"type": "open", "game": "connect_four"}')
        page.send('{"type": "analyse", "player": "iterative:interpreted=true"}')
        while "progress" not in str(page.recv(600)):
            pass
        process.send_signal(signal.SIGINT)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                page.recv(600)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    out, err = process.communicate(timeout=600)
    assert err == ""
    assert process.returncode == 0 and "stopped" in out


def test_a_port_that_is_taken_is_told(hansu: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = hansu("serve", "--port", str(port))
        assert done.returncode == 2 and f"port {port} is used by" in done.stderr and "--port" in done.stderr


def test_without_a_port_the_next_free_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(server, "USUAL_PORT", taken)
        with server.listen("127.0.0.1", None) as found:
            assert found.getsockname()[1] != taken


def test_the_first_game_that_is_named_is_shown_first(nim_path: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("A max\n a: 1\n b: 2\n")
    for named, path, more in (
        ([], "/", 0),
        (["connect_four"], "/connect_four", 0),
        (["pacman:layout=mediumClassic,stop=true"], "/pacman?layout=mediumClassic&stop=True", 0),
        ([f"{nim_path}:heap=3", "tictactoe"], "/nim", 1),
        ([f"tree:file={own}"], "/tree_2", 1),
    ):
        catalogue, address = server.catalogue_of(named, [], Bounds())
        assert address == path and len(catalogue.games) == len(registry.names()) + more


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chess"], "no game 'chess'"),
        (["./none.py"], "no file"),
        (["--player", "./none.py:Agent"], "no file"),
        (["--player", "wizard"], "no player 'wizard'"),
        (["--host", "no.such.name.invalid"], "cannot listen"),
    ],
)
def test_mistakes_are_told_at_once(hansu: Run, words: list[str], told: str) -> None:
    done = hansu("serve", *words)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
