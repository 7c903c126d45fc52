"""Tournaments on the command line: they resume, and no process outlives them."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run

from hansu import Limit
from hansu.arena.contestant import read_contestants
from hansu.arena.openings import RandomOpenings
from hansu.arena.pool import Pool
from hansu.arena.runner import LocalRunner, PlayerSet
from hansu.arena.schedule import Duel, Gauntlet, RoundRobin, Schedule, Swiss
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament
from hansu.core import HansuError, registry
from hansu.core.record import Record

TOE = registry.game("tictactoe")
RANDOMS = ["random:seed=1", "random:seed=2", "random:seed=3"]
HANGS = "import time\ndef agent(position):\n    time.sleep(3600)\n"
CRASHES = (
    "def agent(position):\n    if len(position.history) > 5: raise ValueError('oh')\n    return position.actions[0]\n"
)


def played(
    store: Store, names: list[str], schedule: Schedule, workers: int = 1, **more: Any
) -> list[tuple[int, str, str]]:
    """Play an event to its end. Returns slot and players of its games."""
    who = read_contestants(names, TOE, Limit())
    event = Tournament(store, TOE, who, schedule, RandomOpenings(TOE, None, 1), 1, **more)
    with Pool(TOE, who, workers) as pool:
        for _ in event.play(pool):
            pass
    known = store.players()
    return [(one.slot, known[one.first].name, known[one.second].name) for one in store.games()]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "games.db", make=True) as store:
        yield store


def test_every_opening_from_both_seats(store: Store) -> None:
    games = played(store, RANDOMS, RoundRobin(3, 4), workers=2)
    assert len(games) == len(set(games)) == 3 * 4 * 2
    assert {(slot, second, first) for slot, first, second in games} == set(games)
    openings = {(one.slot, one.opening) for one in store.games()}
    assert len(openings) == 4  # one per slot, equal for all pairs of players
    assert not store._db.execute("SELECT * FROM claims").fetchall()


def test_an_event_resumes_and_grows(store: Store) -> None:
    who = read_contestants(RANDOMS[:2], TOE, Limit())
    event = Tournament(store, TOE, who, RoundRobin(2, 5), RandomOpenings(TOE, None, 1), 1)
    with Pool(TOE, who, 1) as pool:
        games = event.play(pool)
        for count, _ in enumerate(games, 1):
            if count == 3:  # in the middle of a pair
                games.close()
    before = {one.id: one.digest for one in store.games()}
    assert 3 <= len(before) < 10
    again = played(store, RANDOMS[:2], RoundRobin(2, 5))
    assert len(again) == len(set(again)) == 10
    assert before.items() <= {one.id: one.digest for one in store.games()}.items()
    assert len(played(store, RANDOMS[:2], RoundRobin(2, 6))) == 12  # more games
    assert len(played(store, RANDOMS, RoundRobin(3, 6))) == 36  # one more player
    assert len(store.events()) == 1


def test_games_of_a_local_runner_are_those_of_a_pool(tmp_path: Path) -> None:
    names, digests = ["minimax", "alphabeta:depth=2", "iterative:depth=1"], []
    records: list[tuple[int, Record]] = []
    for kind in ("local", "pool"):
        who = read_contestants(names, TOE, Limit())
        runner = (
            LocalRunner(PlayerSet(TOE, who), lambda *game: records.append(game))
            if kind == "local"
            else Pool(TOE, who, 1)
        )
        with Store(tmp_path / kind, make=True) as store, runner:
            for _ in Tournament(store, TOE, who, RoundRobin(3, 2), RandomOpenings(TOE, None, 1), 1).play(runner):
                pass
            digests.append([(one.slot, one.digest) for one in store.games()])
    assert digests[0] == digests[1] and len(digests[0]) == len(records) == 3 * 2 * 2
    assert [seat for seat, _ in records[:4]] == [0, 1, 0, 1]


def test_a_duel_of_an_odd_number_of_games() -> None:
    assert [(pairing.slot, pairing.seats) for pairing in Duel(5).pairings()] == [(0, (0, 1)), (1, (0, 1)), (2, (0,))]


def test_a_gauntlet_and_a_swiss_event(store: Store) -> None:
    names = [f"random:seed={n}" for n in range(1, 6)]
    games = played(store, names, Gauntlet(5, 2, 1))
    assert len(games) == 8 and all("random:seed=3" in pair[1:] for pair in games)
    games = played(store, names, Swiss(5, 3), settings={"players": names})[8:]
    met = Counter(frozenset(pair[1:]) for pair in games)
    assert len(games) == 3 * 2 * 2 and set(met.values()) == {2}
    assert played(store, names, Swiss(5, 3), settings={"players": names})[8:] == games


def test_a_worker_that_dies_is_replaced(store: Store) -> None:
    who = read_contestants(RANDOMS, TOE, Limit())
    event = Tournament(store, TOE, who, RoundRobin(3, 6), RandomOpenings(TOE, None, 1), 1)
    with Pool(TOE, who, 2) as pool:
        for count, _ in enumerate(event.play(pool)):
            if count in (2, 20):
                pool._all[0]._process.kill()
    games = [(one.slot, one.first, one.second) for one in store.games()]
    assert len(games) == len(set(games)) == 36


def test_a_full_disk_stops_the_event(store: Store) -> None:
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(HansuError, match="disk is full"):
        played(store, RANDOMS, RoundRobin(3, 200))
    kept = len(list(store.games()))
    store._db.execute("PRAGMA max_page_count = 1000000")
    assert kept > 5 and len(played(store, RANDOMS, RoundRobin(3, 20))) == 3 * 40


# Broken players


def agent(folder: Path, code: str, name: str = "agent.py") -> str:
    (folder / name).write_text(code)
    return str(folder / name)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def agent(position: return 1", "SyntaxError"),
        ("import nonexistent_thing", "nonexistent_thing"),
        ("def agent(position): raise ValueError('oh')", "oh"),
        ("def agent(position): return 99", "not legal"),
        (HANGS, "did not answer within"),
    ],
)
@pytest.mark.parametrize("command", ["tournament", "match", "sprt"])
def test_broken_players_are_rejected_before_the_first_game(
    hansu: Run, tmp_path: Path, code: str, message: str, command: str
) -> None:
    words = [command, "tictactoe", "random", agent(tmp_path, code), "--limit", "time=0.5"]
    store = tmp_path / "games.db"
    done = hansu(*words, *(["--store", str(store)] if command != "match" else []))
    assert (
        done.returncode == 2 and message in done.stderr and "agent.py" in done.stderr and "Traceback" not in done.stderr
    )
    if command != "match":
        with Store(store, read_only=True) as games:
            assert not list(games.games())


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (("tournament", "renju", "random", "gomocup:cmd=/no/such/engine"), ("/no/such/engine",)),
        (("match", "renju", "random", "gomocup:cmd=/no/such/engine"), ("/no/such/engine",)),
        (("tournament", "ataxx", "random", "uai:cmd=sleep 60,start=1", "-l", "time=0.1"), ("within 1 s (start=)",)),
        (("tournament", "tictactoe", "random", "rondom"), ("did you mean 'random'",)),
        (("tournament", "tictactoe", "random"), ("two or more players",)),
        (("tournament", "tictactoe", "random", "random"), ("twice",)),
        (("tournament", "tictactoe", "random", "mcts", "--gauntlet", "mtcs"), ("did you mean 'mcts'",)),
        (("tournament", "tictactoe", "random", "mcts", "--swiss", "--gauntlet", "mcts"), ("exclude each other",)),
        (("tournament", "tictactoe", "random", "mcts", "--rounds", "2"), ("--swiss",)),
        (("tournament", "tictactoe", "random", "mcts", "--anchor", "mtcs=3"), ("not one of",)),
        (("tournament", "tictactoe", "random", "mcts", "--store", "no/such/x.db"), ("no folder",)),
        (("tournament", "tictactoe", "random", "mcts", "--store", "."), ("cannot be written",)),
        (("tournament", "tictactoe", "random", "mcts", "--openings", "none.txt"), ("cannot read",)),
        (("tournament", "tictactoe", "random", "mcts", "--adjudicate", "won=1"), ("no option 'won'",)),
        (("sprt", "tictactoe", "random", "mcts", "--elo0", "5", "--elo1", "5"), ("less than",)),
        (("sprt", "tictactoe", "random", "mcts", "--alpha", "0.9"), ("between 0 and 0.5",)),
        (("openings", "connect_four", "--balanced", "--judge", "random"), ("does not evaluate",)),
        (("openings", "connect_four", "--limit", "depth=3"), ("--balanced",)),
        (("openings", "connect_four", "-o", "no/such/file"), ("cannot write",)),
        (("store", "none.db"), ("no store",)),
        (("match", "tictactoe", "random", "mcts", "--save", "."), ("cannot be written",)),
    ],
)  # fmt: skip
def test_mistakes_get_a_message(hansu: Run, tmp_path: Path, words: tuple[str, ...], messages: tuple[str, ...]) -> None:
    done = hansu(*words, cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    for word in messages:
        assert word in done.stderr


# The commands


def test_new_games_and_stored_games_are_counted_separately(hansu: Run, tmp_path: Path) -> None:
    def played(*words: str) -> str:
        done = hansu("tournament", "tictactoe", *words, "--store", "games.db", cwd=tmp_path)
        assert done.returncode == 0 and ("games per pair instead of 3" in done.stderr) == ("3" in words), done.stderr
        return done.stdout

    everybody = "all players of this event in the store, including those not named here:\n"
    assert "6 of 6 games" in played("random", "alphabeta", "-n", "6")
    other = played("random", "random:seed=7", "-n", "3")
    assert other.startswith(everybody) and "4 new games, 10 of this event in the store" in other
    assert "0 new games, 10 of this event in the store" in played("random", "alphabeta", "-n", "3")
    complete = played("random", "alphabeta", "random:seed=7", "-n", "2")
    assert "alphabeta" in complete and everybody not in complete


def test_a_tournament_on_the_command_line(hansu: Run, tmp_path: Path) -> None:
    mine = agent(tmp_path, CRASHES)
    players = ["random:seed=1", "best=alphabeta", f"{mine}@time=5"]
    words = ["tournament", "tictactoe", *players, "-n", "6", "--store", "games.db"]
    done = hansu(*words, "--json", "--anchor", "random:seed=1=500", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["finished"] and answer["games"] == 18
    rows = {row["player"]: row for row in answer["standings"]}
    assert rows["random:seed=1"]["elo"] == 500 and rows["random:seed=1"]["interval"] == [500, 500]
    assert rows["best"]["elo"] > 500 and rows["agent.py@time=5"]["faults"] > 0
    again = hansu(*words, cwd=tmp_path)
    assert "18 of 18 games" in again.stdout and "best" in again.stdout and "faults" in again.stdout
    fewer = hansu(*words[:-3], "2", *words[-2:], cwd=tmp_path).stdout
    assert "0 new games, 18 of this event in the store" in fewer and "not named here" not in fewer
    output = hansu("store", "games.db", cwd=tmp_path).stdout
    assert "likely better in %" in output and "as second" in output and "18 games" in output
    listed = hansu("store", "games.db", "--list", "-p", "agent", "--ended", "fault", "--json", cwd=tmp_path).stdout
    number = json.loads(listed.splitlines()[0])["id"]
    assert "oh" in hansu("store", "games.db", "--show", str(number), cwd=tmp_path).stdout
    answer = json.loads(hansu("store", "games.db", "--json", "--anchor", "best", cwd=tmp_path).stdout)
    assert answer["games"][0]["standings"][0]["player"] == "best" and answer["games"][0]["standings"][0]["elo"] == 0
    assert len(answer["games"][0]["likely_better"]) == 3 and answer["events"][0]["kind"] == "round robin"
    openings = hansu("store", "games.db", "--openings", "--player", "best", "--json", cwd=tmp_path).stdout.splitlines()
    assert len(openings) == 3 and {sum(json.loads(o)[key] for key in ("won", "drawn", "lost")) for o in openings} == {4}
    assert hansu("store", "games.db", "--export", "games.csv", "--last", "4", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 5
    saved = ("match", "tictactoe", "random:seed=1", "mcts@nodes=20", "-n", "2", "--save", "saved.jsonl")
    assert hansu(*saved, cwd=tmp_path).returncode == 0
    assert (
        json.loads(hansu("store", "games.db", "--import", "saved.jsonl", "--json", cwd=tmp_path).stdout)["imported"]
        == 2
    )


ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uai": print("uaiok", flush=True)
    elif word == "isready": print("readyok", flush=True)
    elif word == "go": print("bestmove g2", flush=True)
    elif word == "quit": break
"""


def test_an_external_engine_against_a_users_file(hansu: Run, tmp_path: Path) -> None:
    """The engine always plays the same move, and loses by a fault when that is illegal."""
    mine = agent(tmp_path, "def agent(position): return position.actions[0]")
    outside = f"outside=uai:cmd={sys.executable} {agent(tmp_path, ENGINE, 'engine.py')}"
    words = ["tournament", "ataxx", outside, mine, "random:seed=1", "-n", "2", "--opening-plies", "0", "-l", "time=5"]
    answer = json.loads(hansu(*words, "--json", cwd=tmp_path).stdout)
    rows = {row["player"]: row for row in answer["standings"]}
    assert answer["finished"] and rows["outside"]["faults"] == rows["outside"]["lost"] == 4
    assert rows["agent.py@time=5"]["faults"] == 0


def test_a_file_that_cannot_grow_stops_the_event_with_its_standings(tmp_path: Path) -> None:
    """A limit on the size of files has the effect of a full disk."""
    command = [sys.executable, "-m", "hansu", "tournament", "tictactoe", *RANDOMS, "-n", "2000", "--store", "s.db"]

    def limit_file_size() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, preexec_fn=limit_file_size)
    assert done.returncode == 2 and "all finished games are safe" in done.stderr and "Traceback" not in done.stderr
    stopped = re.search(r"stopped after ([\d,]+) of", done.stdout)
    assert stopped is not None and "Elo" in done.stdout
    with Store(tmp_path / "s.db") as store:
        count = len(list(store.games()))
        assert count == int(stopped[1].replace(",", "")) > 0
        assert store._db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_openings_of_a_file_and_limits(hansu: Run, tmp_path: Path) -> None:
    done = hansu(
        "openings", "tictactoe", "--count", "4", "--plies", "2", "--balanced", "-o", "openings.txt", cwd=tmp_path
    )
    assert done.returncode == 0 and len((tmp_path / "openings.txt").read_text().splitlines()) == 4, done.stderr
    words = ["tournament", "tictactoe", "mcts@nodes=10", "mcts@nodes=100", "-n", "8", "--openings", "openings.txt"]
    answer = json.loads(hansu(*words, "--adjudicate", "length=4", "--json", cwd=tmp_path).stdout)
    assert answer["openings"].startswith("openings.txt (4")
    assert [row["drawn"] for row in answer["standings"]] == [8, 8]
    assert {row["player"] for row in answer["standings"]} == {"mcts@nodes=10", "mcts@nodes=100"}
    match = hansu("match", *words[1:4], "-n", "9", "--openings", "openings.txt", "--save", "m.jsonl", cwd=tmp_path)
    assert match.returncode == 0 and "only 4 different openings" in match.stderr, match.stderr
    games = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [game["opening"] for game in games[:8:2]] == [game["opening"] for game in games[1:8:2]]
    assert games[8]["opening"] == games[0]["opening"] and games[8]["first"] == "mcts@nodes=10"


def test_sprt_stops_by_itself(hansu: Run, tmp_path: Path) -> None:
    players = ["mcts:simulations=200", "random:seed=1"]
    words = ["sprt", "tictactoe", *players, "--elo0", "0", "--elo1", "200", "--store", "s.db"]
    done = hansu(*words, "--json", "--opening-plies", "0", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["verdict"] == "H1" and answer["llr"] >= answer["bounds"][1] and answer["finished"]
    again = hansu(*words, "--opening-plies", "0", cwd=tmp_path)
    assert "H1 accepted" in again.stdout
    few = json.loads(hansu("sprt", "tictactoe", *RANDOMS[:2], "-n", "4", "--json", cwd=tmp_path).stdout)
    assert few["verdict"] is None and sum(few["pairs"]) >= 2
    done = hansu("sprt", "tictactoe", *RANDOMS[:2], "-n", "10", "--opening-plies", "1", cwd=tmp_path)
    assert "only 4 different openings" in done.stderr  # the empty board, corner, edge, middle


# Interruption


SLOW = ["tictactoe", "mcts:seed=1@time=0.1", "mcts:seed=2@time=0.1"]


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "hansu", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)


def games_in(path: Path, least: int, process: subprocess.Popen[str]) -> int:
    """Wait until a store has some games."""
    while process.poll() is None:
        time.sleep(0.2)
        if path.is_file():
            try:
                with Store(path, read_only=True) as store:
                    if (count := sum(store.counts().values())) >= least:
                        return count
            except HansuError:
                continue  # the store is being created
    raise AssertionError(process.communicate()[1])


def family(pid: int) -> set[int]:
    """A process and its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    result, more = set(), {pid}
    while more:
        result |= more
        more = {child for child, parent in parents.items() if parent in more} - result
    return result


def running(pids: set[int]) -> set[int]:
    alive = set()
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X"):
                alive.add(pid)
        except OSError:
            continue
    return alive


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_outlives_an_event(tmp_path: Path, number: signal.Signals) -> None:
    """Workers, a hanging agent and the program that it has started end with the tournament, however it ends."""
    code = (
        "import subprocess, time\n"
        "def agent(position):\n"
        "    if len(position.history) > 4:\n"
        "        subprocess.Popen(['sleep', '3600'])\n"
        "        time.sleep(3600)\n"
        "    return position.actions[0]\n"
    )
    hanging = agent(tmp_path, code)
    process = start(tmp_path, "tournament", "tictactoe", f"{hanging}@time=600", *SLOW[1:], "--store", "s.db", "-w", "2")
    games_in(tmp_path / "s.db", 1, process)
    while not any("sleep" in _command(pid) for pid in family(process.pid)):
        time.sleep(0.2)
    processes = family(process.pid)
    assert len(processes) >= 5  # the tournament, two workers, the agent, sleep
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode in (130, 128 + number, -number), err
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert "stopped after" in out and "Elo" in out
    while running(processes):
        time.sleep(0.2)
    with Store(tmp_path / "s.db") as store:
        assert list(store.games())


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def test_kill_9_loses_only_the_games_in_progress(tmp_path: Path, hansu: Run) -> None:
    words = ("tournament", *SLOW, "-n", "12", "--store", "s.db", "--workers", "2")
    process = start(tmp_path, *words)
    games_in(tmp_path / "s.db", 3, process)
    process.kill()
    process.communicate()
    with Store(tmp_path / "s.db") as store:
        before = {one.id: (one.slot, one.digest) for one in store.games()}
    done = hansu(*words, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["games"] == 12 and json.loads(done.stdout)["finished"]
    with Store(tmp_path / "s.db") as store:
        after = {one.id: (one.slot, one.digest) for one in store.games()}
    assert len(before) >= 3 and before.items() <= after.items()


def test_two_commands_share_an_event(tmp_path: Path) -> None:
    words = ("tournament", *SLOW, "-n", "16", "--store", "s.db", "--workers", "1", "--json")
    both = [start(tmp_path, *words) for _ in range(2)]
    answers = [json.loads(process.communicate(timeout=300)[0]) for process in both]
    assert all(answer["finished"] and answer["games"] == 16 for answer in answers)
    with Store(tmp_path / "s.db") as store:
        assert len(list(store.games())) == 16
        runs = Counter(one.run for one in store.games())
    assert len(runs) == 2  # each process has played games


def test_minutes_end_an_event(hansu: Run, tmp_path: Path) -> None:
    done = hansu("tournament", *SLOW, "-n", "2000", "--minutes", "0.05", "--workers", "1", "--json", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and not answer["finished"] and 0 < answer["games"] < 2000


def test_a_device_as_a_store_is_rejected(hansu: Run) -> None:
    done = hansu("tournament", "tictactoe", "random", "mcts", "--store", os.devnull)
    assert done.returncode == 2 and "Traceback" not in done.stderr
