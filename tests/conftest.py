"""Shared fixtures and the order of the test files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.commands import ROOT, Run

if TYPE_CHECKING:
    from support.web_page import Page, Server

pytest.register_assert_rewrite("support.web_browser")

SLOW_FILES = (
    "test_cli", "learn/alphazero/test_alphazero", "learn/alphazero/test_cluster", "search/test_conformance",
    "arena/test_tournament", "test_examples", "learn/engine_training/test_recipes", "search/test_forest",
    "core/test_core", "games/connect_four/test_truth", "games/ataxx/test_engine", "learn/test_learning_docs",
    "games/renju/test_rules", "arena/test_guest", "compile/test_cache", "games/connect_four/test_solver",
    "arena/test_cluster_pool", "search/test_batch", "games/connect_four/test_training", "search/test_puct",
    "test_bad_input", "games/pacman/test_rules", "games/pacman/test_play", "games/renju/test_forbidden",
    "test_readers", "commands/test_check", "learn/test_recipes", "games/connect_four/test_kaggle",
    "games/renju/test_features", "core/test_position", "games/renju/files/test_files",
    "games/triangles/test_players", "games/renju/engine/test_engine", "games/renju/gomocup/test_renju_engine",
    "search/test_engine_players", "ui/web/test_browser", "ui/web/test_study", "ui/web/test_xray",
    "ui/web/test_accessibility", "ui/web/test_class", "ui/web/test_firefox",
)  # fmt: skip
"""Files that take more than ten seconds, mostly for compiling; `make check` leaves them out.

The longest come first, because files are assigned to processes in this order and a long one should not be the last.
Browser tests come late, when most code is compiled: on an empty cache, a server compiles all players meanwhile.
"""


def _name(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT / "tests").with_suffix("").as_posix()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(SLOW_FILES)}
    items.sort(key=lambda item: place.get(_name(item), len(place)))
    for item in items:
        if _name(item) in place:
            item.add_marker(pytest.mark.slow)
        if "browser" in getattr(item, "fixturenames", ()):  # an external program that fails now and then
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def nim_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game of docs/tutorial/your_own_game.md as a file."""
    text = (ROOT / "docs" / "tutorial" / "your_own_game.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    path = tmp_path_factory.mktemp("games") / "nim.py"
    path.write_text(code[1], encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hansu() -> Iterator[Run]:
    """Run the command line: `hansu("perft", "tree", input="...")`."""
    from support.forked import TIMEOUT, Forks

    forks = Forks()

    def run(*words: str, input: str = "", cwd: Path | None = None, env: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
        changed = {name for name, _ in {*(env or os.environ).items()} ^ {*os.environ.items()}}
        if hasattr(os, "fork") and all(name.startswith("HANSU_") for name in changed):
            return forks.run(words, input, cwd, env)
        # Other variables need a new interpreter, which reads the environment when it starts.
        return subprocess.run(
            [sys.executable, "-m", "hansu", *words],
            input=input,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            cwd=cwd,
            env=env,
        )

    yield run
    forks.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A web server with a toy game and no limit on the message rate."""
    from support.web_page import running
    from support.web_players import toy

    with running([toy()], messages_a_second=1e6, burst=1_000_000) as started:
        yield started


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    """A page that is connected to the server."""
    from support.web_page import Page

    opened = Page(server)
    yield opened
    opened.close()
