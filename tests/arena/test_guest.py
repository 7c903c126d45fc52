"""A user's player may raise, hang, print or answer nonsense; the match continues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import ROOT, Run

AGENTS = """
import os, sys, time
from hansu import Decision, Report, Value

def first(position):
    print("students print things")
    return position.actions[0]

def by_move(position):
    return position.move_text(position.actions[-1])

class WithWhy:
    def decide(self, position, limit):
        return Decision(action=position.actions[0], why=f"limit was {limit}", report=Report(value=Value(0.25)))

def raises(position):
    return position.actions[99]

def hangs(position):
    while True:
        pass

def sleeps(position):
    time.sleep(100)

def illegal(position):
    return "42"

def nothing(position):
    return None

def leaves(position):
    sys.exit(3)

class LeavesAtNewGame:
    def new_game(self):
        sys.exit(3)
    def decide(self, position):
        return position.actions[0]

class RaisesAtNewGame(LeavesAtNewGame):
    def new_game(self):
        raise ValueError("not ready")

def enormous(position):
    return "x" * 10_000_000

def enormous_error(position):
    raise ValueError("x" * 10_000_000)

def colourful(position):
    raise ValueError("\\x1b[2J\\x1b]0;mine\\x07")

def asks(position):
    return input("your move? ")

def noisy(position):
    for number in range(3, 10):  # one of them is ours
        try:
            os.write(number, b'{"move": "1"}\\n' * 5)
        except OSError:
            pass
    return position.actions[0]

class NumPys:
    def decide(self, position):
        import numpy as np
        from hansu.core import MoveValue, Report, Value
        few = (MoveValue(action=np.int64(position.actions[0]), value=Value(np.float32(0.5)), visits=np.int64(3)),)
        report = Report(value=Value(np.float32(0.25)), nodes=np.int32(7), seconds=np.float32(1), moves=few)
        return Decision(action=np.int64(position.actions[0]), why="NumPy", report=report)

class PlainNumPys:
    def decide(self, position):
        import numpy as np
        from hansu.core import Report
        return Decision(action=np.int64(position.actions[0]), report=Report(value=np.float32(0.25)))

def later(agent):
    return lambda position: agent(position) if position.history else position.actions[0]

for name in ("raises", "hangs", "sleeps", "illegal", "nothing", "leaves", "enormous", "enormous_error", "colourful",
             "asks", "noisy"):
    globals()[f"{name}_later"] = later(globals()[name])
"""
BAD = {
    "raises": "IndexError", "hangs": "did not answer within", "sleeps": "did not answer within",
    "illegal": "not a legal move", "nothing": "not legal", "leaves": "has ended", "enormous": "unreadable",
    "enormous_error": "xxx", "colourful": "\ufffd[2J", "asks": "EOFError", "noisy": "unreadable",
}  # fmt: skip
BAD_FROM_THE_START = {**BAD, "LeavesAtNewGame": "has ended", "RaisesAtNewGame": "not ready"}


@pytest.fixture
def agents(tmp_path: Path) -> str:
    file = tmp_path / "agents.py"
    file.write_text(AGENTS)
    return str(file)


@pytest.mark.parametrize("name", ["first", "by_move", "WithWhy", "NumPys", "PlainNumPys"])
def test_good_agents_play(hansu: Run, agents: str, name: str) -> None:
    done = hansu("match", "tictactoe", f"{agents}:{name}", "random:seed=1", "-n", "4", "--json")
    answer = json.loads(done.stdout)
    assert answer["games"] == 4 and answer["faults"] == []


def limit_for(message: str) -> str:
    return "time=0.2" if "did not answer" in message else "time=60"


@pytest.mark.parametrize(("name", "message"), BAD_FROM_THE_START.items())
def test_players_that_fail_at_once_are_rejected(hansu: Run, agents: str, name: str, message: str) -> None:
    done = hansu("match", "tictactoe", f"{agents}:{name}", "random:seed=1", "-n", "2", "--limit", limit_for(message))
    assert done.returncode == 2 and not done.stdout
    assert message in done.stderr and f"agents.py:{name}" in done.stderr and len(done.stderr) < 3_000
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr


@pytest.mark.parametrize(("name", "message"), BAD.items())
def test_bad_agents_lose_and_the_match_continues(hansu: Run, agents: str, name: str, message: str) -> None:
    who, limit = f"{agents}:{name}_later", limit_for(message)
    done = hansu("match", "tictactoe", who, "random:seed=1", "-n", "2", "--limit", limit, "--json")
    answer = json.loads(done.stdout)
    assert (answer["games"], answer["losses"], len(answer["faults"])) == (2, 2, 2)
    assert message in answer["faults"][0] and f"agents.py:{name}" in answer["faults"][0]
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr
    assert len(answer["faults"][0]) < 3_000


def test_files_that_cannot_be_used(hansu: Run, agents: str, tmp_path: Path) -> None:
    done = hansu("match", "tictactoe", f"{agents}:Missing", "random")
    assert done.returncode == 2 and "there is no Missing" in done.stderr
    done = hansu("match", "tictactoe", agents, "random")
    assert done.returncode == 2 and "write agents.py:NAME" in done.stderr and "first, by_move, WithWhy" in done.stderr
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:")
    done = hansu("match", "tictactoe", f"{broken}:f", "random")
    assert done.returncode == 2 and "SyntaxError" in done.stderr


def test_the_reason_is_shown_in_play(hansu: Run, agents: str) -> None:
    done = hansu("play", "tictactoe", "--second", f"{agents}:WithWhy", "--limit", "time=60", input="5\nquit\n")
    assert "limit was time=60" in done.stdout


def test_the_example_gets_full_points(hansu: Run) -> None:
    example = str(ROOT / "examples" / "my_agent.py")
    marks = json.loads(hansu("grade", example, "--json").stdout)
    assert marks["points"] == marks["out_of"] == 20
    strict = json.loads(hansu("grade", example, "--cut", "strict", "--json").stdout)
    nodes = next(m for m in strict["exercises"] if m["exercise"] == "alphabeta: exactly the nodes")
    assert nodes["points"] < nodes["out_of"] and "visits" in nodes["expected"]


def test_wrong_searches_lose_points(hansu: Run, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "def minimax(lesson, s):\n    return 0\n"
        "def expectimax(lesson, s):\n    raise ValueError('not done yet')\n"
        "def depth_limited(lesson, s, rounds):\n    return depth_limited(lesson, s, rounds)\n"
        "def agent(position):\n    return position.actions[0]\n"
    )
    marks = json.loads(hansu("grade", str(file), "--json").stdout)
    results = {m["exercise"]: (m["points"], m["came"]) for m in marks["exercises"]}
    assert results["minimax on the lecture's tree"] == (0, "0, None")
    assert "not done yet" in results["expectimax on random trees"][1]
    assert "alphabeta is not defined" in results["alphabeta: values"][1]
    assert "exceeded the recursion limit" in results["depth_limited in rounds"][1]
    assert results["agent never loses at tic-tac-toe"][1].startswith("lost by")


def test_a_file_cannot_grade_itself(hansu: Run, tmp_path: Path) -> None:
    """Points come from another process, so replacing functions in the own process has no effect."""
    file = tmp_path / "sly.py"
    file.write_text(
        "import sys\n"
        "full = lambda *words: {'exercise': 'x', 'points': 3, 'out_of': 3, 'expected': '', 'came': ''}\n"
        "for module in list(sys.modules.values()):\n"
        "    if getattr(module, '__name__', '').startswith(('hansu.arena', '__main__')):\n"
        "        for name in ('mark', 'exercises', 'limited', 'on_trees', 'never_loses', 'beats_random', 'asdict'):\n"
        "            setattr(module, name, full)\n"
        "def minimax(lesson, s):\n    return float('nan'), object()\n"
        "def expectimax(lesson, s):\n    return True\n"
        "def alphabeta(lesson, s):\n    lesson.visited = 7\n    return 0\n"
        "def depth_limited(lesson, s, rounds):\n    return [[[]]]\n"
        "def agent(position):\n    return {'points': 3}\n"
    )
    marks = json.loads(hansu("grade", str(file), "--json").stdout)
    assert (marks["points"], marks["out_of"]) == (0, 20), marks


def test_a_file_without_exercises_is_reported(hansu: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    done = hansu("grade", str(tmp_path / "empty.py"))
    assert done.returncode == 2 and not done.stdout, done
    assert "empty.py defines nothing that is graded" in done.stderr and "minimax, expectimax" in done.stderr


def test_the_line_of_an_error_is_reported(hansu: Run, tmp_path: Path) -> None:
    file = tmp_path / "crash.py"
    for text, message in (
        ("def f():\n    return 1 / 0\n\n\nx = f()\n", "crash.py, line 2: ZeroDivisionError"),
        ("x = (\n", "crash.py, line 1: SyntaxError: '(' was never closed"),
        ("import math\nimport nonexistent_thing\n", "crash.py, line 2: ModuleNotFoundError"),
    ):
        file.write_text(text)
        for words in (("analyze", str(file)), ("grade", str(file)), ("match", "tictactoe", str(file), "random")):
            done = hansu(*words)
            assert done.returncode == 2 and message in done.stderr, (words, done.stderr)
            assert f"hansu check {file}" in done.stderr and "Traceback" not in done.stderr


def test_files_that_cannot_be_graded(hansu: Run, tmp_path: Path) -> None:
    for name, content in (
        ("a.bin", b"\x00\xff\xfe"),
        ("b.py", b"\x00\xff\xfe"),
        ("c.py", b"\xff\xfe\x00"),
        ("d", b"x = 1"),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        done = hansu("grade", str(file))
        assert done.returncode == 2 and "Traceback" not in done.stderr and "bug" not in done.stderr, done.stderr
