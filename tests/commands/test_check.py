"""`hansu check` with a broken game for each kind of mistake, and the templates of `hansu new`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from support.commands import Run

import hansu as library
from hansu import check
from hansu.core import HansuError, registry
from hansu.search.conformance.checkup import ABOUT, CHECKS, COMPILED, PLAIN, Checkup
from hansu.search.conformance.speed_checks import Speed, advice

number = itertools.count()


def broken(nim_path: Path, tmp_path: Path, *changes: tuple[str, str], more: str = "") -> str:
    """The Nim of docs/tutorial/your_own_game.md with a mistake."""
    text = nim_path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / f"broken{next(number)}.py"
    path.write_text(text.replace("rules(Nim, ", more + "\n\nrules(Nim, "), encoding="utf-8")
    return f"{path}:heap=3"


def checked(spec: str) -> Checkup:
    return check(spec, speed=False)


PLAY = "return Nim((x, y, z), 1 - s.turn)"
LEGAL = "return 0 <= a < 3 * MOST and a % MOST < s.heaps[a // MOST]"
RULES = "action_count=3 * MOST)"
MIRROR = """
def symmetric(s, k):
    return Nim((s.heaps[2], s.heaps[1], s.heaps[0]), s.turn) if k else s


def symmetric_action(s, a, k):
    return (2 - a // MOST) * MOST + a % MOST if k else a
"""

INTERPRETED = {
    "no return in play": ("fields", "play(s, ", "returned None", [(PLAY, "Nim((x, y, z), 1 - s.turn)")]),
    "no return in over": ("fields", "over(s) returned None", "`return`", [("return s.heaps[0] +", "s.heaps[0] +")]),
    "no return in mover": ("answers", "mover(s) returned None", "`return`", [("    return s.turn\n", "    s.turn\n")]),
    "no return in legal": ("fields", "no move is legal", "over()", [(LEGAL, LEGAL.replace("return ", ""))]),
    "no return in start": ("start", "start() returned None", "`return`", [("return Nim((heap", "Nim((heap")]),
    "no return in score": ("answers", "score(s) returned None", "`return`", [("return -1 if s.turn", "-1 if s.turn")]),
    "a float field": ("fields", "Nim.turn is", "a float", [(PLAY, PLAY.replace("1 - s.turn", "(1 - s.turn) / 1"))]),
    "a bool field": (
        "fields", "Nim.turn is True, a bool", "int(...)",
        [(PLAY, PLAY.replace("1 - s.turn", "s.turn == 0"))],
    ),
    "too many bits": ("fields", "64 bits", "several fields", [("heap + 2), 0)", "heap + 2), 1 << 63)")]),
    "a tuple that grows": ("fields", "the shape", "length of every", [(PLAY, PLAY.replace("x, y, z", "x, y, z, 0"))]),
    "another class": ("fields", "not a Nim", "", [(PLAY, "return (x, y, z, 1 - s.turn)")]),
    "start with other options": ("start", "start() cannot be called", "heap", [("def start(heap)", "def start(size)")]),
    "keys that are lists": (
        "repetition", "repetition.key(s) returned [0]", "a tuple", [("state=Nim,", "state=Nim, repetition=lists,")],
    ),
    "a score in words": (
        "repetition", "repetition.ends(keys) returned 'draw'", "None if the game goes on",
        [("state=Nim,", "state=Nim, repetition=words,")],
    ),
    "a mover out of range": (
        "answers", "mover(s) is 2", "0 to 1",
        [("    return s.turn\n", "    return s.turn + 1\n")],
    ),
    "a mover that is no number": (
        "answers", "mover(s) returned 'x'", "integer",
        [("    return s.turn\n", "    return 'x'\n")],
    ),
    "NaN": ("answers", "score(s) is nan", "finite", [("return -1 if s.turn == 0 else 1", "return float('nan')")]),
    "a score beyond its range": (
        "answers", "score(s) is", "score_range",
        [("else 1", "else 5"), ("return -1", "return -5")],
    ),
    "chance in the rules": (
        "answers", "another state each time", "CHANCE",
        [("from typing", "import itertools\nfrom typing"), ("MOST = 16", "count = itertools.count()\nMOST = 16"),
         (PLAY, PLAY.replace("1 - s.turn", "next(count) % 2"))],
    ),
    "an action beyond action_count": (
        "moves", "action_count", "from 0 to action_count - 1", [(RULES, "next_action=leap, action_count=3 * MOST)")],
    ),
    "legal disagrees": ("moves", "legal(s, ", "moves", [(RULES, "next_action=few, action_count=3 * MOST)")]),
    "an order that turns back": (
        "fields", "next_action(s, ", "above `after`",
        [(RULES, "next_action=stuck, action_count=48)")],
    ),
    "no end of the moves": ("fields", "returned -2", "-1 after", [(RULES, "next_action=ends, action_count=3 * MOST)")]),
    "a random move that is illegal": (
        "random moves", "random_action returned 47", "",
        [(RULES, "random_action=last, action_count=48)")],
    ),
    "a random move that is always the same": (
        "random moves", "never returned", "pick", [(RULES, "random_action=first, action_count=48)")],
    ),
    "probabilities": (
        "chance", "add up to", "",
        [("    return s.turn\n", "    return -1\n"), (RULES, "probability=half, action_count=48)")],
    ),
    "one key for all": ("keys", "key(s) is the same", "confuse them", [(RULES, "key=one, action_count=48)")]),
    "two moves with one text": ("notation", "have the same text, 'a'", "", [("{a % MOST + 1}\"", "\"")]),
    "a text that differs in capitals only": (
        "notation", "have the same text", "lower case", [("f\"{'abc'[a // MOST]}", "f\"{'aAc'[a // MOST]}")],
    ),
    "a space in a move": (
        "notation", "contains a space", "split_moves", [("'abc'[a // MOST]}{", "'abc'[a // MOST]} {")],
    ),
    "a look without return": (
        "look", "look() returned None", "`return`",
        [("small=True", "look=lambda position: None, small=True")],
    ),
    "a touch outside": (
        "look", "outside the picture", "", [("small=True", "touch=lambda s, a: ((99.0, a),), small=True")],
    ),
    "two moves that are touched alike": (
        "look", "same touch points", "", [("small=True", "touch=lambda s, a: ((1.0, 1.0),), small=True")],
    ),
    "symmetries": (
        "symmetries", "symmetric_action returns", "",
        [(RULES, "symmetric=symmetric, action_count=48)"), ("small=True", "symmetries=2, small=True")],
    ),
    "planes that leave cells empty": (
        "planes", "leaves 16 of 48 cells", "write 0",
        [(RULES, "planes=two, action_count=48)"), ("small=True", "plane_shape=(1, 3, 16), small=True")],
    ),
    "planes beyond their shape": (
        "planes", "outside", "",
        [(RULES, "planes=two, action_count=48)"), ("small=True", "plane_shape=(1, 1, 4), small=True")],
    ),
    "a rule that raises": (
        "answers", "ZeroDivisionError", "raised",
        [("return -1 if s.turn == 0 else 1", "return 1 // 0")],
    ),
}  # fmt: skip
MORE = (
    MIRROR
    + """

def leap(s, after):
    return after + 1 if after < 48 else -1


def few(s, after):
    for a in (0, 16, 32):
        if a > after and s.heaps[a // 16]:
            return a
    return -1


def stuck(s, after):
    return 0


def ends(s, after):
    return -2 if after >= 0 else 0


def last(s, seed):
    return 47


def first(s, seed):
    for a in range(48):
        if legal(s, a):
            return a


def half(s, a):
    return 0.5


from hansu.core import Repetition

lists = Repetition(key=lambda s: [s.turn])
words = Repetition(ends=lambda keys: "draw")


def one(s):
    return 1


def two(s, out):
    for i in range(2):
        for a in range(16):
            out[0, i, a] = 0
"""
)


@pytest.mark.parametrize("mistake", INTERPRETED)
def test_a_mistake_is_reported(mistake: str, nim_path: Path, tmp_path: Path) -> None:
    check, what, hint, changes = INTERPRETED[mistake]
    checkup = checked(broken(nim_path, tmp_path, *changes, more=MORE))
    assert checkup.flaws, mistake
    flaw = checkup.flaws[0]
    assert flaw.check == check and what in flaw.what and hint in f"{flaw.what} {flaw.hint}", flaw
    skipped = {outcome.check for outcome in checkup.outcomes if outcome.skipped}
    assert set(COMPILED) <= skipped and checkup.speed is None
    assert set(PLAIN) | set(COMPILED) == {outcome.check for outcome in checkup.outcomes}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title={", "title=5 or {", "title"),
        ("state=Nim,", "state=5,", "state"),
        ("def mover(s):", "def mover(s, a):", "mover must take 1 argument"),
        ("mover=mover, ", "", "lacks mover"),
        ("GAME =", "GAMES =", "no GAME"),
        ("def over(s):", "def over(s)", "SyntaxError"),
    ],
)
def test_a_file_that_does_not_load(nim_path: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    checkup = checked(broken(nim_path, tmp_path, (old, new)))
    assert [flaw.check for flaw in checkup.flaws] == ["file"] and message in checkup.flaws[0].what


FOREIGN = """
from hansu.core import Game, rules


class Board:
    def __init__(self, left, turn):
        self.left, self.turn = left, turn

    def __eq__(self, other):
        return (self.left, self.turn) == (other.left, other.turn)

    def __hash__(self):
        return hash((self.left, self.turn))


def actions(s):
    return iter([word for i, word in enumerate(("one", "two")) if s.left > i])


def play(s, a):
    return Board(s.left - (1 if a == "one" else 2), 1 - s.turn)


def over(s):
    return s.left == 0


def score(s):
    return 1 if s.turn == 1 else -1


def mover(s):
    return s.turn


rules(Board, actions=actions, play=play, over=over, score=score, mover=mover)
GAME = Game(
    name="foreign", title="F", about="f", state=Board, start=lambda: Board(7, 0), move_text=lambda s, a: a
)
"""


def test_a_custom_class_is_checked_where_possible(tmp_path: Path) -> None:
    (tmp_path / "foreign.py").write_text(FOREIGN)
    checkup = check(str(tmp_path / "foreign.py"))
    assert not checkup.flaws and checkup.speed is None
    skipped = {outcome.check for outcome in checkup.outcomes if outcome.skipped}
    assert skipped == {*COMPILED, "fields", "random moves", "keys", "planes"}
    (tmp_path / "broken.py").write_text(FOREIGN.replace("return Board(s.left - ", "Board(s.left - "))
    assert "returned None" in check(str(tmp_path / "broken.py")).flaws[0].what


def test_a_missing_game_is_an_error() -> None:
    for spec in ("nowhere.py", "chess", "tictactoe:size=4"):
        with pytest.raises(HansuError):
            library.check(spec)


def test_compiled_against_interpreted(nim_path: Path, tmp_path: Path) -> None:
    """A product of more than 64 bits differs when compiled."""
    wrong = [(PLAY, PLAY.replace("1 - s.turn", "1 - s.turn if (x + 7) ** 41 % 3 else s.turn"))]
    checkup = checked(broken(nim_path, tmp_path, *wrong))
    assert "compiled rules" in [flaw.check for flaw in checkup.flaws]
    assert "interpreted, but" in checkup.flaws[0].what and "64 bits" in checkup.flaws[0].hint


def test_rules_that_cannot_be_compiled_are_reported(nim_path: Path, tmp_path: Path) -> None:
    checkup = checked(broken(nim_path, tmp_path, ("x, y, z = s.heaps", "x, y, z = sorted({1: 2}) and s.heaps")))
    assert "compiled rules" in [flaw.check for flaw in checkup.flaws] and "compiled" in checkup.flaws[0].what


def test_a_sound_game_and_its_speed(hansu: Run, nim_path: Path) -> None:
    done = hansu("check", f"{nim_path}:heap=5", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["sound"] and {check["result"] for check in answer["checks"]} == {"passed"}
    assert answer["speed"]["playouts_a_second"] > 0 and answer["speed"]["plies_a_playout"] > 3
    assert any("Game(look=...)" in line for line in answer["advice"])


def test_the_command_reports_what_to_fix(hansu: Run, nim_path: Path, tmp_path: Path) -> None:
    done = hansu("check", broken(nim_path, tmp_path, (PLAY, PLAY.replace("1 - s.turn", "s.turn == 0"))))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "Nim.turn is True, a bool" in done.stdout and "to fix" in done.stdout
    file = hansu("check", broken(nim_path, tmp_path, ("GAME =", "GAMES =")), "--json")
    assert file.returncode == 2 and json.loads(file.stdout)["checks"][0]["result"] == "wrong"


def test_advice_follows_where_the_time_goes(nim_path: Path) -> None:
    nim, connect_four = registry.game(str(nim_path)), registry.game("connect_four")
    slow = Speed(1000, 10, {"over": 500, "random_action": 3000, "play": 500, "actions": 6000})
    lines = list(advice(nim, slow))
    assert "no next_action, so each node tests all 48 actions" in lines[0] and "up to 7.0 times" in lines[0]
    assert "takes 75% of a random game" in lines[1] and "up to 4.0 times" in lines[1]
    assert list(advice(connect_four, slow)) == []
    assert "sample chance moves uniformly" in list(advice(registry.game("tree"), slow))[-1]
    lame = Speed(1000, 10, {"over": 3000, "random_action": 500, "play": 500, "actions": 60})
    assert [line[:12] for line in advice(connect_four, lame)] == ["over() takes"]


def test_the_default_random_action_is_uniform(nim_path: Path) -> None:
    """Where ids are tried, they are drawn until one is legal; where there is one among many, it is checkup."""
    from hansu.core import random_action

    state = registry.game(f"{nim_path}:heap=1").first.state  # six legal moves among 48
    seed, counts = [3], dict.fromkeys((0, 16, 17, 32, 33, 34), 0)
    for _ in range(6000):
        counts[random_action(state, seed)] += 1
    assert min(counts.values()) > 880 and max(counts.values()) < 1120
    single = type(state)((0, 0, 1), 0)
    assert {random_action(single, [seed]) for seed in range(200)} == {32}


def test_templates_pass_the_check(hansu: Run, tmp_path: Path) -> None:
    assert "hansu check ./my_game.py" in hansu("new", "game", "my_game", cwd=tmp_path).stdout
    assert "my_player.py:MyPlayer" in hansu("new", "player", "my_player", cwd=tmp_path).stdout
    assert f"hansu check {tmp_path}/other.py" in hansu("new", "game", str(tmp_path / "other")).stdout
    done = hansu("check", "./my_game.py", "--no-speed", cwd=tmp_path)
    assert done.returncode == 0 and "no mistakes found" in done.stdout and "Game(" not in done.stdout, done.stdout
    match = hansu("match", "tictactoe", "./my_player.py:MyPlayer", "random:seed=1", "-n", "4", "--json", cwd=tmp_path)
    assert match.returncode == 0 and json.loads(match.stdout)["losses"] < 4, match.stderr


@pytest.mark.parametrize("name", ["my_game", "two words", "class", "1st", "no/such/folder/game"])
def test_invalid_names_of_new_files(hansu: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "my_game.py").write_text("kept")
    done = hansu("new", "game", name, cwd=tmp_path)
    assert done.returncode == 2 and "error: " in done.stderr and "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["my_game.py"] and (
        tmp_path / "my_game.py"
    ).read_text() == "kept"


def test_the_description_of_a_check_is_its_docstring() -> None:
    assert {name: check.__doc__ for name, check in CHECKS.items()} == ABOUT
