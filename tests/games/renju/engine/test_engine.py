"""The Renju engine and its players: against exhaustive search, under limits, through opening rules; `hansu solve`."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from support.commands import Run, stopped_from_outside
from support.renju_boards import STUCK, both_sides, cells, named, searcher, stones_at
from support.vcf_oracle import Board

from hansu.arena.match import play_game
from hansu.arena.openings import random_opening
from hansu.core import Control, Limit, Position, Report
from hansu.core.message import Message
from hansu.games.renju.players import RenjuEnginePlayer, RenjuRulePlayer
from hansu.games.renju.state import BLACK, RULES, WHITE
from hansu.games.renju.tactics import played_stones

MIDDLE_GAME = "h8 i9 i8 g8 j7 h9 g9 g10 j10 f7 h7 i6 f8 e7"


def wander(settings: str, plies: int, seed: int) -> Position:
    """A position after random plies that is not over."""
    generator = random.Random(seed)
    position = named(settings)
    while not position.over and len(position.history) < plies:
        position = position.play(generator.choice(position.actions))
    return position.previous if position.over and position.previous else position


# Values.


@pytest.mark.parametrize("rule", RULES)
def test_proven_values_are_correct(rule: str) -> None:
    """The engine against exhaustive search near the end of games on small boards."""
    decided = 0
    for seed in range(60):
        size = 5 + seed % 3
        position = wander(f"rule={rule},size={size}", size * size - random.Random(seed).randint(4, 7), seed)
        stones, side = played_stones(position), len(position.history) % 2
        truth = Board(rule, size).value(*both_sides(stones, side), side, {})
        engine = searcher(rule, size)
        engine.new_game()
        report = engine.search(stones, side, Limit(depth=10), Control())
        assert report.line[0] in position.actions and report.value is not None
        assert (report.value.to(side) if report.proved else 0) == truth, position.text
        if truth:
            after = position.play(report.line[0])
            known = -truth if not after.over else None
            if known is not None:
                assert Board(rule, size).value(*both_sides(played_stones(after), 1 - side), 1 - side, {}) == known
            decided += 1
    assert decided >= 10


def test_black_without_a_legal_move_draws() -> None:
    """White would make five on the last empty point, which is an overline for black: a draw if black is to move."""
    rows = "XXX.XX/OOXOOO/XXOOXX/OOXOXO/XXOOXX/OOXXOO"
    assert named("size=6", f"{rows} b").over and named("size=6", f"{rows} w").play_move("d6").score == -1
    stones = [(cell, "XO".index(stone)) for cell, stone in enumerate(rows.replace("/", "")) if stone != "."]
    engine = searcher("renju", 6)
    for side, score in ((BLACK, 0), (WHITE, 29_999)):
        engine.new_game()
        assert engine.score_of(engine.search(stones, side, Limit(depth=4), Control())) == score
    # If f6 is empty, too, black has a legal move, and then white wins.
    stones.remove((5, BLACK))
    for side in (BLACK, WHITE):
        engine.new_game()
        truth = Board("renju", 6).value(*both_sides(stones, side), side, {})
        report = engine.search(stones, side, Limit(depth=6), Control())
        assert report.value is not None and truth == (report.value.to(side) if report.proved else 0)


@pytest.mark.parametrize("limit", [Limit(depth=1), Limit(nodes=1), Limit(time=0.0), Limit(depth=6)])
def test_fives_are_made_and_stopped_under_any_limit(limit: Limit) -> None:
    stones = stones_at("e8 f8 g8 h8 a1", "d8 c10 d10 e10 f10")
    for side, expected in ((BLACK, "i8"), (WHITE, "b10 g10")):
        assert searcher("renju").search(stones, side, limit, Control()).line[0] in cells(expected)
    stones = stones_at("e8 f8 g8 h8", "d8 c10 d11 n3")
    assert searcher("renju").search(stones, WHITE, limit, Control()).line[0] in cells("i8")
    stones = stones_at("e8 f8 g8", "d10 c3 n3")
    assert searcher("renju").search(stones, BLACK, limit, Control()).line[0] in cells("d8 h8")


# Limits.


def test_depth_nodes_and_reports() -> None:
    position = named("", MIDDLE_GAME)
    reports: list[Report] = []
    deep = RenjuEnginePlayer().decide(position, Limit(depth=5), Control(reports.append))
    assert deep.report.depth == 5 and [report.depth for report in reports] == [1, 2, 3, 4, 5]
    assert all(before.nodes < after.nodes for before, after in pairwise(reports))
    assert RenjuEnginePlayer(depth=3).decide(position, Limit(depth=5)).report.depth == 3
    for nodes in (1, 10, 1000, 20_000):
        decision = RenjuEnginePlayer().decide(position, Limit(nodes=nodes))
        assert decision.action in position.actions and decision.report.nodes <= nodes + 2
    one, other = (RenjuEnginePlayer().decide(position, Limit(nodes=20_000)) for _ in range(2))
    assert one.action == other.action and replace(one.report, seconds=0) == replace(other.report, seconds=0)


def test_principal_variations_are_legal() -> None:
    for seed in range(12):
        settings = ("rule=renju", "rule=standard", "rule=freestyle,size=9")[seed % 3]
        position = wander(settings, 4 + 3 * seed, seed)
        decision = RenjuEnginePlayer().decide(position, Limit(nodes=5000))
        assert decision.report.line and decision.report.line[0] == decision.action
        for action in decision.report.line:
            assert not position.over
            position = position.play(action)


@pytest.mark.parametrize("threats", [False, True])
def test_a_search_is_stopped(threats: bool) -> None:
    stones = played_stones(named("", MIDDLE_GAME))
    control = Control()
    with stopped_from_outside(control) as tell:
        report = searcher("renju").search(stones, BLACK, Limit(), control, tell, threats=threats)
    assert control.stopped and report.depth < 60 and report.line[0] not in dict(stones)
    before = report.nodes
    at_once = searcher("renju").search(stones, BLACK, Limit(), control, threats=threats)
    assert at_once.nodes <= 1 < before and at_once.depth == 0 and at_once.line[0] not in dict(stones)
    # The board is unchanged: the same search returns the same report.
    engine = searcher("renju")
    reports: list[Report] = []
    for _ in range(2):
        engine.new_game()
        reports.append(replace(engine.search(stones, BLACK, Limit(depth=4), Control()), seconds=0.0))
    assert reports[0] == reports[1]


def test_threat_searches_respect_the_time_limit() -> None:
    """Without a look at the clock these searches would run for minutes."""
    stones = played_stones(wander("rule=freestyle,size=20", 120, 3))
    started = time.process_time()  # of this process only
    for side in (BLACK, WHITE):
        searcher("freestyle", 20).search(stones, side, Limit(time=0.05), Control())
    assert time.process_time() - started < 60


# Legal moves.


@pytest.mark.parametrize("size", [5, 6, 9, 15, 16, 20])
def test_moves_are_legal_until_the_board_is_full(size: int) -> None:
    for number, rule in enumerate(RULES):
        position = wander(f"rule={rule},size={size},no_move=pass", size * size - 12, 10 * size + number)
        players = (RenjuEnginePlayer(hash=1), RenjuRulePlayer(seed=1))
        while not position.over:
            decision = players[len(position.history) % 2].decide(position, Limit(nodes=60))
            assert decision.action in position.actions and isinstance(decision.why, Message) and decision.why.to("ko")
            position = position.play(decision.action)


def test_black_passes_if_every_point_is_forbidden() -> None:
    position = named("size=6,no_move=pass", f"{STUCK} b")
    for player in (RenjuEnginePlayer(hash=1), RenjuRulePlayer()):
        decision = player.decide(position, Limit(depth=3))
        assert position.move_text(decision.action) == "pass" and "통과" in decision.why.to("ko")


def test_explanations() -> None:
    first = RenjuEnginePlayer().decide(named(""), Limit(nodes=100))
    assert first.why == "h8: the centre of the empty board" and "한가운데" in first.why.to("ko")
    won = RenjuEnginePlayer().decide(named("", "h8 a1 i8 a3 j8 a5"), Limit(nodes=1000))
    assert won.report.proved and won.report.value == 1 and won.why.startswith("g8 wins by fours in 3 plies: g8")
    assert won.why.to("ko").startswith("g8: 연속 사로 3수 안에 이깁니다: g8")
    lost = RenjuEnginePlayer().decide(named("", "h8 a1 i8 a3 j8 a5 k8"), Limit(nodes=1000))
    assert lost.report.proved and lost.report.value == 1
    assert "delays the loss longest, 2 plies" in lost.why and "2수 뒤에 집니다" in lost.why.to("ko")
    thought = RenjuEnginePlayer().decide(named("", MIDDLE_GAME), Limit(depth=2))
    assert " %, 2 plies deep" in thought.why and "2수 앞까지" in thought.why.to("ko") and not thought.report.proved
    rule = RenjuRulePlayer().decide(named("", "h8 a1 i8 a3 j8"))
    assert rule.why == "g8 answers the open three" and "열린 삼" in rule.why.to("ko")


# Opening rules.


def test_random_openings_lie_near_the_centre() -> None:
    for settings, most in (("size=15", 7), ("size=20,rule=standard", 6), ("size=5", 5), ("opening=swap2", 7)):
        first = named(settings)
        size, cells_used = first.game.option("size"), set()
        for seed in range(60):
            cells_used |= set(random_opening(first.game, 3, random.Random(seed)).history)
        columns, rows = {cell % size for cell in cells_used}, {cell // size for cell in cells_used}
        assert columns == rows and len(rows) == most and min(rows) + max(rows) == size - 1


@pytest.mark.parametrize("steps", ["rif", "taraguchi10", "soosorv8", "swap2"])
def test_whole_games_by_opening_rules(steps: str) -> None:
    rule = "standard" if steps == "swap2" else "renju"
    first = named(f"opening={steps},rule={rule}")
    for players in (
        (RenjuEnginePlayer(hash=1), RenjuRulePlayer()),
        (RenjuRulePlayer(), RenjuEnginePlayer(hash=1)),
        (RenjuEnginePlayer(hash=1), RenjuEnginePlayer(hash=1)),
    ):
        record = play_game(first, *players, Limit(nodes=400), random.Random(1))
        assert record.fault == "" and record.score is not None


def test_opening_steps_respect_limits() -> None:
    position = named("opening=rif", "h8 h9")
    counts: list[int] = []
    for nodes in (25, 2500, None):
        control = Control()
        counts.append(RenjuEnginePlayer(hash=1).decide(position, Limit(nodes=nodes), control).report.nodes)
        assert counts[-1] == control.nodes
    assert 0 < counts[0] < counts[1] < counts[2]
    stopped = Control()
    stopped.stop()
    assert RenjuEnginePlayer(hash=1).decide(position, None, stopped).action in position.actions
    assert RenjuEnginePlayer(hash=1).decide(position, Limit(time=0.0)).action in position.actions


# The command.


def test_solve(hansu: Run) -> None:
    fours = hansu("solve", "renju", "h8 f10 g9 h7 i6 i7 f8 j10 j7 f9 j8 i10")
    assert fours.returncode == 0 and fours.stdout == "won by fours: i8 g8 k8 l8 l9\n"
    threats = hansu("solve", "renju", "h8 f9 i8 j6 h10 j10 f7 f6 i7 f10", "--json")
    result = json.loads(threats.stdout)
    assert result["won_by"] == "threats" and result["line"][0] == "j8"
    nothing = hansu("solve", "renju", "h8 i9", "--nodes", "1000")
    assert nothing.returncode == 0 and nothing.stdout.startswith("no win by fours within 61 plies, nor by fours and")
    given_up = hansu("solve", "renju", "h8 f9 i8 j6 h10 j10 f7 f6 i7 f10", "--nodes", "5")
    assert given_up.returncode == 0 and "within 5 nodes; try a larger --nodes" in given_up.stdout
    wrong = hansu("solve", "renju", "h8 h8")
    assert wrong.returncode == 2 and "h8" in wrong.stderr and "Traceback" not in wrong.stderr
