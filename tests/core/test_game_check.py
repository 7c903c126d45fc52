"""Loading a game file reports invalid fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Run

from hansu.core import HansuError, registry
from hansu.ui.web.catalogue import Catalogue

WRONG = {
    "name": ["5", "None", "'two words'", "'a:b'", "''"],
    "title": ["5", "None", "''", "{}", "{'ko': '님'}", "{'en': 5}", "['Nim']"],
    "about": ["b'x'", "{'en': ''}"],
    "state": ["Nim((1, 2, 3), 0)", "None", "int"],
    "start": ["Nim((1, 2, 3), 0)", "None"],
    "unit": ["3", "None"],
    "options": ["Option('heap', int, 1, '')", "(1,)", "None", "(Option('a b', int, 1, ''),)",
                "(Option('heap', list, 1, ''),)", "(Option('heap', int, 'x', ''),)", "(Option('heap', int, 1, None),)",
                "(Option('heap', int, 1, ''), Option('heap', int, 1, ''))"],
    "move_text": ["'a1'", "None"],
    "look": ["'x'"],
    "controls": ["None", "{'left': 'a1'}"],
    "tones": ["('first',)", "'xy'"],
    "seats": ["('first',)", "('a', 'b', 'c')", "'ab'", "(1, 2)"],
    "score_range": ["0", "-1", "float('inf')", "float('nan')", "'1'", "True"],
    "symmetries": ["0", "1.5"],
    "plane_shape": ["3", "(0,)", "('a',)"],
    "small": ["1"],
    "default_depth": ["0", "'4'"],
    "opening_plies": ["-1", "None"],
    "players": ["{}", "None"],
    "opponent": ["None"],
    "tactics": ["None"],
    "files": ["None", "{'sgf': 1}"],
    "framework": ["{'game': 5}"],
}  # fmt: skip


def changed(nim_path: Path, tmp_path: Path, field: str, value: str) -> Path:
    head, _, _ = nim_path.read_text(encoding="utf-8").partition("GAME = Game(")
    fields = {"name": "'nim'", "title": "{'en': 'Nim'}", "about": "{'en': 'x'}", "state": "Nim", "start": "start",
              "options": "(Option('heap', int, 1, ''),)", field: value}  # fmt: skip
    path = tmp_path / "nim.py"
    path.write_text(head + "GAME = Game(" + ", ".join(f"{k}={v}" for k, v in fields.items()) + ")\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_an_invalid_field_is_reported(nim_path: Path, tmp_path: Path, field: str, value: str) -> None:
    path = changed(nim_path, tmp_path, field, value)
    with pytest.raises(HansuError) as error:
        registry.game(str(path))
    assert field.rstrip("s") in error.value.what or "rules" in error.value.what


@pytest.mark.parametrize("title", ["'Nim'", "{'en': 'Nim'}", "{'en': 'Nim', 'ko': '님'}"])
def test_a_title_may_be_a_string(nim_path: Path, tmp_path: Path, title: str) -> None:
    game = registry.game(str(changed(nim_path, tmp_path, "title", title)))
    description = Catalogue([game]).described()["games"][0]
    assert description["title"]["en"] == "Nim" and description["title"]["ko"]


def test_commands_report_invalid_fields(hansu: Run, nim_path: Path, tmp_path: Path) -> None:
    done = hansu("serve", str(changed(nim_path, tmp_path, "seats", "('a',)")))
    assert done.returncode == 2 and "Game(seats=...) must be two strings, not ('a',)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("old", "new"), [("barred=None", "Controls(forbidden"), ("exports={}", "Files(writers")])
def test_fields_of_the_first_release_get_a_hint(old: str, new: str, nim_path: Path) -> None:
    path = nim_path.with_name(f"old_{old.partition('=')[0]}.py")
    path.write_text(nim_path.read_text(encoding="utf-8").replace("GAME = Game(", f"GAME = Game({old}, "))
    with pytest.raises(HansuError) as caught:
        registry.game(str(path))
    assert new in caught.value.hint
