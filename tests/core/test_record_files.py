"""Files of saved games are data: they run no code and open no file, and invalid lines are reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run

from hansu.core import HansuError, registry
from hansu.core.record import read_record
from hansu.games.ataxx.pgn import from_records
from hansu.games.renju.files.game_record import Mistake
from hansu.games.renju.files.lines import read_matches

GOOD = {"game": "ataxx", "opening": ["g2"], "moves": ["a2"], "first": "a", "second": "b", "outcome": 1}


def line(**changed: Any) -> str:
    return json.dumps({**GOOD, **changed})


def test_a_record_runs_no_file(tmp_path: Path, hansu: Run) -> None:
    """The user did not choose a path that a data file names."""
    code = tmp_path / "code.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    saved = tmp_path / "games.jsonl"
    for spec in (str(code), f"{code}:size=5", "./code.py"):
        saved.write_text(line(game=spec) + "\n")
        done = hansu("pgn", "ataxx", str(saved), cwd=tmp_path)
        assert done.returncode == 2 and "not of ataxx" in done.stderr
        (mistake,) = read_matches([line(game=spec)])
        assert isinstance(mistake, Mistake) and "not of renju" in mistake.what
    assert not (tmp_path / "ran").exists()


def test_a_record_opens_no_file() -> None:
    for game in (registry.built_in("tree"), registry.built_in("triangles")):
        with pytest.raises(HansuError, match="may not set file"):
            read_record(line(game=f"{game.name}:file=/etc/passwd"), game)


def test_good_records() -> None:
    saved = read_record(line(game="ataxx:gaps=c3 e5", fault="late"), registry.built_in("ataxx"))
    assert saved.last.game.spec == "ataxx:gaps=c3 e5" and saved.last.moves == ("g2", "a2") and saved.fault == "late"
    (game,) = from_records([line()])
    assert len(game.actions) == 2 and game.result == "1-0"
    (record,) = read_matches([line(game="renju", opening=["h8"], moves=["i9"])])
    assert not isinstance(record, Mistake) and len(record.moves) == 2 and record.result == "1-0"


BAD = [
    "", "{", "[]", "null", "1", '"x"', "[" * 100_000, "{}", "9" * 5_000, '{"game": ' + "9" * 5_000 + "}",
    line(first=["a"]), line(second=None), line(second=7), line(game=["ataxx"]), line(game=None), line(game="tree"),
    line(game="ataxx:"), line(game="ataxx:size=3"), line(game="ataxx:gaps=z99"), line(game=""), line(outcome=2),
    line(outcome="1"), line(outcome=True), line(outcome=[1]), line(outcome=0.5),
    line(moves="g2"), line(moves=None), line(moves=[["g2"]]), line(moves=[1]), line(moves=["zz"]), line(moves=["g2"]),
    line(moves={"g2": 1}), line(opening=3), line(opening=[None]), line(fault=["x"]),
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:60])
def test_bad_records(text: str) -> None:
    of_renju = text.replace('"ataxx', '"renju').replace("g2", "h8").replace("a2", "i9")
    assert all(isinstance(record, Mistake) for record in read_matches([of_renju]))
    if text.strip():
        with pytest.raises(HansuError, match="line 1: "):
            list(from_records([text]))
