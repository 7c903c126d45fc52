"""The command line as people use it: answers, exit codes, messages, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run

from hansu.commands._panels import PANELS


def fails(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """A user's mistake: exit code 2, a message, no traceback."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_help_teaches_by_example(hansu: Run) -> None:
    done = hansu("--help")
    assert done.returncode == 0
    panels = [done.stdout.index(f"─ {panel} ─") for panel in PANELS]
    assert panels == sorted(panels) and "─ Commands ─" not in done.stdout
    for command in ("play", "match", "analyze", "perft", "trace", "grade", "bench", "games", "players"):
        assert command in done.stdout
        assert "hansu " in hansu(command, "--help").stdout


def test_games_and_players(hansu: Run) -> None:
    names = [game["name"] for game in json.loads(hansu("games", "--json").stdout)]
    assert {"tree", "tictactoe"} <= set(names)
    players = {entry["kind"]: entry for entry in json.loads(hansu("players", "tictactoe", "--json").stdout)}
    assert {"random", "minimax", "expectimax", "alphabeta", "iterative", "mcts"} <= set(players)
    assert all(option["help"] for entry in players.values() for option in entry["options"])
    assert "search depth in plies" in hansu("players", "tictactoe").stdout


def test_analyze_json(hansu: Run) -> None:
    answer = json.loads(hansu("analyze", "tree", "start", "--player", "minimax", "--json").stdout)
    assert (answer["move"], answer["value"], answer["nodes"], answer["line"]) == ("a2", 1, 10, ["a2", "c1"])
    assert answer["moves"] == [{"move": "a1", "value": -50}, {"move": "a2", "value": 1}, {"move": "a3", "value": -5}]
    assert {"depth", "why", "seconds"} <= set(answer)
    visits = json.loads(hansu("analyze", "tictactoe", "1 5", "-p", "mcts", "-l", "nodes=500", "--json").stdout)
    assert sum(move["visits"] for move in visits["moves"]) == 500
    assert "exact" in hansu("analyze", "tictactoe", "X.O/.X./..O", "--live").stdout


def test_analyze_shows_where_a_network_would_play(hansu: Run) -> None:
    output = hansu("analyze", "ataxx", "start", "--player", "policy").stdout
    board, _, table = output.partition(" move ")
    assert "█" in board and "network" in table and "visits" not in table
    rows = [line.split() for line in table.splitlines() if line.endswith("%") or "% " in line]
    chances = [float(chance.rstrip("%")) for _, chance in rows]
    assert rows[0][0] in ("f2", "b6") and chances == sorted(chances, reverse=True) and len(chances) == 16


def test_perft(hansu: Run) -> None:
    answer = json.loads(hansu("perft", "tictactoe", "--depth", "9", "--json").stdout)
    assert answer["nodes"] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    divided = json.loads(hansu("perft", "tree", "-d", "2", "--divide", "--json").stdout)
    assert divided["divide"] == {"a1": 2, "a2": 2, "a3": 2}
    assert "72" in hansu("perft", "tictactoe", "-d", "2", "--interpreted").stdout


def test_match_counts_and_repeats(hansu: Run) -> None:
    words = ("match", "tictactoe", "alphabeta", "random:seed=1", "--games", "12", "--opening-plies", "0", "--json")
    first, second = (json.loads(hansu(*words).stdout) for _ in range(2))
    assert first == second
    assert first["games"] == 12 and first["wins"] + first["draws"] + first["losses"] == 12
    assert first["losses"] == 0 and first["score"] > 0.8
    assert first["score_interval"][0] <= first["score"] <= first["score_interval"][1]
    plain = hansu("match", "tictactoe", "random:seed=1", "random:seed=2", "-n", "4")
    assert "Elo (95 %" in plain.stdout


def test_match_saves_its_games(hansu: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    for _ in range(2):
        assert hansu("match", "tictactoe", "minimax", "random", "-n", "2", "--save", str(file)).returncode == 0
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(records) == 4
    assert records[0]["opening"] == records[1]["opening"] and records[0]["first"] == records[1]["second"]
    before = file.read_bytes()
    fails(
        hansu("match", "tree", "random", "random", "-n", "2", "--save", str(file)), "holds games of tictactoe", "--save"
    )
    assert file.read_bytes() == before
    file.write_text("notes of mine\n")
    fails(hansu("match", "tictactoe", "random", "random", "-n", "2", "--save", str(file)), "not a file of saved games")
    assert file.read_text() == "notes of mine\n"


def test_a_game_by_path_works_in_every_command(hansu: Run, nim_path: Path) -> None:
    spec = f"{nim_path}:heap=2"
    answer = json.loads(hansu("analyze", spec, "start", "--player", "alphabeta", "--json").stdout)
    assert answer["value"] == 1 and answer["move"] == "c3"  # 2, 3, 4: only taking three from four makes the nim sum 0
    assert json.loads(hansu("perft", spec, "-d", "2", "--json").stdout)["nodes"][0] == 9
    assert json.loads(hansu("match", spec, "minimax", "mcts", "-n", "2", "--json").stdout)["games"] == 2
    assert "wins" in hansu("play", str(nim_path), "--first", "random:seed=1", "--second", "minimax").stdout
    assert hansu("players", spec).returncode == 0
    assert hansu("trace", str(nim_path), "c3 b2").returncode == 0


def test_trace_files(hansu: Run, tmp_path: Path) -> None:
    svg, page = tmp_path / "tree.svg", tmp_path / "tree.html"
    assert hansu("trace", "tree", "-o", str(svg)).returncode == 0
    picture = svg.read_text()
    assert picture.count('data-name="done') == 9 and ">cut<" in picture and "(-50, ∞)" in picture
    done = hansu("trace", "tree", "--player", "minimax", "-o", str(page))
    assert "10 nodes visited, 0 branches cut" in done.stderr
    text = page.read_text()
    assert "visit a1 b2" in text and "a1 b2" in text and "http" not in text.replace("http://www.w3.org", "")


def test_bench_repeats(hansu: Run) -> None:
    first, second = (hansu("bench", "--json").stdout for _ in range(2))
    assert first == second
    counts = json.loads(first)["searches"]
    engines = {"renju engine", "ataxx engine", "triangles engine", "connect_four solver"}
    assert engines <= counts.keys() and all(counts[name] > 100 for name in engines)
    assert json.loads(first)["nodes"] == sum(counts.values())


def test_play_a_whole_game(hansu: Run) -> None:
    talk = "help\nmoves\nhint\n9\nopponent random:seed=3\nundo\n5\n77\n5\nxyz\n1\n2\n3\n4\n6\n7\n8\n9\n"
    done = hansu("play", "tictactoe", "--second", "minimax", input=talk)
    assert done.returncode == 0
    for word in ("take back", "not a legal move", "legal: ", "is now random:seed=3", "minimax) plays"):
        assert word in done.stdout, word
    assert done.stdout.rstrip().endswith(("wins", "a draw"))


def test_play_can_be_quit(hansu: Run) -> None:
    assert "resigns" in hansu("play", "tictactoe", input="resign\n").stdout
    assert hansu("play", "tictactoe", input="quit\n").returncode == 0
    assert hansu("play", "tictactoe", input="").returncode == 0


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (("play", "chess"), ("no game 'chess'",)),
        (("play", "tictacto"), ("did you mean 'tictactoe'",)),
        (("play", "no/such/game.py"), ("no file",)),
        (("play", "tictactoe:size=4"), ("no option 'size'",)),
        (("play", "tictactoe:"), ("colon",)),
        (("play", "tree:file=none.txt"), ("cannot read", "searched in")),
        (("play", "tree:file=none.py"), ("cannot read",)),
        (("match", "tictactoe", "alpabeta", "random"), ("did you mean 'alphabeta'",)),
        (("match", "tictactoe", "alphabeta:dept=3", "random"), ("no option 'dept'", "depth")),
        (("match", "tictactoe", "alphabeta:depth=x", "random"), ("must be an integer",)),
        (("match", "tictactoe", "alphabeta:depth=1,rounds=1", "random"), ("not both",)),
        (("match", "tictactoe", "human", "random"), ("hansu play",)),
        (("match", "tictactoe", "nowhere.py:Agent", "random"), ("no file",)),
        (("match", "tictactoe", "random", "random", "--limit", "time=fast"), ("must be a number",)),
        (("match", "tictactoe", "random", "random", "--save", "no/such/folder/x"), ("no folder",)),
        (("match", "tictactoe", "random", "random", "--games", "-1"), ("games",)),
        (("analyze", "tictactoe", "1 1"), ("not a legal move", "legal: 2, 3")),
        (("analyze", "tictactoe", "1 4 2 5 3"), ("over",)),
        (("analyze", "tictactoe", "XXX/.../..."), ("as many stones",)),
        (("analyze", "tictactoe", "XXX/OO./O.."), ("X is to move, but has already won",)),
        (("analyze", "tictactoe", "XXX/OO./..."), ("X wins",)),
        (("analyze", "ataxx", "start", "-p", "engine@time=0.2"), ("name engine", "--limit time=0.2")),
        (("analyze", "tictactoe", "start", "-p", "none.py:A@nodes=9"), ("name none.py:A", "--limit nodes=9")),
        (("analyze", "renju", "15/15/15/15/15/15/7O7/7XXXXX3/15/15/15/15/15/15/15 w"), ("over here: black wins",)),
        (("perft", "tictactoe", "--depth", "0"), ("depth",)),
        (("trace", "tictactoe"), ("more than 1500 nodes", "--player alphabeta:depth=2", "--most")),
        (("trace", "tree", "-o", "tree.png"), (".svg or .html",)),
        (("trace", "tree", "--player", "mcts"), ("cannot be traced",)),
        (("trace", "tree", "-o", "no/such/folder/t.svg"), ("cannot write", "there is no folder no/such/folder")),
        (("grade", "nowhere.py"), ("no file", "searched in")),
        (("grade", "."), ("a folder, not a file", "name a file in it")),
        (("pgn", "ataxx", "nowhere.pgn"), ("no file", "searched in")),
        (("pgn", "ataxx", "."), ("a folder, not a file", "name a file in it")),
        (("analyze", "triangles:file=none.csv"), ("cannot read", "searched in")),
        (("analyze", "ataxx", "x5o/7/7"), ("3 rows instead of seven", "a FEN is one line")),
        (("analyze", "renju", "z99"), ("'z99' is not a point of the 15×15 board", "a1 to o15")),
        (("forbidden", "z9"), ("'z9' is not a point of the 15×15 board", "a1 to o15")),
        (("analyze", "renju", "h8 h8"), ("move 2: h8 is already taken", "another point")),
        (("forbidden", "h8 h8"), ("move 2: h8 is already taken", "another point")),
        (("analyze", "ataxx", "a1"), ("not a legal move", "legal moves: ")),
        (("analyze", "tictactoe", "--limit", ""), ("an empty limit", "--limit time=0.5")),
        (
            ("sprt", "tictactoe", "random", "random", "--elo0", "10", "--elo1", "0"),
            ("must be less", "--elo0 0 --elo1 10"),
        ),
        (("frobnicate",), ("frobnicate",)),
    ],
)
def test_mistakes_get_a_message_and_exit_code_2(hansu: Run, words: tuple[str, ...], messages: tuple[str, ...]) -> None:
    fails(hansu(*words), *messages)


def test_broken_game_files(hansu: Run, tmp_path: Path) -> None:
    for text, message in (
        ("1 +", "SyntaxError"),
        ("x = 1", "no GAME"),
        ("import nonexistent_thing", "nonexistent_thing"),
    ):
        file = tmp_path / f"broken{len(message)}.py"
        file.write_text(text)
        fails(hansu("play", str(file)), message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def start(heap):", "def start(foo):", "TypeError"),
        ("return s.turn\n", "return undefined_name\n", "line"),
        ("return 0 <= a < 3 * MOST and", "return False and", "no move is legal"),
    ],
)
def test_mistakes_in_rules_name_the_game(
    hansu: Run, nim_path: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = nim_path.read_text()
    assert old in text
    file = tmp_path / "mistaken.py"
    file.write_text(text.replace(old, new))
    fails(hansu("play", str(file), "--first", "random", "--second", "random"), message)


def test_a_terminal_without_unicode(hansu: Run) -> None:
    done = hansu("games", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "tictactoe" in done.stdout


def test_the_default_player_of_an_analysis(hansu: Run) -> None:
    """The solver or engine; a general search goes deeper than the game's default depth."""
    assert json.loads(hansu("analyze", "connect_four", "4444", "--json").stdout)["player"] == "solver"
    answer = json.loads(hansu("analyze", "examples/games/kalah.py", "--json").stdout)
    assert answer["player"] == "iterative" and "the game's default" not in answer["why"]


def test_debug_shows_the_traceback(hansu: Run) -> None:
    assert "Traceback" in hansu("play", "chess", "--debug").stderr


def test_control_c_prints_the_partial_result(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    words = ["match", "tictactoe", "mcts", "mcts", "--games", "100000", "--save", str(games)]
    command = [sys.executable, "-m", "hansu", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: games.exists() and games.stat().st_size > 0, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "stopped after" in out and "of the points" in out and "Traceback" not in err


def wait_until(true: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Wait for a process, however long it takes on a busy machine."""
    while not true():
        assert process.poll() is None
        time.sleep(0.02)


@pytest.mark.parametrize("forget", ["Last()", "swallow()"])
def test_control_c_that_is_swallowed(forget: str) -> None:
    """In a destructor it would only be printed, and other code may swallow it. Searches must stop all the same."""
    script = """
import signal, time
from hansu.core import Control
from hansu.ui.interrupt import stop_searches_on_interrupt

class Last:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)

def swallow():
    try:
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)
    except KeyboardInterrupt:
        pass

stop_searches_on_interrupt()
try:
    FORGET
    while True:
        control = Control()
        time.sleep(0.01)
except KeyboardInterrupt:
    print("stopped")
"""
    command = [sys.executable, "-c", script.replace("FORGET", forget)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout == "stopped\n" and not done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "GAME", "start", "--player", "mcts", "--limit", "time=86400"),
        ("perft", "GAME", "--depth", "30", "--interpreted"),
    ],
)
def test_control_c_reaches_a_long_computation(words: tuple[str, ...], nim_path: Path, tmp_path: Path) -> None:
    """Compiled and interpreted. The game creates a file when it starts."""
    game, started_file = tmp_path / "nim.py", tmp_path / "started_file"
    code = f"def start(heap):\n    open({str(started_file)!r}, 'w').close()\n    heap = 13"
    game.write_text(nim_path.read_text().replace("def start(heap):", code))
    command = [sys.executable, "-m", "hansu", *(str(game) if word == "GAME" else word for word in words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(started_file.exists, process)
    time.sleep(5)  # it must stop wherever it is
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode in (0, 130) and b"Traceback" not in err, err


def test_imports_stay_light() -> None:
    """Neither `import hansu` nor the help loads heavy packages."""
    code = (
        "import sys, hansu, hansu.cli; hansu.cli.build();"
        "print([m for m in ('numpy', 'numba', 'torch', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_completion_is_there(hansu: Run) -> None:
    def completions(words: str, at: int) -> str:
        env = {"_HANSU_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        return hansu(env={**os.environ, **env}).stdout

    assert "analyze" in completions("hansu ana", 1)
    assert "tictactoe" in completions("hansu play tic", 2)
    assert "minimax" in completions("hansu match tictactoe mini", 3)


def test_the_compiling_notice_comes_once(hansu: Run, tmp_path: Path) -> None:
    env = {**os.environ, "HANSU_CACHE": str(tmp_path)}
    words = ("analyze", "tree", "start", "--player", "minimax")
    first = hansu(*words, env=env).stderr
    assert "only this first time" in first and "meanwhile" not in first  # a small game has no preliminary result
    assert "only this first time" not in hansu(*words, env=env).stderr


def test_a_file_to_save_to_is_checked_before_the_first_game(hansu: Run, tmp_path: Path) -> None:
    """The player raises at its first move, so no game may start."""
    agent = tmp_path / "agent.py"
    agent.write_text("def agent(position):\n    raise RuntimeError('was called')\n")
    for place in (tmp_path, tmp_path / "no" / "x.jsonl", agent / "x.jsonl"):
        done = hansu("match", "tictactoe", f"{agent}:agent", "random", "-n", "2", "--save", str(place))
        assert done.returncode == 2 and "--save" in done.stderr and "was called" not in done.stderr, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a limit on files")
def test_a_full_disk_stops_a_match_with_its_tally(tmp_path: Path) -> None:
    import resource

    file = tmp_path / "games.jsonl"
    words = [
        sys.executable,
        "-m",
        "hansu",
        "match",
        "tictactoe",
        "random:seed=1",
        "random:seed=2",
        "-n",
        "50",
        "--save",
        str(file),
    ]
    limit = 3_000  # bytes: one or two games

    def limit_file_size() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit_file_size, env=env)
    assert done.returncode == 2 and "cannot be written" in done.stderr and "Traceback" not in done.stderr, done.stderr
    stopped = re.search(r"stopped after (\d+) of 50 games", done.stdout)
    assert stopped and "of the points" in done.stdout
    lines = file.read_text().splitlines()
    assert len(lines) == int(stopped[1]) - 1 > 0 and all(json.loads(line)["game"] == "tictactoe" for line in lines)
    assert file.read_text().endswith("\n")


def test_a_match_stopped_in_its_first_game_claims_nothing(tmp_path: Path) -> None:
    agent, called = tmp_path / "agent.py", tmp_path / "called"
    agent.write_text(
        f"import time\ndef agent(position):\n    open({str(called)!r}, 'w').close()\n    time.sleep(1_000)\n"
    )
    for more in ([], ["--json"]):
        words = [sys.executable, "-m", "hansu", "match", "tictactoe", f"{agent}:agent", "random", *more]
        match = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not called.exists():
            assert match.poll() is None
            time.sleep(0.02)
        called.unlink()
        match.send_signal(signal.SIGINT)
        out, err = match.communicate(timeout=600)
        assert match.returncode == 130 and "Traceback" not in err, err
        assert json.loads(out)["score"] is None if more else "no game was finished" in out and "%" not in out
