"""What commands tell in Korean: no English is left in it, but for names and what was typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import ROOT, Run

PIG = str(ROOT / "examples" / "games" / "pig.py")
WIN = "h8 f10 g9 h7 i6 i7 f8 j10 j7 f9 j8 i10"
PLAYERS = ("random:seed=1", "random:seed=2")
NAMES = {"Elo", "inf", "error", "hansu"}  # `error:` goes before every message
PUPIL = """
def minimax(lesson, state):
    raise ValueError("{oops}")

def expectimax(lesson, state):
    return expectimax(lesson, state)

def alphabeta(lesson, state):
    return 1.5

def agent(position):
    return "77"
"""


def words(text: str) -> set[str]:
    text = re.sub(r"`.*?`|^  hansu .*$", "", text, flags=re.MULTILINE)  # commands
    return set(re.findall(r"[A-Za-z]{2,}", text))


def in_korean(hansu: Run, *given: str, names: str = "", code: int = 0, cwd: Path | None = None, input: str = "") -> str:
    """What a command tells, in which no English word is but those that were typed and these names."""
    done = hansu(*given, "--lang", "ko", cwd=cwd, input=input)
    assert done.returncode == code, done.stderr
    told = done.stdout + done.stderr
    assert re.search("[가-힣]", told), told
    assert words(told) - words(" ".join([*given, names])) <= NAMES, told
    return told


def test_a_match(hansu: Run, tmp_path: Path) -> None:
    told = in_korean(hansu, "match", "tictactoe", *PLAYERS, "--games", "4")
    assert "random:seed=1 대 random:seed=2, tictactoe, 제한 없음, 시드 1\n" in told and "득점률" in told
    in_korean(hansu, "match", "tictactoe", *PLAYERS, "--games", "2", "--limit", "time=0.1")
    agent = tmp_path / "agent.py"
    agent.write_text("def late(position):\n    return '1' if len(position.moves) < 4 else 'x'\n", encoding="utf-8")
    told = in_korean(hansu, "match", "tictactoe", f"{agent}:late", "random", "--games", "4", "--opening-plies", "0")
    in_korean(hansu, "tournament", "tictactoe", f"{agent}:none", "random", "--workers", "1", names="late", code=2)
    assert "오류로 진 대국 " in told and "이 대국은 진 것으로 셉니다" in told


def test_an_event_and_its_store(hansu: Run, tmp_path: Path) -> None:
    asked = ("tournament", "tictactoe", *PLAYERS, "random:seed=3", "--games", "2", "--workers", "1")
    told = in_korean(hansu, *asked, names="store FILE")
    assert "리그전, 플레이어 3명: 6판 가운데 6판" in told and "(--store FILE로" in told
    in_korean(hansu, *asked, "--store", "games.db", cwd=tmp_path)
    names = "random seed tictactoe"
    for more in ((), ("--list",), ("--show", "1"), ("--openings",), ("--export", "all.csv")):
        in_korean(hansu, "store", "games.db", *more, cwd=tmp_path, names=names)
    in_korean(hansu, "store", "games.db", "--outcome", "won", cwd=tmp_path, names="player", code=2)
    assert "98번 대국이 없습니다" in in_korean(hansu, "store", "games.db", "--show", "98", cwd=tmp_path, code=2)
    in_korean(hansu, "store", "none.db", cwd=tmp_path, code=2)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_test_of_strength(hansu: Run, seat: int) -> None:
    both = ("minimax:depth=1", "random:seed=1")
    more = ("--games", "40", "--workers", "1", "--elo1", "400")
    told = in_korean(hansu, "sprt", "tictactoe", both[seat], both[1 - seat], *more)
    assert "로그 가능도비" in told and f"H{1 - seat} 채택" in told


def test_marks(hansu: Run, tmp_path: Path) -> None:
    told = in_korean(hansu, "grade", str(ROOT / "examples" / "my_agent.py"), names="depth limited")
    assert "20점 만점에 20점" in told
    (tmp_path / "pupil.py").write_text(PUPIL, encoding="utf-8")
    mine = "depth limited ValueError RecursionError oops None"
    told = in_korean(hansu, "grade", "pupil.py", cwd=tmp_path, names=mine)
    assert "재귀" in told and "RecursionError" in told and "20점 만점에 0점" in told
    (tmp_path / "little.py").write_text("def agent(position):\n    return '1'\n", encoding="utf-8")
    missing = "minimax expectimax alphabeta depth limited agent position Agent"
    assert "20점 만점에 0점" in in_korean(hansu, "grade", "little.py", cwd=tmp_path, names=missing)
    (tmp_path / "empty.py").write_text("", encoding="utf-8")
    nothing = in_korean(hansu, "grade", "empty.py", cwd=tmp_path, names=f"{missing} docs guide grading md", code=2)
    assert "채점할 것이 없습니다" in nothing


def test_smaller_commands(hansu: Run, tmp_path: Path) -> None:
    in_korean(hansu, "perft", "tictactoe", "--depth", "2", "--divide", "--interpreted")
    in_korean(hansu, "trace", "tree", "-o", "tree.svg", cwd=tmp_path)
    in_korean(hansu, "trace", "tree", "-o", "tree.png", cwd=tmp_path, names="html svg", code=2)
    in_korean(hansu, "openings", "tictactoe", "--count", "500", "--plies", "1", cwd=tmp_path)
    in_korean(hansu, "new", "game", "mine", cwd=tmp_path, names="py")
    in_korean(hansu, "new", "player", "yours", cwd=tmp_path, names="py")
    in_korean(hansu, "new", "player", "yours", cwd=tmp_path, names="py", code=2)


@pytest.mark.slow
def test_forbidden_points_and_wins(hansu: Run) -> None:
    assert "i8: 삼삼" in in_korean(hansu, "forbidden", "h8 a1 j8 a3 i9 a5 i7 a7")
    assert "금수가 없습니다" in in_korean(hansu, "forbidden", "h8")
    assert "연속 사로 이깁니다" in in_korean(hansu, "solve", "renju", WIN)
    assert "이기는 수순" in in_korean(hansu, "solve", "renju", "h8")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("grade", "none.py"), ""),
        (("games", "none.py"), ""),
        (("match", "tictactoe", "none.py:Agent", "random"), "path to my agent py Name"),
        (("tournament", "tictactoe", "random", "random"), "other"),
        (("tournament", "tictactoe", "random"), ""),
        (("tournament", "tictactoe", *PLAYERS, "--swiss", "--ladder"), "gauntlet"),
        (("sprt", "tictactoe", *PLAYERS, "--elo0", "5", "--elo1", "1"), ""),
        (("match", "tictactoe", *PLAYERS, "--limit", "days=1"), "depth nodes time"),
        (("play", "connect_four:width=99"), ""),
        (
            ("perft", "chess"),
            "py ataxx connect four pacman renju tictactoe tree triangles",
        ),
    ],
)
def test_mistakes(hansu: Run, tmp_path: Path, given: tuple[str, ...], names: str) -> None:
    in_korean(hansu, *given, names=f"{names} {tmp_path}", code=2, cwd=tmp_path)


@pytest.mark.parametrize(
    "given",
    [("players", "tictactoe"), ("players", "renju"), ("games", "renju"), ("check", PIG, "--no-speed")],
    ids=" ".join,
)
def test_lists_hold_names_but_no_sentence(hansu: Run, given: tuple[str, ...]) -> None:
    done = hansu(*given, "--lang", "ko")
    told = re.sub(r"^\S+ +([a-z]+ )*[a-z]+: ", "", done.stdout + done.stderr, flags=re.MULTILINE)  # a check's name
    assert done.returncode == 0 and not re.findall(r"[A-Za-z]{2,} [a-z]{2,}", re.sub("`.*?`", "", told)), told


def test_a_session_keeps_to_one_register(hansu: Run) -> None:
    told = hansu("play", "tictactoe", "--second", "level:1", "--lang", "ko", input="help\n5\n77\nquit\n").stdout
    assert "입력하세요" in told and "바꿀 수 있습니다" in told and "은(는)" not in told
