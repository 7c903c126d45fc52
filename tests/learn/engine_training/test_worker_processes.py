"""Results of several worker processes, until a deadline or Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import ROOT
from support.pseudo_terminal import Terminal

from hansu.core import HansuError
from hansu.games.renju.training.games import COLUMNS, PlayedGame, check
from hansu.learn.engine_training.worker_processes import Gathered, gather
from hansu.learn.recipe import Job
from hansu.ui.training_display import Display

DAY = str(24 * 60)  # minutes; every test ends earlier


def source(task: str) -> Callable[[], str | None]:
    """Results that name their task; none for `idle`."""
    if task == "fails":
        raise HansuError("it cannot start")
    if task == "dies":
        os._exit(3)
    return lambda: None if task == "idle" else task


def gathered(*tasks: str, seconds: float = 0.0, job: Job | None = None) -> Gathered[str]:
    return gather(job or Job(), source, tasks, seconds, lambda part: {"letters": len(part)})


def test_results_of_all_processes() -> None:
    rows: list[Mapping[str, Any]] = []
    result = gathered("a", "bb", "idle", job=Job(show=rows.append))
    assert sorted(result.parts) == ["a", "bb"] and not result.stopped
    assert rows[-1]["letters"] == 3 and rows[-1]["kind"] == "progress"


def test_failures_of_a_process_are_reported() -> None:
    messages: list[str] = []
    with pytest.raises(HansuError, match="it cannot start"):
        gathered("a", "fails")
    with pytest.raises(HansuError, match="nothing was completed"):
        gathered("idle")
    assert gathered("dies", "a", job=Job(tell=messages.append)).parts == ["a"] and "exit code 3" in messages[0]


def test_results_before_an_interrupt_are_returned() -> None:
    def interrupt(row: Mapping[str, Any]) -> None:
        if row.get("letters") and not interrupted:
            interrupted.append(row)
            signal.raise_signal(signal.SIGINT)

    interrupted: list[Mapping[str, Any]] = []
    result = gathered("a", "b", seconds=86400.0, job=Job(show=interrupt))
    assert result.stopped and len(result.parts) >= interrupted[0]["letters"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_only_available_numbers_are_displayed() -> None:
    from rich.console import Console

    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO())
    with Display(console) as display:
        display.show({"kind": "progress", "seconds": 30.0, "whole": 120.0, "positions": 12345})
    text = console.export_text()
    assert re.search(r"time +0\.5 of 2 minutes, 1:\d\d left", text) and "12,345" in text
    assert "games" not in text and "search" not in text and "learner" not in text


def games_in(path: Path) -> int:
    with np.load(path) as file:
        arrays = {name: file[name] for name in COLUMNS}
    check(path, arrays)
    return len(arrays["result"])


@pytest.mark.parametrize("processes", ["1", "2"])
def test_games_before_an_interrupt_are_written(tmp_path: Path, processes: str) -> None:
    path = tmp_path / "games.npz"
    more = ("--minutes", DAY, "--nodes", "100", "--processes", processes, "-o", str(path))
    terminal = Terminal("train", "renju", "engine_games", *more)
    terminal.wait_for(r"of 1440 minutes, [\d:]+ left")
    terminal.wait_for(r"games(\s|\x1b\[[\d;]*m)+[1-9]")
    terminal.interrupt()
    assert terminal.end() == 130
    lines = [line for line in terminal.lines if line]
    assert lines[-2].startswith(f"{path}, ") and lines[-1] == "stopped", lines
    assert "Traceback" not in terminal.shown and games_in(path) > 0


def test_games_before_sigterm_are_written(tmp_path: Path) -> None:
    """By `python -m hansu.learn`; schedulers send SIGTERM."""
    path = tmp_path / "games.npz"
    words = ("ataxx", "engine_games", "--handmade", "--minutes", DAY, "--nodes", "100", "--processes", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "hansu.learn", *words, "-o", str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line).get("games"):
            process.send_signal(signal.SIGTERM)
            break
    rest = [json.loads(line) for line in process.stdout]
    assert process.wait() == 130 and rest[-1] == {"files": [str(path)]}
    assert len(np.load(path)["rows"]) == int(rest[-2]["positions"].replace(",", ""))


def test_a_rule_without_a_game_has_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hansu.core import registry
    from hansu.games.renju.training import games
    from hansu.learn.recipe import recipe_named

    one = PlayedGame(2, 1, 1.0, [112, 113, 114], [0, 5, 9])
    monkeypatch.setattr(games, "play_games", lambda *more: Gathered([one], False))
    outcome = recipe_named("engine_games", registry.game("renju"))().train(
        registry.game("renju"), Job((), tmp_path / "g")
    )
    assert [row[2] for row in outcome.tables[0].rows] == ["-", "-", "100.0%"]
    assert [note for note in outcome.notes if "freestyle" in note or "standard" in note] == outcome.notes != []
