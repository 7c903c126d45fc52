"""What the tests share."""

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
    "test_cli", "test_alphazero", "test_cluster", "test_conformance", "test_tournament", "test_examples",
    "test_tuning", "test_forest", "test_core", "test_connect_four_truth", "test_ataxx_engine", "test_learning_docs",
    "test_renju_rules", "test_guest", "test_cache", "test_connect_four_solver", "test_cluster_pool", "test_batch",
    "test_connect_four_learning", "test_puct", "test_bad_input", "test_pacman", "test_pacman_play",
    "test_renju_forbidden", "test_readers", "test_check", "test_recipes", "test_connect_four_kaggle",
    "test_renju_features", "test_position", "test_renju_files", "test_triangles_players", "test_renju_engine",
    "test_renju_protocol", "test_engine_players", "test_web_browser", "test_web_study", "test_web_xray",
    "test_web_senses", "test_web_class", "test_web_firefox",
)  # fmt: skip
"""More than ten seconds each, most of them for compiling; the longest first, since files are handed out to processes in
this order and a long one should not be the last. Browsers come when most is compiled: on an empty cache a server
compiles everything that can play, beside the tests. `make check` leaves all of them out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(SLOW_FILES)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))
    for item in items:
        if item.path.stem in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
        if "browser" in getattr(item, "fixturenames", ()):  # an outside program that has moods of its own
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def nim_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game of docs/tutorial/your_own_game.md, as a reader would save it."""
    text = (ROOT / "docs" / "tutorial" / "your_own_game.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    path = tmp_path_factory.mktemp("games") / "nim.py"
    path.write_text(code[1], encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hansu() -> Iterator[Run]:
    """Run the command as a person does: `hansu("perft", "tree", input="...")`."""
    from support.forked import TIMEOUT, Forks

    forks = Forks()

    def run(*words: str, input: str = "", cwd: Path | None = None, env: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
        others = {name for name, _ in {*(env or os.environ).items()} ^ {*os.environ.items()}}
        if hasattr(os, "fork") and all(name.startswith("HANSU_") for name in others):
            return forks.run(words, input, cwd, env)
        # A new interpreter: it looks at the environment when it starts.
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
    """A web server with a game of its own, and without a limit to the rate of messages."""
    from support.web_page import running
    from support.web_players import toy

    with running([toy()], messages_a_second=1e6, burst=1_000_000) as made:
        yield made


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    """A page that talks with the server."""
    from support.web_page import Page

    made = Page(server)
    yield made
    made.close()
