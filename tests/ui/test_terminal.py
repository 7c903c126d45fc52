"""The terminal as a person meets it: its language, what chance did, moves that were mistyped, where the guides are."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from support.commands import ROOT, Run

from hansu.commands.analyze import _print_decision
from hansu.core import Decision, HansuError, IllegalMove, Report, installed_docs, registry, terminal_language

PIG = str(ROOT / "examples" / "games" / "pig.py")


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_language, "_chosen", [])


@pytest.mark.parametrize(
    ("environment", "spoken"),
    [
        ({}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "HANSU_LANG": "ko"}, "ko"),
    ],
)
def test_the_locale_chooses_the_language(environment: dict[str, str], spoken: str) -> None:
    assert terminal_language.language(environment) == spoken


def test_the_command_line_chooses_it_anywhere() -> None:
    for words in (["--lang", "ko", "play", "tree"], ["play", "--lang=ko", "tree"], ["play", "tree", "--lang", "ko"]):
        terminal_language.choose("en")
        assert terminal_language.chosen_from(words) == ["play", "tree"] and terminal_language.language() == "ko"
    assert terminal_language.chosen_from(["play", "--", "--lang"]) == ["play", "--", "--lang"]
    with pytest.raises(HansuError, match="does not support"):
        terminal_language.chosen_from(["--lang", "tlh"])
    with pytest.raises(HansuError, match="does not support"):
        terminal_language.chosen_from(["--lang"])


def test_a_game_in_korean(hansu: Run) -> None:
    done = hansu("play", "tictactoe", "--second", "random:seed=3", "--lang", "ko", input="help\n5\n55\nresign\n")
    assert done.returncode == 0, done.stderr
    for text in ("둘 수 있는 수 보기", "O(random:seed=3): ", "둘 수 있는 수: ", "X 기권, O 승리"):
        assert text in done.stdout, done.stdout
    assert "resigns" not in done.stdout
    wrong = hansu(
        "analyze", "tictactoe", "1 1", env={**os.environ, "LC_ALL": "ko_KR.UTF-8", "PYTHONIOENCODING": "utf-8"}
    )
    assert wrong.returncode == 2 and "둘 수 있는 수: 2, 3" in wrong.stderr


def test_chance_is_told(hansu: Run) -> None:
    done = hansu("play", PIG, "--second", "random:seed=1", "--seed", "3", input="roll\n" * 6 + "quit\n")
    assert done.returncode == 0, done.stderr
    assert "chance plays " in done.stdout
    rolled = [line.removeprefix("first> ") for line in done.stdout.splitlines() if "chance plays" in line]
    assert set(rolled) <= {f"chance plays {face}" for face in range(1, 7)}
    shown = hansu("play", PIG, "--first", "random", "--second", "random", "--lang", "ko").stdout
    assert "운: " in shown and "모은 점수" in shown and "pot" not in shown


def test_a_mistyped_move_lists_what_is_near() -> None:
    position = registry.game("renju").position("h8 i9")
    for typed, hint in (
        ("kk9", "similar legal moves: k9"),
        ("zz", "moves are written like a15"),
        ("8h", "moves are written like a15"),
    ):
        with pytest.raises(IllegalMove) as caught:
            position.play_move(typed)
        assert (caught.value.what, caught.value.hint) == (f"'{typed}' is not a legal move here", hint)
    for typed, what in (
        ("h77", "'h77' is not a point of the 15×15 board"),
        ("z99", "'z99' is not a point of the 15×15 board"),
        ("h8", "h8 is already taken"),  # other places are no help
        ("i9", "i9 is already taken"),
    ):
        with pytest.raises(IllegalMove) as caught:
            position.play_move(typed)
        assert caught.value.what == what and caught.value.hint in (
            "points are a1 to o15",
            "choose another point that is free",
        )
    with pytest.raises(IllegalMove, match="legal: 2, 3, 4, 5, 6, 7, 8, 9"):
        registry.game("tictactoe").position("1").play_move("x")


def test_which_of_several_moves_is_not_legal_is_told() -> None:
    with pytest.raises(IllegalMove) as caught:
        registry.game("renju").position("h8 h8")
    assert caught.value.what == "move 2: h8 is already taken" and "another point" in caught.value.hint
    assert caught.value.what.to("ko").startswith("2번째 수: h8: 이미")
    with pytest.raises(IllegalMove, match=r"^'zz' is not"):
        registry.game("renju").position("zz")
    with pytest.raises(IllegalMove, match=r"^move 6: '9': the game is already over"):
        registry.game("tictactoe").position("1 4 2 5 3 9")


def test_squares_of_one_digit_need_no_spaces() -> None:
    game = registry.game("tictactoe")
    assert game.position("159").moves == game.position("1 5,9").moves == ("1", "5", "9")
    with pytest.raises(IllegalMove, match=r"^move 2: '5' is not"):
        game.position("55")
    with pytest.raises(IllegalMove, match=r"^move 3: '99' is not"):
        game.position("1 5 99")


@pytest.mark.parametrize("name", ["tictactoe", "renju", "ataxx"])
def test_commas_alone_are_not_the_start(name: str) -> None:
    with pytest.raises(HansuError):
        registry.game(name).position(",")


def test_debug_and_the_language_are_in_the_help(hansu: Run) -> None:
    shown = hansu("--help").stdout
    assert "--debug" in shown and "--lang" in shown


def test_games_by_file(hansu: Run) -> None:
    told = json.loads(hansu("games", PIG, "tictactoe", "--json").stdout)
    assert [game["name"] for game in told] == ["pig", "tictactoe"]
    assert [option["name"] for option in told[0]["options"]] == ["goal", "sides"]
    assert "Pig (피그): roll on or hold" in hansu("games", PIG).stdout
    assert "피그 (Pig): " in hansu("games", PIG, "--lang", "ko").stdout


def test_guides_are_found_wherever_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hansu: Run) -> None:
    monkeypatch.chdir(ROOT)
    assert installed_docs.located("see docs/tutorial/your_own_game.md, or not/docs/tutorial/your_own_game.md") == (
        "see docs/tutorial/your_own_game.md, or not/docs/tutorial/your_own_game.md"
    )
    monkeypatch.chdir(tmp_path)
    assert (
        installed_docs.located("see docs/tutorial/your_own_game.md")
        == f"see {ROOT / 'docs' / 'tutorial' / 'your_own_game.md'}"
    )
    assert installed_docs.located("see docs/nowhere.md") == "see docs/nowhere.md"
    (tmp_path / "empty.py").write_text("x = 1")
    said = hansu("play", "./empty.py", cwd=tmp_path).stderr
    named = said.rpartition("see ")[2].strip()
    assert Path(named).is_file(), said
    missed = hansu("play", "examples/games/pig.py", cwd=tmp_path).stderr.splitlines()
    assert missed[0] == "error: there is no file examples/games/pig.py" and missed[1].endswith(f"hansu includes {PIG}")


def test_docs_prints_guides_and_examples(hansu: Run, tmp_path: Path) -> None:
    listed = hansu("docs").stdout
    assert "Write your own game" in listed and "Othello" in listed
    assert hansu("docs", "nim").stdout == (ROOT / "examples" / "games" / "nim.py").read_text(encoding="utf-8")
    wrong = hansu("docs", "otello")
    assert wrong.returncode == 2 and "did you mean 'othello'?" in wrong.stderr


def test_the_package_brings_its_guides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was installed, the folders lie inside of it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.setattr(installed_docs, "PLACES", (tmp_path, ROOT))
    assert installed_docs.folder("examples") == tmp_path / "examples" and installed_docs.folder("docs") == ROOT / "docs"
    assert installed_docs.folder("nothing") is None


def test_a_hint_comes_from_who_knows_the_game_best(hansu: Run) -> None:
    """Not from the machine at the board, which may know little."""
    for words, wins in (
        (("tictactoe", "--position", "1 5 2", "--first", "level:1", "--second", "human"), "3"),
        (("connect_four", "--position", "1 2 1 2 1 2", "--second", "random"), "1"),
    ):
        done = hansu("play", *words, input="hint\nquit\n")
        hint = next(line for line in done.stdout.splitlines() if "> " in line).partition("> ")[2]
        assert done.returncode == 0 and hint.startswith(wins), done.stdout


def test_a_mean_is_no_proof(hansu: Run) -> None:
    """Expectimax looks to the end, and the reply may be worse all the same."""
    told = hansu("analyze", "tree", "start", "--player", "expectimax").stdout
    assert "\na3 after looking to the end: MAX +5 pts on average\nvalue 5 for MAX (exact mean)\n" in told
    assert "proved" not in told
    assert "value 1 for MAX (exact)\n" in hansu("analyze", "tree", "start", "--player", "minimax").stdout


@pytest.mark.parametrize(
    ("why", "shown"),
    [
        ("g9: black 81 %, 9 plies deep: g9 g10", "g9: black 81 %, 9 plies deep"),
        ("g9: black wins: g9 g10 h8", "g9: black wins"),
        ("g9: like in g9 h8", "g9: like in g9 h8"),
        ("g91 is not meant", "g9  g91 is not meant"),
        ("any move will do", "g9  any move will do"),
        ("", "g9"),
    ],
)
def test_a_reason_repeats_neither_move_nor_line(why: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    position = registry.game("renju:rule=freestyle").first
    line = tuple(position.game.action(position.state, move) for move in ("g9", "g10", "h8"))
    _print_decision(Console(), position, Decision(action=line[0], why=why, report=Report(line=line)))
    assert capsys.readouterr().out.splitlines()[:2] == [shown, "line  g9 g10 h8"]


BRACKETS = """
from typing import NamedTuple

from hansu import Game, rules


class Pile(NamedTuple):
    left: int
    turn: int


rules(
    Pile, legal=lambda s, a: 1 <= a <= min(2, s.left), play=lambda s, a: Pile(s.left - a, 1 - s.turn),
    over=lambda s: s.left == 0, score=lambda s: 1.0 if s.turn else -1.0, mover=lambda s: s.turn,
    action_count=lambda s: 3,
)
GAME = Game(
    name="pile", title="Pile", about="take one or two", state=Pile, start=lambda: Pile(4, 0),
    move_text=lambda s, a: f"[/{a}]",
)
"""


def test_moves_may_be_written_in_brackets(hansu: Run, tmp_path: Path) -> None:
    """Rich takes such words for its own."""
    (tmp_path / "pile.py").write_text(BRACKETS)
    match = ("match", "pile.py", "random:seed=1", "random:seed=2", "--games", "4", "--opening-plies", "1")
    for words, text in (
        (("analyze", "pile.py", "-p", "iterative:interpreted=true", "--live"), "value 1  [/1] [/1] [/2]"),
        (("trace", "pile.py", "-p", "minimax:interpreted=true"), "best line [/1]"),
        ((*match, "--save", "games.jsonl"), "pile.py"),
        (("store", "games.db", "--import", "games.jsonl", "--game", "pile.py"), "4 games imported"),
        (("store", "games.db", "--openings"), "[/"),
        (("store", "games.db", "--show", "1"), "[/"),
    ):
        done = hansu(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert text in done.stdout + done.stderr
