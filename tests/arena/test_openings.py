"""Openings, contestants, adjudication."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from support.commands import Run

from hansu import Limit
from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant, read_contestants
from hansu.arena.match import match, play_game
from hansu.arena.openings import Opening, RandomOpenings, evaluate, is_even, read_openings, symmetry_key
from hansu.arena.roster import player
from hansu.core import Decision, HansuError, Player, Position, Report, Value, registry

FOUR = registry.game("connect_four")
TOE = registry.game("tictactoe")


def test_random_openings_repeat_and_differ() -> None:
    first, again, other = (RandomOpenings(FOUR, 4, seed) for seed in (1, 1, 2))
    openings = [first[k] for k in range(50)]
    assert openings == [again[k] for k in reversed(range(50))][::-1]
    assert openings != [other[k] for k in range(50)]
    assert len({symmetry_key(opening.position(FOUR)) for opening in openings}) == 50
    assert {len(opening.moves) for opening in openings} == {3, 4}
    assert {len(o.moves) for o in list(RandomOpenings(FOUR, 2, 1, exact=True))} == {2}


def test_mirrored_positions_have_equal_keys() -> None:
    assert (
        symmetry_key(FOUR.position("123")) == symmetry_key(FOUR.position("765")) != symmetry_key(FOUR.position("124"))
    )


def test_all_openings_of_a_small_game() -> None:
    """One stone of tic-tac-toe: corner, edge, middle; two stones: twelve up to symmetry, counted by hand."""
    openings = RandomOpenings(TOE, 2, 1)
    assert openings.different(1000) == 3 + 12
    assert openings[15] == openings[0] and len(list(openings)) == 15


def test_a_game_without_openings_starts_at_the_start() -> None:
    tree = registry.game("tree")
    assert RandomOpenings(tree, None, 1)[7] == Opening()


def test_openings_longer_than_the_game(hansu: Run) -> None:
    for words in (
        ("match", "tictactoe", "random", "random", "--opening-plies", "50"),
        ("openings", "tictactoe", "--plies", "99"),
    ):
        done = hansu(*words)
        assert done.returncode == 2 and "because games end earlier" in done.stderr, done.stderr
    assert {len(opening.moves) for opening in RandomOpenings(TOE, 9, 1)} == {8}


def test_a_file_of_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# two of them are symmetric\n4453\n\n4 4 3 5  # mirrored\n1 1 1  # +0.3\nstart\n")
    openings = read_openings(file, FOUR)
    assert [opening.moves for opening in openings] == [("4", "4", "5", "3"), ("1", "1", "1"), ()]
    assert openings.description.startswith("openings.txt (3, ")
    assert [o.moves for o in read_openings(file, FOUR, plies=1)] == [("4",), ("1",), ()]
    own = tmp_path / "ataxx.txt"
    own.write_text("x5o/7/7/7/7/7/o5x o 0 1\na7b6 f6\n")
    ataxx = registry.game("ataxx")
    positions = [opening.position(ataxx) for opening in read_openings(own, ataxx)]
    assert positions[0].mover == 1 and len(positions[1].history) == 2
    again = tmp_path / "again.txt"
    again.write_text("".join(o.line(ataxx) + "\n" for o in read_openings(own, ataxx)))
    assert [o.position(ataxx) for o in read_openings(again, ataxx)] == positions


def test_a_file_of_games_gives_their_openings(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    games = match(FOUR, player("random:seed=1", FOUR), player("random:seed=2", FOUR), 6, Limit(), 1)
    file.write_text("".join(json.dumps(record.as_json()) + "\n" for record, _ in games))
    openings = list(read_openings(file, FOUR))
    assert len(openings) >= 3 and all(len(opening.moves) == 4 for opening in openings)
    assert {len(o.moves) for o in read_openings(file, FOUR, plies=6)} == {6}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("445\n99\n", "line 2"),
        ("{}\n", "line 1"),
        ('{"game": "tictactoe", "opening": [], "moves": [], "outcome": 1, "first": "", "second": ""}', "tictactoe"),
        ("# nothing\n", "holds no opening"),
        ("\x00\n", "line 1"),
    ],
)
def test_files_with_other_content(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wrong"
    file.write_text(text)
    with pytest.raises(HansuError, match=message):
        read_openings(file, FOUR)
    with pytest.raises(HansuError, match="cannot read"):
        read_openings(tmp_path / "none", FOUR)


def test_balanced_openings_are_drawn() -> None:
    """Evaluated by the solver: the first move in the middle column wins, next to it is a draw, further out loses."""
    solver = player("solver", FOUR)
    stones = [Opening(moves=(str(column),)) for column in range(1, 8)]
    even = [o.moves[0] for o in evaluate(stones, FOUR, solver, Limit()) if is_even(o, FOUR, 0.5)]
    assert even == ["3", "5"]
    assert is_even(Opening(value=0.04), FOUR, 0.05) and not is_even(Opening(value=-0.06), FOUR, 0.05)
    with pytest.raises(HansuError, match="does not evaluate"):
        list(evaluate(stones, FOUR, player("random", FOUR), Limit()))


# Contestants


def test_contestants_by_text(tmp_path: Path) -> None:
    read = lambda text: Contestant.read(text, FOUR, Limit(depth=2))  # noqa: E731
    assert read("alphabeta: depth=4") == read("alphabeta:depth=4")
    assert (read("mcts@time=0.1").name, read("mcts@time=0.1").limit) == ("mcts@time=0.1", Limit(time=0.1))
    assert read("mcts").limit == Limit(depth=2)
    assert (read("fast=mcts@nodes=5").name, read("fast=mcts@nodes=5").spec) == ("fast", "mcts")
    agent = tmp_path / "agent.py"
    agent.write_text("def agent(position): return position.actions[0]\n")
    mine = read(f"{agent}:agent@time=1")
    assert (mine.name, mine.spec, mine.limit) == ("agent.py:agent@time=1", f"{agent}:agent", Limit(time=1))
    agent.write_text("def agent(position): return position.actions[-1]\n")
    assert read(f"{agent}:agent@time=1").version != mine.version


def test_files_with_the_same_name_get_folders(tmp_path: Path) -> None:
    texts = []
    for name in ("kim", "lee"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.py").write_text(f"def agent(position): return position.actions[0]  # {name}\n")
        texts.append(f"{tmp_path / name / 'agent.py'}@time=1")
    assert [who.name for who in read_contestants(texts, FOUR)] == ["kim/agent.py@time=1", "lee/agent.py@time=1"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["random", "rondom"], "no player 'rondom'"),
        (["random", "random"], "twice"),
        (["a=random", "a=mcts"], "name a"),
        (["mcts@tme=1"], "unknown limit"),
        (["mcts@time=fast"], "must be a number"),
        (["nowhere.py:Agent"], "no file"),
        (["human"], "hansu play"),
    ],
)
def test_invalid_contestants(texts: list[str], message: str) -> None:
    with pytest.raises(HansuError, match=message):
        read_contestants(texts, FOUR)


# Adjudication


class Judge(Player):
    """Plays the first move and reports given values."""

    kind = "judge"
    about = ""

    def __init__(self, values: list[Value | None]) -> None:
        self._values = values

    @property
    def name(self) -> str:
        return "judge"

    def decide(self, position: Position, limit: Limit | None = None, control: object = None) -> Decision:
        value = self._values[min(len(position.history) // 2, len(self._values) - 1)]
        return Decision(action=position.actions[0], report=Report(value=value))


def result(text: str, first: list[Value | None], second: list[Value | None]) -> tuple[int | None, str, int]:
    chance = random.Random(1)
    rules = Adjudication.read(text)
    record = play_game(FOUR.first, Judge(first), Judge(second), Limit(), chance, adjudication=rules)
    return record.outcome, record.adjudicated, len(record.last.history)


def test_games_are_adjudicated_if_both_agree() -> None:
    up, down, even = Value(0.95), Value(-0.95), Value(0.01)
    assert result("win=0.9,plies=4", [up], [up]) == (1, "values", 4)
    assert result("win=0.9,plies=4", [even, down], [even, down]) == (-1, "values", 6)
    assert result("win=0.9,plies=4", [up], [down])[1] == ""
    assert result("win=0.9,plies=4", [up], [None])[1] == ""
    assert result("draw=0.05,plies=6", [even], [even]) == (0, "values", 6)
    assert result("length=5", [None], [None]) == (0, "length", 5)
    sure, other = Value(1, proved=True), Value(-1, proved=True)
    assert result("proved=yes", [sure], [sure]) == (1, "proved", 2)
    assert result("proved=yes", [sure], [other])[1] == ""
    assert result("proved=yes", [sure], [up])[1] == ""
    assert result("", [sure], [sure])[1] == ""


def test_a_mean_does_not_prove_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "averages", True)
    sure = Value(1, proved=True)
    assert result("proved=yes", [sure], [sure])[1] == ""
    assert result("win=0.9,plies=4", [sure], [sure]) == (1, "values", 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("win=2", "out of range"),
        ("won=0.5", "no option 'won'"),
        ("win=0.1,draw=0.2", "not less"),
        ("win", "cannot read"),
    ],
)
def test_invalid_adjudication_rules(text: str, message: str) -> None:
    with pytest.raises(HansuError, match=message):
        Adjudication.read(text)


def test_adjudication_rules_round_trip() -> None:
    for text in ("", "win=0.9,plies=4,proved=true", "draw=0.05,length=200"):
        assert Adjudication.read(str(Adjudication.read(text))) == Adjudication.read(text)
