"""What the engines of all games share: limits, node counts in the Control, scores and values, reports, multi-PV."""

from __future__ import annotations

import threading
import time

import pytest

from hansu.arena.roster import player
from hansu.core import Control, Decision, Limit, Report, Value, registry
from hansu.games.ataxx.engine.searcher import AtaxxSearcher as AtaxxSearcher
from hansu.games.renju.engine.searcher import RenjuSearcher as RenjuSearcher
from hansu.search import engine as search_engine
from hansu.search.engine import DEFAULT_SECONDS, HELPER, EngineLine, EnginePlayer
from hansu.search.pvs import SURE, WIN

LONG = Limit(nodes=1 << 40)  # practically unlimited
WAIT = 120.0
ENGINES = [
    ("ataxx", "engine", "start"),
    ("renju", "engine", "h8 i9 i8 g8 j7 h9 g9 g10 j10 f7 h7 i6 f8 e7"),
    ("triangles:points=16", "engine:opponent_model=none", "start"),
    ("connect_four", "solver:book=false", "start"),
]


@pytest.mark.parametrize(("game", "kind", "moves"), ENGINES)
def test_nodes_are_counted_during_the_search(game: str, kind: str, moves: str) -> None:
    position = registry.game(game).position(moves)
    thinker, control = player(kind, position.game), Control()
    thinker.decide(position, Limit(nodes=1))  # compile first
    decisions: list[Decision] = []
    thread = threading.Thread(target=lambda: decisions.append(thinker.decide(position, LONG, control)), daemon=True)
    thread.start()
    until = time.monotonic() + WAIT
    while control.nodes == 0 and time.monotonic() < until:
        time.sleep(0.001)
    nodes = control.nodes
    control.stop()
    thread.join(WAIT)
    assert not thread.is_alive() and nodes > 0
    assert decisions[0].report.nodes == control.nodes >= nodes


@pytest.mark.parametrize(("game", "kind", "moves"), ENGINES[:3])
def test_every_iteration_is_reported(game: str, kind: str, moves: str) -> None:
    position = registry.game(game).position(moves)
    reports: list[tuple[Report, int]] = []
    control = Control(lambda report: reports.append((report, control.nodes)))
    decision = player(kind, position.game).decide(position, Limit(depth=4), control)
    assert [report.depth for report, _ in reports] == [1, 2, 3, 4]
    assert all(report.nodes == counted > 0 and report.value is not None for report, counted in reports)
    assert reports[-1][0].nodes == decision.report.nodes == control.nodes
    assert decision.action == decision.report.line[0]


def test_control_sums_the_nodes_of_its_searches() -> None:
    searcher, position, control = AtaxxSearcher(False, 1), registry.game("ataxx").first, Control()
    nodes = [searcher.search(position.state, Limit(depth=depth), control).nodes for depth in (3, 4)]
    assert control.nodes == sum(nodes)


@pytest.mark.parametrize("searcher", [AtaxxSearcher(False, 1), RenjuSearcher(megabytes=1)], ids=["ataxx", "renju"])
@pytest.mark.parametrize("team", [0, 1])
def test_score_of_inverts_value_of(searcher: AtaxxSearcher | RenjuSearcher, team: int) -> None:
    with searcher.thinking(team, Limit(), Control()):
        pass
    for score in [*range(-5000, 5001, 7), WIN - 1, WIN - 30, 1 - WIN, 30 - WIN]:
        value = searcher.value_of(score)
        assert searcher.score_of(Report(value=value)) == score
        assert value.plies == (WIN - abs(score) if abs(score) > SURE else None)
        assert value.to(team) * score >= 0 and abs(value) <= 1
    assert searcher.score_of(Report()) == 0
    assert searcher.score_of(Report(value=Value.seen_from(team, 1.0))) == SURE
    assert searcher.value_of(WIN - 3).proved and not searcher.value_of(100).proved


def test_distant_wins_in_ataxx_are_not_proved() -> None:
    """A draw by the halfmove clock may come first."""
    searcher = AtaxxSearcher(False, 1)
    assert searcher.value_of(WIN - 30).proved and not searcher.value_of(WIN - 31).proved
    assert searcher.value_of(WIN - 31).plies == 31 and searcher.value_of(WIN - 31) == 1


@pytest.mark.parametrize("name", ["ataxx", "renju", "triangles"])
def test_limits_are_combined_with_the_players_own(name: str) -> None:
    thinker = player("engine:depth=5", registry.game(name))
    assert isinstance(thinker, EnginePlayer) and thinker.own_limit == Limit(depth=5)
    assert thinker.bounds(Limit(depth=7, nodes=9)) == Limit(depth=5, nodes=9)
    assert thinker.bounds(Limit(depth=3)) == Limit(depth=3)
    assert thinker.bounds(None) == Limit(depth=5)
    free = player("engine", registry.game(name))
    assert isinstance(free, EnginePlayer)
    assert free.bounds(None) == Limit(time=DEFAULT_SECONDS) and free.bounds(Limit(nodes=5)) == Limit(nodes=5)


# Several lines, several threads.

LINES = [
    ("ataxx", "start", 8),
    ("ataxx", "x5o/1x2x2/4xxo/3xx2/2oo2x/1o5/o6 o 0 12", 6),
    ("renju", "h8 h9 i9 g9", 5),
]


@pytest.mark.parametrize(("game", "moves", "depth"), LINES)
@pytest.mark.parametrize("threads", [1, 2])
def test_lines_are_reported_best_first(game: str, moves: str, depth: int, threads: int) -> None:
    position = registry.game(game).position(moves)
    engine = player(f"engine:lines=4,threads={threads}", position.game)
    reports: list[Report] = []
    decision = engine.decide(position, Limit(depth=depth), Control(reports.append))
    for report in (*reports, decision.report):
        assert len({move.action for move in report.moves}) == len(report.moves) == 4
        worth = [move.value.to(position.team) for move in report.moves if move.value is not None]
        assert worth == sorted(worth, reverse=True) and len(worth) == 4
        for move in report.moves:
            assert move.line[0] == move.action
            assert len(position.line_text(move.line)) == len(move.line)  # every move of it can be played
    first = decision.report.moves[0]
    assert (first.action, first.line, first.value) == (decision.action, decision.report.line, decision.report.value)
    copy = Report.from_json(position, decision.report.as_json(position))
    assert [move.line for move in copy.moves] == [move.line for move in decision.report.moves]


@pytest.mark.parametrize(("game", "moves"), [("ataxx", "start"), ("renju", "h8 h10 j9 i7")])
def test_stopped_iterations_are_reported(game: str, moves: str) -> None:
    """A move that becomes the best just before the stop has its own value and line, and comes first."""
    position = registry.game(game).position(moves)
    engine = player("engine", position.game)
    changed = longer = 0
    for nodes in range(2_000, 42_000, 500):
        engine.new_game()
        reports: list[Report] = []
        decision = engine.decide(position, Limit(nodes=nodes), Control(reports.append, lines=3))
        report, before = decision.report, reports[-1]
        assert decision.action == report.line[0] == report.moves[0].action
        assert len({move.action for move in report.moves}) == len(report.moves) == 3
        assert report.moves[0].value == report.value and report.moves[0].line == report.line
        worth = [move.value.to(position.team) for move in report.moves if move.value is not None]
        assert worth == sorted(worth, reverse=True) and len(worth) == 3
        position.line_text(report.line)  # it can be played
        if decision.action != before.line[0]:
            changed += 1
            longer += len(report.line) > 1
            assert report.value != before.value
    assert changed >= 2 and longer > changed / 2


def test_lines_of_the_previous_depth_come_last() -> None:
    """After a stop, lines of the previous depth come after those of this depth."""
    position = registry.game("ataxx").position("x4x1/4x2/7/7/7/7/2o4 x 6 4")
    engine = player("engine", position.game)
    assert isinstance(engine, EnginePlayer)
    best = engine.decide(position, Limit(depth=3), Control(lines=3)).report.moves[0]
    searcher = engine.searcher(position)
    old = next(action for action in position.actions if action != best.action)
    searcher.memory["node_limit"] = 0  # stops immediately
    lines = searcher._other_lines(position.state, 3, [EngineLine(5_000, [old])])
    assert [line.moves[0] for line in lines] == [best.action, old]
    assert lines[0].score == lines[1].score < 5_000


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("moves", ["h8 a1 h9 a3 h10 a5", "h8 a1 i8 a3 j8 a5 k8", "h8 a1 h9 a3 h10 a5 h11 h7"])
def test_lines_are_distinct(moves: str, depth: int) -> None:
    """Also where the position is decided without searching the moves."""
    position = registry.game("renju").position(moves)
    report = player("engine:lines=5", position.game).decide(position, Limit(depth=depth)).report
    assert len({move.action for move in report.moves}) == len(report.moves) <= 5


def test_at_most_one_line_per_move() -> None:
    few = registry.game("ataxx").position("xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/oooooo1/ooooo2 x 0 40")
    report = player("engine:lines=30", few.game).decide(few, Limit(depth=2)).report
    assert {move.action for move in report.moves} == set(few.actions) and len(few.actions) < 30
    forced = registry.game("renju").position("h8 a1 i8 a2 j8 a3 k8")  # white has to stop a five
    report = player("engine:lines=5", forced.game).decide(forced, Limit(depth=4)).report
    assert len(report.moves) <= 1


@pytest.fixture
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_engine, "cores", lambda: 3)


@pytest.mark.parametrize(("game", "kind", "moves"), ENGINES[:2])
@pytest.mark.usefixtures("three_cores")
def test_helper_threads_end(game: str, kind: str, moves: str) -> None:
    position = registry.game(game).position(moves)
    single = [player(kind, position.game).decide(position, Limit(depth=6)).report for _ in range(2)]
    assert single[0].nodes == single[1].nodes and single[0].line == single[1].line  # deterministic
    engine, control = player(f"{kind}:threads=3", position.game), Control()
    parallel = engine.decide(position, Limit(depth=6), control).report
    assert parallel.depth == 6 and position.legal(parallel.line[0]) and parallel.nodes == control.nodes
    assert not helpers()
    assert len(engine.searcher(position)._helpers) == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(("game", "kind", "moves"), ENGINES[:2])
@pytest.mark.usefixtures("three_cores")
def test_threads_are_limited_to_cores(game: str, kind: str, moves: str) -> None:
    """More would take time from the main thread and the timer."""
    position = registry.game(game).position(moves)
    engine = player(f"{kind}:threads=64", position.game)
    engine.decide(position, Limit(depth=4))
    searcher = engine.searcher(position)  # type: ignore[attr-defined]
    assert searcher.threads == 3 and len(searcher._helpers) == 2


@pytest.mark.parametrize(("game", "kind", "moves"), ENGINES[:2])
@pytest.mark.usefixtures("three_cores")
def test_threads_share_the_node_limit(game: str, kind: str, moves: str) -> None:
    position = registry.game(game).position(moves)
    report = player(f"{kind}:threads=3", position.game).decide(position, Limit(nodes=30_000)).report
    assert 9_000 < report.nodes < 31_000  # helpers may start after the main thread is done


def test_threads_end_at_the_time_limit() -> None:
    position = registry.game("ataxx").first
    assert player("engine:threads=2", position.game).decide(position, Limit(time=0.05)).report.line
    assert not helpers()


def helpers() -> list[threading.Thread]:
    """Helper threads that are still running."""
    return [thread for thread in threading.enumerate() if thread.name == HELPER]
