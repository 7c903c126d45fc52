"""A store loses no game, can be shared by processes, and reports damage."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import ROOT, Run
from support.stores import A, B, Filled, told

from hansu import Limit
from hansu.arena.contestant import Contestant
from hansu.arena.import_export import export, import_games
from hansu.arena.match import match
from hansu.arena.openings import Opening
from hansu.arena.process_owner import is_alive, own_name
from hansu.arena.roster import player
from hansu.arena.standings import Results, find_player, shown_names, standings
from hansu.arena.store import Claim, GameFilter, Store
from hansu.core import HansuError, Record, registry
from hansu.core.report import Value

FOUR = registry.game("connect_four")


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    return Filled(tmp_path / "games.db")


def test_a_stored_game_can_be_read_back(filled: Filled) -> None:
    record, _ = next(match(FOUR, player("heuristic:depth=2", FOUR), player("random:seed=1", FOUR), 1, Limit(), 1))
    data = record.as_json()
    store = filled.store
    assert store.add(filled.event, 0, filled.a, filled.b, filled.start, data)
    store.close()
    store = Store(store.path, read_only=True)
    (played,) = store.games()
    assert (played.outcome, played.ended, played.plies) == (record.outcome, "over", len(record.last.history))
    assert played.first_seconds == pytest.approx(record.seconds[0])
    assert store.record(played.id) == json.loads(json.dumps(data))
    again = Record.from_json(store.record(played.id), FOUR)
    assert again.last == record.last
    values = [d.report.value for d in again.decisions if d is not None and d.report.value is not None]
    assert values and all(isinstance(value, Value) for value in values)
    assert store.players() == {filled.a: A, filled.b: B}
    assert store.openings() == {filled.start: Opening()}
    assert store.events()[filled.event].settings == {"seed": 1}
    (started, versions), *_ = store.runs().values()
    assert versions["hansu"] and versions["numba"] and started == pytest.approx(played.finished, abs=3600)


def test_a_game_counts_once(filled: Filled) -> None:
    assert filled.add(0) and not filled.add(0, -1) and filled.add(0, swapped=True) and filled.add(1)
    assert filled.store.results() == {(filled.a, filled.b): (2, 0, 0), (filled.b, filled.a): (1, 0, 0)}
    assert filled.store.different() == 1  # equal moves
    assert filled.store.event("connect_four", "round robin", {"seed": 1}) == filled.event
    assert filled.store.event("connect_four", "round robin", {"seed": 2}) != filled.event


def test_filters(filled: Filled) -> None:
    filled.add(0, 1)
    filled.add(0, 0, swapped=True)
    filled.add(1, -1, fault="a crashed")
    filled.add(1, None, swapped=True)
    filled.add(2, 0, adjudicated="length")
    store = filled.store

    def slots(**selection: Any) -> list[tuple[int, int]]:
        return [(one.slot, one.first) for one in store.games(GameFilter(**selection))]

    a, b = filled.a, filled.b
    assert slots(player="a", outcome="won") == [(0, a)]
    assert slots(player="b", outcome="won") == [(1, a)]
    assert slots(player="a", outcome="drawn") == [(0, b), (2, a)]
    assert slots(player="a", against="b", ended="fault") == [(1, a)]
    assert slots(ended="unfinished") == [(1, b)] and slots(ended="length") == [(2, a)]
    assert slots(last=2) == [(1, b), (2, a)] and slots(player="a", outcome="drawn", last=1) == [(2, a)]
    assert slots(game="tictactoe") == [] and len(slots(game="connect_four", event=filled.event)) == 5
    assert store.faults() == {a: 1}
    assert store.by_opening() == {filled.start: (1, 2, 1)}
    assert store.by_opening(GameFilter(player="b")) == {filled.start: (1, 2, 1)}
    assert sum(sum(row) for row in store.results(GameFilter(last=3)).values()) == 2
    with pytest.raises(HansuError, match="no player 'c'"):
        slots(player="c")
    with pytest.raises(HansuError, match="needs a player"):
        slots(outcome="won")


def test_standings_of_a_store_and_of_results_agree(filled: Filled) -> None:
    for slot, (one, other) in enumerate([(1, -1), (0, 1), (1, 0), (-1, -1), (1, 1)]):
        filled.add(slot, one)
        filled.add(slot, other, swapped=True)
    store, results = filled.store, Results()
    for played in store.games():
        results.add(played)
    assert {pair: tuple(row) for pair, row in results.counts.items()} == store.results()
    # points of a in each pair: 2, 1/2, 3/2, 1, 1
    assert results.pairs(filled.a, filled.b) == [0, 1, 2, 1, 1]
    assert results.pairs(filled.b, filled.a) == [1, 1, 2, 1, 0]
    table = standings(store.results(), store.players())
    best = table.rows[0]
    assert (best.name, best.row, best.points, best.as_first, best.as_second) == (
        "a",
        (5, 2, 3),
        6,
        (3, 1, 1),
        (2, 1, 2),
    )
    assert table.between(filled.b, filled.a) == (3, 2, 5)
    better = table.likely_better()
    assert better[0][1] is not None and better[1][0] == pytest.approx(1 - better[0][1])
    assert table.as_json()["standings"][0]["won"] == 5


def test_versions_of_a_player_are_named_apart() -> None:
    players = {1: A, 2: Contestant("agent.py", "x", version="aa"), 3: Contestant("agent.py", "x", version="bb")}
    assert shown_names(players) == {1: "a", 2: "agent.py#aa", 3: "agent.py#bb"}
    assert find_player("mcts", {4: "mcts@time=0.1", 5: "b"}) == 4
    with pytest.raises(HansuError, match="not one of the players"):
        find_player("mcts", {4: "mcts@time=0.1", 5: "mcts@time=1"})


# Invalid files


def test_files_that_are_not_stores(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("just some words that are longer than a header " * 10)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE things (x)")
    db.close()
    for path, message in ((text, "not a store"), (other, "not a store"), (tmp_path / "none", "no store")):
        before = path.read_bytes() if path.exists() else None
        for options in ({"read_only": True}, {}):
            with pytest.raises(HansuError, match=message):
                Store(path, **options)
        if before is not None:
            assert path.read_bytes() == before


def test_a_store_of_another_version(filled: Filled) -> None:
    filled.store._db.execute("PRAGMA user_version = 99")
    filled.store.close()
    with pytest.raises(HansuError, match="version 99"):
        Store(filled.store.path)


def test_a_damaged_store(filled: Filled) -> None:
    for slot in range(300):
        filled.add(slot, moves=" ".join(str(1 + (slot + k) % 7) for k in range(20)))
    filled.store.close()
    whole = filled.store.path.read_bytes()
    assert len(whole) > 40_000
    filled.store.path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(HansuError, match=r"damaged|malformed"):
        store = Store(filled.store.path, read_only=True)
        list(store.games())
        for number in range(1, 301):
            store.record(number)


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "x.db", tmp_path / "file" / "x.db", tmp_path):
        with pytest.raises(HansuError, match=r"no folder|cannot be written"):
            Store(path, make=True)


def test_a_store_that_cannot_be_written_can_be_read(filled: Filled) -> None:
    filled.add(0)
    filled.store.close()
    path = filled.store.path
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with Store(path, read_only=True) as store:
            assert len(list(store.games())) == 1
    finally:
        path.parent.chmod(0o755)


def test_a_full_disk_loses_nothing(filled: Filled) -> None:
    """SQLite's limit on the pages of a file raises the same error as a full disk."""
    store = filled.store
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 3}")
    added = 0
    with pytest.raises(HansuError, match="disk is full"):
        for slot in range(10_000):
            added += filled.add(slot, fault=os.urandom(200).hex())
    assert added > 3 and len(list(store.games())) == added
    assert sum(store.results()[filled.a, filled.b]) == added
    store._db.execute("PRAGMA max_page_count = 1000000")
    assert filled.add(added)
    assert store._db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


# Several processes

WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from support.stores import Filled
from pathlib import Path
made = Filled(Path(sys.argv[1]))
for slot in range(int(sys.argv[3]), int(sys.argv[4])):
    assert made.add(slot)
    print(slot, flush=True)
"""


def writer(path: Path, low: int, high: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), str(ROOT / "tests"), str(low), str(high)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    both = [writer(path, 0, 200), writer(path, 200, 400)]
    assert [process.communicate(timeout=120)[0].count("\n") for process in both] == [200, 200]
    assert [process.returncode for process in both] == [0, 0]
    with Store(path, read_only=True) as store:
        assert sorted(one.slot for one in store.games()) == list(range(400))
        assert len(store.players()) == 2 and len(store.events()) == 1


def test_kill_9_loses_no_committed_game(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    process = writer(path, 0, 1_000_000)
    assert process.stdout is not None
    printed = [int(process.stdout.readline()) for _ in range(150)]
    process.send_signal(signal.SIGKILL)
    printed += [int(line) for line in process.stdout.read().splitlines()]  # printed before it died
    process.wait()
    with Store(path) as store:
        slots = {one.slot for one in store.games()}
        assert slots >= set(printed)
        assert store._db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert all(store.record(one.id)["moves"] for one in store.games())


def test_claims_hold_while_their_process_lives(filled: Filled) -> None:
    code = (
        "import sys; from hansu.arena.store import Store; s = Store(sys.argv[1]);"
        f"print(s.claim(({filled.event}, 3, {filled.a}, {filled.b})), flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, str(filled.store.path)]
    other = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline().strip() == "True"
    pair = Claim(filled.event, 3, filled.a, filled.b)
    assert not filled.store.claim(pair)
    filled.store.release_all()
    assert not filled.store.claim(pair) and filled.store.claim(pair._replace(slot=4))
    other.kill()  # not waited for: a zombie must hold no claim
    while is_alive(f"{other.pid} {own_name().partition(' ')[2]}") or not filled.store.claim(pair):
        pass
    other.communicate()


# Import and export


def saved(path: Path, count: int) -> list[dict[str, Any]]:
    games = match(FOUR, player("random:seed=1", FOUR), player("rule", FOUR), count, Limit(), 1)
    records = [record.as_json() for record, _ in games]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return records


def test_games_of_a_match_are_imported_once(tmp_path: Path) -> None:
    file = tmp_path / "saved.jsonl"
    records = saved(file, 6)
    with Store(tmp_path / "games.db", make=True) as store:
        assert import_games(store, file) == (6, 0)
        assert import_games(store, file) == (0, 6)
        with file.open("a") as more:
            more.write(json.dumps({**records[0], "seconds": [9, 9]}) + "\n")
        assert import_games(store, file) == (1, 6)
        results = Results()
        for one in store.games():
            results.add(one)
        names = {who.name: id for id, who in store.players().items()}
        assert sum(results.pairs(names["random:seed=1"], names["rule"])) == 3
        out = tmp_path / "out.jsonl"
        assert export(store, GameFilter(), out) == 7
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        assert lines[:6] == json.loads(json.dumps(records))
        assert export(store, GameFilter(), tmp_path / "out.csv") == 7
        rows = list(csv.DictReader((tmp_path / "out.csv").open()))
        assert rows[0]["moves"].split() == records[0]["moves"] and rows[1]["second"] == "random:seed=1"
        with Store(tmp_path / "other.db", make=True) as other:
            assert import_games(other, store.path) == (7, 0)
            assert import_games(other, store.path) == (0, 7)
            assert other.results(GameFilter()).values() and len(other.runs()) == len(store.runs())
        assert import_games(store, out) == (0, 7)
        assert import_games(store, tmp_path / "other.db") == (0, 7)


def test_a_game_with_an_unknown_ending_is_listed(hansu: Run, tmp_path: Path) -> None:
    """Files may come from other programs."""
    file = tmp_path / "saved.jsonl"
    (record, *_) = saved(file, 1)
    file.write_text(json.dumps({**record, "adjudicated": "[by] a referee"}) + "\n")
    with Store(tmp_path / "games.db", make=True) as store:
        assert import_games(store, file) == (1, 0)
    listed = hansu("store", "games.db", "--list", cwd=tmp_path)
    assert listed.returncode == 0 and "[by]" in listed.stdout, listed.stderr


def test_exported_games_of_an_event_are_not_imported_again(filled: Filled, tmp_path: Path) -> None:
    filled.add(0)
    filled.add(0, 0, swapped=True)
    out = tmp_path / "out.jsonl"
    export(filled.store, GameFilter(), out)
    assert import_games(filled.store, out) == (0, 2)


def test_formats_of_games(tmp_path: Path) -> None:
    for name, ending, mark in (
        ("ataxx", "pgn", "[Result"),
        ("renju:size=7", "sgf", "(;"),
        ("renju:size=7", "psq", "Piskvorky"),
    ):
        game = registry.game(name)
        file, folder = tmp_path / f"{ending}.jsonl", tmp_path / ending
        folder.mkdir()
        a, b = player("random:seed=1", game), player("random:seed=2", game)
        file.write_text("".join(json.dumps(r.as_json()) + "\n" for r, _ in match(game, a, b, 2, Limit(), 1)))
        with Store(tmp_path / f"{ending}.db", make=True) as store:
            import_games(store, file)
            if ending == "psq":
                with pytest.raises(HansuError, match="can hold only one"):
                    export(store, GameFilter(), tmp_path / "all.psq")
            else:
                assert export(store, GameFilter(), tmp_path / f"all.{ending}") == 2
                assert (tmp_path / f"all.{ending}").read_text().count(mark) >= 2
            assert export(store, GameFilter(), folder, ending) == 2
            assert all(mark in one.read_text() for one in folder.iterdir()) and len(list(folder.iterdir())) == 2
            with pytest.raises(HansuError, match="has no format xyz"):
                export(store, GameFilter(), tmp_path / "all.xyz")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2: not a record"),
        ("[1]", "line 2: not a record"),
        ('{"game": "connect_four"}', "line 2: the text is not a game record"),
        ('{"game": "./evil.py", "opening": [], "moves": []}', "only be read with its file"),
        (json.dumps(told(moves="1 9")), "line 2"),
    ],
)
def test_nothing_is_imported_from_a_file_with_an_invalid_line(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "saved.jsonl"
    saved(file, 1)
    with file.open("a") as more:
        more.write(line + "\n")
    with Store(tmp_path / "games.db", make=True) as store:
        with pytest.raises(HansuError, match=message):
            import_games(store, file)
        assert not list(store.games())


def test_a_users_game_is_read_if_it_is_passed(tmp_path: Path, nim_path: Path) -> None:
    game = registry.game(str(nim_path))
    file = tmp_path / "saved.jsonl"
    a, b = player("random:seed=1", game), player("minimax", game)
    file.write_text("".join(json.dumps(r.as_json()) + "\n" for r, _ in match(game, a, b, 2, Limit(), 1)))
    with Store(tmp_path / "games.db", make=True) as store:
        with pytest.raises(HansuError, match="only be read with its file"):
            import_games(store, file)
        assert import_games(store, file, game) == (2, 0)
