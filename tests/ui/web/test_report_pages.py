"""The reports of training runs in the web app."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from support.commands import Run as Hansu

from hansu.arena import store_page as page_module
from hansu.arena.store import Store
from hansu.arena.store_page import games_list
from hansu.core import Game, HansuError, registry
from hansu.ui.web.app import create_app
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.report_pages import reports_of


def run_in(folder: Path, game: str = "tictactoe") -> Path:
    folder.mkdir(parents=True)
    settings = {"a": "<b>", "<script>alert(1)</script>": 1}
    (folder / "run.json").write_text(json.dumps({"game": game, "recipe": "alphazero", "settings": settings}))
    return folder


def progress(seconds: float) -> str:
    row = {"kind": "progress", "seconds": seconds, "games": 5, "positions": 40, "steps": 3, "policy_loss": 1.5}
    return json.dumps(row) + "\n"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    runs = [str(run_in(tmp_path / "mine")), str(run_in(tmp_path / "other" / "mine"))]
    app = create_app(Catalogue([registry.built_in("tictactoe")]), reports=reports_of(runs))
    return TestClient(app, base_url="http://localhost")


def test_a_run_is_shown_as_it_grows(client: TestClient, tmp_path: Path) -> None:
    listed = client.get("/runs")
    assert listed.status_code == 200 and "/runs/mine" in listed.text and "/runs/mine_2" in listed.text
    waiting = client.get("/runs/mine")
    assert waiting.status_code == 404 and "is still empty" in waiting.text
    log = tmp_path / "mine" / "log.jsonl"
    log.write_text(progress(10.0))
    first = client.get("/runs/mine")
    assert first.status_code == 200 and "location.reload()" in first.text and "&lt;b&gt;" in first.text
    with log.open("a") as more:
        more.write(progress(20.0) + '{"cut')
    assert client.get("/runs/mine").text != first.text
    assert client.get("/runs/nothing").status_code == 404 and client.get("/runs/../mine").status_code == 404


def test_only_the_pages_own_script_runs(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "mine" / "log.jsonl").write_text(progress(10.0))
    answer = client.get("/runs/mine")
    policy = answer.headers["content-security-policy"]
    scripts = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == 2  # it asks again; its language
    assert f"script-src 'sha256-{digests[0]}' 'sha256-{digests[1]}';" in policy and "default-src 'none'" in policy


def test_a_users_game_is_drawn_where_it_is_served(tmp_path: Path, nim_path: Path) -> None:
    """A run's files run no code."""
    mine, ran = tmp_path / "mine.py", tmp_path / "ran"
    mine.write_text(f"open({str(ran)!r}, 'w').close()\n" + nim_path.read_text())
    run = run_in(tmp_path / "run", f"{mine}:heap=2")
    (run / "log.jsonl").write_text(json.dumps({"kind": "game", "first": "start", "moves": [], "seconds": 1}) + "\n")
    assert 'class="game"' not in report_of(run, {"tictactoe": registry.built_in("tictactoe")})
    assert not ran.exists()
    assert 'class="game"' in report_of(run, {"nim": registry.game(str(mine))})


def report_of(run: Path, served: dict[str, Game]) -> str:
    found = reports_of([str(run)], games=served).shown("runs", "run", "", 1)
    assert found is not None
    return bytes(found.body).decode()


def test_without_runs_there_is_no_such_page() -> None:
    client = TestClient(create_app(Catalogue([registry.built_in("tictactoe")])), base_url="http://localhost")
    assert client.get("/runs").status_code == client.get("/arena").status_code == 404


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament."""
    path = tmp_path_factory.mktemp("arena") / "games.db"
    words = ["tournament", "tictactoe", "random:seed=1", "minimax:depth=2", "--games", "4", "--workers", "1"]
    done = subprocess.run([sys.executable, "-m", "hansu", *words, "--store", str(path), "--json"], capture_output=True)
    assert done.returncode == 0, done.stderr
    return path


def test_a_store_and_its_games(store: Path) -> None:
    app = create_app(Catalogue([registry.built_in("tictactoe")]), reports=reports_of([], [str(store)]))
    client = TestClient(app, base_url="http://localhost")
    standings = client.get("/arena")
    assert standings.status_code == 200 and "minimax:depth=2" in standings.text
    assert client.get("/api/catalogue").json()["reports"] == ["/arena/games.db"] and 'href="/"' in standings.text
    links = re.findall(r'href="(/arena/games.db/\d+)"', standings.text)
    assert len(links) == 4
    for link in links:
        replay = client.get(link)
        boards = replay.text.count("<li hidden>")
        steps = json.loads(re.search(r"const { names, steps } = (.*), codes", replay.text)[1])["steps"]  # type: ignore[index]
        assert replay.status_code == 200 and boards == len(steps["en"]) == len(steps["ko"]) > 5
        assert any("minimax" in step for step in steps["en"][1:]) and steps["en"][-1].rstrip(".").split(". ")[-1]
    for wrong in ("999", "-1", "x", "1" * 30, "%3Cscript%3E"):
        assert client.get(f"/arena/games.db/{wrong}").status_code == 404
    assert client.get("/arena/games.db?page=7").status_code == client.get("/arena/games.db?page=x").status_code == 200


def test_long_lists_are_cut(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "LISTED_GAMES", 3)
    with Store(store, read_only=True) as opened:
        first, second = (games_list(opened, "/arena/s", n) for n in (1, 2))
    assert first.count("/arena/s/") == 3 and second.count("/arena/s/") == 1
    assert "?page=2" in first and "?page=1" in second


def test_what_is_no_run_and_no_store_is_told_first(tmp_path: Path, hansu: Hansu) -> None:
    with pytest.raises(HansuError, match="does not contain a run"):
        reports_of([str(tmp_path)])
    done = hansu("serve", "--run", str(tmp_path / "gone"))
    assert done.returncode == 2 and "does not contain a run" in done.stderr and "Traceback" not in done.stderr
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no store")
    for path in (broken, tmp_path / "gone.db"):
        done = hansu("serve", "--store", str(path))
        assert done.returncode == 2 and path.name in done.stderr and "Traceback" not in done.stderr
