"""Charts of a store show its games."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run

from hansu.arena.chart import Axis, round_marks
from hansu.arena.contestant import Contestant
from hansu.arena.openings import Opening
from hansu.arena.pictures import decided_at, families, pictures
from hansu.arena.standings import standings
from hansu.arena.store import GameFilter, Store
from hansu.arena.store_page import page

NAMES = ["net_1.onnx", "net_2.onnx", "net_3.onnx", "<b>&bold", "mcts@time=0.1"]


def record_of(outcome: int, values: list[float | None], fault: str = "", plies: int = 10) -> dict[str, Any]:
    thoughts = [None if value is None else {"move": "1", "value": value} for value in values]
    return {
        "game": "connect_four", "start": "start", "opening": ["4"], "moves": ["1"] * (plies - 1), "outcome": outcome,
        "fault": fault, "seconds": [0.4, 0.02], "thoughts": thoughts, "first": "", "second": "",
    }  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Every player has beaten all later ones as first, and drawn as second."""
    store = Store(tmp_path / "games.db", make=True)
    event = store.event("connect_four", "round robin", {})
    ids = [store.player(Contestant(name, name)) for name in NAMES]
    opening = store.opening("connect_four", Opening(moves=("4",)))
    for i, first in enumerate(ids):
        for j, second in enumerate(ids):
            if i != j:
                outcome = 1 if i < j else 0
                fault = "it <crashed>" if (i, j) == (0, 4) else ""
                record = record_of(outcome, [-0.1, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.9, 0.9], fault, 10 + i)
                store.add(event, 0, first, second, opening, record)
    return store


def svg_charts(store: Store) -> dict[str, str]:
    table = standings(store.results(), store.players())
    return {name: chart.svg() for name, chart in pictures(store, GameFilter(), table).items()}


def test_every_chart_is_valid_svg(store: Store) -> None:
    charts = svg_charts(store)
    assert set(charts) == {"ratings", "crosstable", "course", "length", "time", "decided"}
    for picture in charts.values():
        root = ElementTree.fromstring(picture)  # names with < and & are escaped
        assert root.tag.endswith("svg")
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for shape in root.iter():
            for name, most in (
                ("x", width),
                ("cx", width),
                ("x1", width),
                ("x2", width),
                ("y", height),
                ("cy", height),
            ):
                if name in shape.attrib:
                    assert -1 <= float(shape.attrib[name]) <= most + 1, (shape.tag, shape.attrib)


def hints(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    return [title.text or "" for shape in root for title in shape.findall(f"{space}title")]


def test_charts_show_the_ratings_and_results_of_the_games(store: Store) -> None:
    charts = svg_charts(store)
    best = hints(charts["ratings"])[0]
    assert best.startswith("net_1.onnx: +") and len(hints(charts["ratings"])) == 5
    cells = hints(charts["crosstable"])
    assert (
        len(cells) == 20
        and "net_1.onnx - net_2.onnx: +1 =1 -0" in cells
        and "mcts@time=0.1 - <b>&bold: +0 =1 -1" in cells
    )
    assert sum(int(hint.rpartition(" ")[2]) for hint in hints(charts["length"])) == 20
    assert [hint.partition(":")[0] for hint in hints(charts["course"])] == NAMES[:3]
    # 0.4 s for the first seat's (10 + i - 1) / 2 moves
    assert "net_1.onnx: 88.9 ms" in " ".join(hints(charts["time"]))


def test_when_games_are_decided() -> None:
    assert decided_at(record_of(1, [-0.1, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.9, 0.9])) == 2 / 10
    assert decided_at(record_of(-1, [0.1] * 8 + [-1.0])) == 9 / 10
    assert decided_at(record_of(1, [0.1] * 8 + [-1.0])) == 1.0  # never ahead before the end
    assert decided_at(record_of(1, [0.5] * 9)) == 1 / 10
    assert decided_at(record_of(0, [0.5] * 9)) is None
    assert decided_at(record_of(1, [None] * 6 + [0.5] * 3)) is None


def test_families_are_players_that_differ_in_one_number(store: Store) -> None:
    table = standings(store.results(), store.players())
    (family,) = families(table.rows)
    assert family.name == "net_N.onnx" and [number for number, _ in family.members] == [1, 2, 3]


def test_versions_of_a_player_are_a_family_in_order() -> None:
    ids = range(1, 5)
    players = {id: Contestant("engine", "engine", version=f"{99 - id}e1") for id in ids}
    table = standings({(a, b): (a, 1, b) for a in ids for b in ids if a != b}, players)
    (family,) = families(table.rows)
    assert family.name == "engine#N" and [(number, row.player) for number, row in family.members] == [
        (1, 1), (2, 2), (3, 3), (4, 4),
    ]  # fmt: skip


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1234, 5678), (0.001, 0.0011), (3, 3)])
def test_marks_are_round_and_inside(low: float, high: float) -> None:
    if low < high:
        marks = round_marks(low, high)
        assert 2 <= len(marks) <= 9 and all(low - 1e-9 <= mark <= high + 1e-9 for mark in marks)
    axis = Axis(low, high, 0, 100)
    assert 0 <= axis.at(low) <= axis.at(high) <= 100


def test_the_page_is_self_contained(store: Store) -> None:
    text = page(store)
    assert text.count("<svg") == 6 and "&lt;b&gt;&amp;bold" in text and "<b>" not in text
    assert "it &lt;crashed&gt;" in text and "선공의 이점" in text
    assert not re.search(r"(src|href)=|url\(|http(?!://www\.w3\.org)", text)
    assert "connect_four" in page(store, GameFilter(game="connect_four"))


def test_pictures_from_the_command_line(hansu: Run, store: Store, tmp_path: Path) -> None:
    store.close()
    assert hansu("store", str(store.path), "--report", str(tmp_path / "report.html")).returncode == 0
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    folder = tmp_path / "pictures"
    failed = hansu("store", str(store.path), "--pictures", str(folder))
    assert failed.returncode == 2 and "no folder" in failed.stderr
    folder.mkdir()
    assert hansu("store", str(store.path), "--pictures", str(folder)).returncode == 0
    assert {file.name for file in folder.iterdir()} == {
        f"{name}.svg" for name in ("ratings", "crosstable", "course", "length", "time", "decided")
    }
