"""What several processes find until their time is over, or until somebody stops them."""

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

DAY = str(24 * 60)  # minutes: nobody waits for its end


def source(task: str) -> Callable[[], str | None]:
    """Parts that name their task; none of `idle`."""
    if task == "ill":
        raise HansuError("it cannot begin")
    if task == "dies":
        os._exit(3)
    return lambda: None if task == "idle" else task


def gathered(*tasks: str, seconds: float = 0.0, job: Job | None = None) -> Gathered[str]:
    return gather(job or Job(), source, tasks, seconds, lambda part: {"letters": len(part)})


def test_every_process_hands_over_what_it_has() -> None:
    rows: list[Mapping[str, Any]] = []
    found = gathered("a", "bb", "idle", job=Job(show=rows.append))
    assert sorted(found.parts) == ["a", "bb"] and not found.stopped
    assert rows[-1]["letters"] == 3 and rows[-1]["kind"] == "progress"


def test_what_goes_wrong_in_a_process_is_told() -> None:
    said: list[str] = []
    with pytest.raises(HansuError, match="it cannot begin"):
        gathered("a", "ill")
    with pytest.raises(HansuError, match="nothing was finished"):
        gathered("idle")
    assert gathered("dies", "a", job=Job(tell=said.append)).parts == ["a"] and "exit code 3" in said[0]


def test_an_interrupt_keeps_what_was_found() -> None:
    def interrupt(row: Mapping[str, Any]) -> None:
        if row.get("letters") and not interrupted:
            interrupted.append(row)
            signal.raise_signal(signal.SIGINT)

    interrupted: list[Mapping[str, Any]] = []
    found = gathered("a", "b", seconds=86400.0, job=Job(show=interrupt))
    assert found.stopped and len(found.parts) >= interrupted[0]["letters"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_numbers_are_drawn_as_far_as_there_are_any() -> None:
    from rich.console import Console

    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO())
    with Display(console) as display:
        display.show({"kind": "progress", "seconds": 30.0, "whole": 120.0, "positions": 12345})
    told = console.export_text()
    assert re.search(r"time +0\.5 of 2 minutes, 1:\d\d left", told) and "12,345" in told
    assert "games" not in told and "search" not in told and "learner" not in told


def games_in(path: Path) -> int:
    with np.load(path) as file:
        arrays = {name: file[name] for name in COLUMNS}
    check(path, arrays)
    return len(arrays["result"])


@pytest.mark.parametrize("processes", ["1", "2"])
def test_games_that_were_played_before_an_interrupt_are_written(tmp_path: Path, processes: str) -> None:
    path = tmp_path / "games.npz"
    more = ("--minutes", DAY, "--nodes", "100", "--processes", processes, "-o", str(path))
    terminal = Terminal("train", "renju", "engine_games", *more)
    terminal.wait_for(r"of 1440 minutes, [\d:]+ left")
    terminal.wait_for(r"games(\s|\x1b\[[\d;]*m)+[1-9]")
    terminal.interrupt()
    assert terminal.end() == 130
    said = [line for line in terminal.lines if line]
    assert said[-2].startswith(f"{path}, ") and said[-1] == "stopped", said
    assert "Traceback" not in terminal.shown and games_in(path) > 0


def test_the_plain_entry_does_so_too(tmp_path: Path) -> None:
    """Ended by SIGTERM, as schedulers do."""
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
