"""Reports and records: as objects, as JSON, and back."""

from __future__ import annotations

import copy
import json
import pickle
import random
from dataclasses import fields
from typing import Any

import pytest

from hansu.arena.match import match, play_game
from hansu.arena.roster import player
from hansu.core import Decision, HansuError, Limit, MoveValue, Player, Position, Record, Report, Value, registry
from hansu.core.record import read_record
from hansu.core.report import AT_LEAST, AT_MOST


def test_a_value_from_either_side() -> None:
    value = Value.seen_from(1, 0.25, bound=AT_LEAST)
    assert value == -0.25 and value.bound == AT_MOST
    assert (value.to(0), value.to(1)) == (-0.25, 0.25)
    assert str(Value.seen_from(1, 0.0).to(1)) == str(Value.seen_from(1, 0.0).to(0)) == "0.0"


def test_values_in_order() -> None:
    """Best to worst: near win, far win, draw, far loss, near loss; reversed for the other side."""
    near_win, far_win = Value(1, proved=True, plies=1), Value(1, proved=True, plies=9)
    far_loss, near_loss = Value(-1, proved=True, plies=8), Value(-1, proved=True, plies=2)
    order = [near_win, far_win, Value(0.5), Value(0), far_loss, near_loss]
    shuffled = random.Random(1).sample(order, len(order))
    assert sorted(shuffled, key=lambda v: v.order(0), reverse=True) == order
    assert [v.plies for v in sorted(shuffled, key=lambda v: v.order(0), reverse=True)] == [1, 9, None, None, 8, 2]
    assert [v.plies for v in sorted(shuffled, key=lambda v: v.order(1), reverse=True)] == [2, 8, None, None, 9, 1]


def test_a_value_survives_copies() -> None:
    value = Value(-3, proved=True, plies=4, bound=AT_MOST)
    for other in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (other, other.proved, other.plies, other.bound) == (-3, True, 4, AT_MOST)
    assert json.dumps(value) == "-3.0"


def full_report(position: Position) -> Report:
    first, second = position.actions[:2]
    moves = (
        MoveValue(action=first, value=Value(0.5, plies=3), visits=30, prior=0.25),
        MoveValue(action=second, value=Value(0.1, bound=AT_MOST), visits=10),
    )
    return Report(
        value=Value(0.5, proved=True, plies=3), line=(first, second), moves=moves, chances=(0.6, 0.3, 0.1),
        shares=(0.25, -0.25), depth=4, seldepth=9, nodes=1234, seconds=0.5,
    )  # fmt: skip


def test_every_field_of_a_report_survives_json() -> None:
    position = registry.game("connect_four").first
    report = full_report(position)
    assert all(getattr(report, field.name) != field.default for field in fields(Report)), "full_report() lacks a field"
    again = Report.from_json(position, json.loads(json.dumps(report.as_json(position))))
    assert again == report and again.proved and again.plies == 3
    assert [move.value.bound for move in again.moves if move.value is not None] == ["", AT_MOST]
    assert again.policy == {0: 0.75, 1: 0.25}
    assert "moves" not in report.as_json(position, moves=False)


BAD: list[Any] = [
    None, [], "x", {"value": "big"}, {"value": float("nan")}, {"value": 1, "plies": -1}, {"value": 1, "bound": "?"},
    {"nodes": "many"}, {"nodes": 1e300}, {"nodes": True}, {"line": 4}, {"moves": [3]}, {"moves": [{}]},
    {"chances": [1]}, {"shares": 3}, {"shares": ["all"]},
    {"seconds": "soon"}, {"line": ["4"] * 2000}, {"moves": [{"move": "4", "visits": [1]}]},
]  # fmt: skip


@pytest.mark.parametrize("data", BAD, ids=lambda data: str(data)[:60])
def test_an_invalid_report_is_rejected(data: Any) -> None:
    with pytest.raises(HansuError, match="not a search report"):
        Report.from_json(registry.game("connect_four").first, data)


def test_a_record_holds_the_reports() -> None:
    game = registry.game("connect_four")
    record, _ = next(match(game, player("mcts:simulations=50", game), player("rule", game), 1, Limit(), seed=3))
    data = json.loads(json.dumps(record.as_json()))
    again = read_record(json.dumps(data), game)
    assert again.last == record.last and again.last.moves == record.last.moves
    assert (again.players, again.opening, again.outcome) == (record.players, record.opening, record.outcome)
    assert again.as_json() == data
    thoughts = [(d.report.value, d.report.line, d.why) for d in again.decisions if d is not None]
    assert thoughts == [(d.report.value, d.report.line, d.why) for d in record.decisions if d is not None]
    assert any(value is not None for value, _, _ in thoughts) and all(why for _, _, why in thoughts)


def test_chance_moves_have_no_decision(tmp_path: Any) -> None:
    """A player moves Pacman's ghosts, but nobody decides for dice."""
    path = tmp_path / "dice.py"
    path.write_text(DICE)
    game = registry.game(str(path))
    record = play_game(game.first, player("random:seed=1", game), player("random:seed=2", game), Limit(),
                       random.Random(1))  # fmt: skip
    assert [decision is None for decision in record.decisions] == [True, False, True, False]
    assert len(record.last.history) == 4


DICE = """
from typing import NamedTuple
from hansu.core import CHANCE, Game, rules

class Dice(NamedTuple):
    step: int
    sum: int

rules(Dice, legal=lambda s, a: 0 <= a < 2, play=lambda s, a: Dice(s.step + 1, s.sum + a), over=lambda s: s.step == 4,
      score=lambda s: s.sum - 2, mover=lambda s: CHANCE if s.step % 2 == 0 else s.step // 2, action_count=2)
GAME = Game(name="dice", title={"en": "Dice", "ko": "주사위"}, about="roll twice", state=Dice,
            start=lambda: Dice(0, 0))
"""


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "4", '{"game": "connect_four"}', '{"game": 3, "opening": [], "moves": []}', '{"game": ["renju"]}',
     '{"game": "connect_four", "opening": [], "moves": ["9"], "outcome": 0, "first": "", "second": ""}',
     '{"game": "connect_four", "opening": [], "moves": [], "outcome": 7, "first": "", "second": ""}'],
)  # fmt: skip
def test_an_invalid_record_is_rejected(line: str) -> None:
    with pytest.raises(HansuError):
        read_record(line, registry.game("connect_four"))


def test_a_record_runs_no_code(tmp_path: Any) -> None:
    """A record whose game is a file is rejected, and the file is not loaded."""
    path = tmp_path / "trap.py"
    path.write_text("raise SystemExit('loaded')")
    line = json.dumps({"game": str(path), "opening": [], "moves": [], "outcome": 0, "first": "", "second": ""})
    with pytest.raises(HansuError, match="not of connect_four"):
        read_record(line, registry.game("connect_four"))


def test_players_declare_their_abilities() -> None:
    """The class variables of every player are valid, and options determine the memory of tables."""
    from hansu.arena.roster import kinds

    for name in registry.names():
        for kind, cls in kinds(registry.built_in(name)).items():
            assert cls.heeds <= {"depth", "nodes", "time"}, kind
            assert cls.traced_as in ("", "bounds", "visits"), kind
            assert cls.starts_programs() == (kind in ("uai", "gomocup")), kind
    assert player("iterative:slots=1000", registry.game("tictactoe")).table_bytes == 32_000


def test_players_that_judge_all_moves_report_all() -> None:
    from hansu.arena.roster import kinds

    for name in ("tictactoe", "connect_four", "pacman"):
        game = registry.built_in(name)
        for kind, cls in kinds(game).items():
            if cls.judges_all:
                limit = Limit(depth=1) if "depth" in cls.heeds else Limit(nodes=200) if cls.heeds else Limit()
                moves = cls().decide(game.first, limit).report.moves
                judged = {m.action for m in moves if m.value is not None and not m.value.bound}
                assert judged == set(game.first.actions), f"{name} {kind}"


def test_mcts_respects_both_limits() -> None:
    game = registry.game("tictactoe")
    assert player("mcts:simulations=200", game).decide(game.first, Limit(time=5.0)).report.nodes == 200
    assert player("mcts:simulations=200", game).decide(game.first, Limit(nodes=50)).report.nodes == 50


class Blank(Player):
    kind, about = "blank", "returns no report"

    def decide(self, position: Position, limit: Limit | None = None, control: Any = None) -> Decision:
        return Decision(action=position.actions[0])


def test_a_decision_may_lack_a_report() -> None:
    game = registry.game("tictactoe")
    record = play_game(game.first, Blank(), Blank(), Limit(), random.Random(1))
    assert isinstance(record, Record) and record.outcome == 1
    assert record.as_json()["thoughts"][0]["value"] is None
