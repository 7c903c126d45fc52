"""Time management: the clocks of both protocols, and searches within their time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansu.core import Control, Limit
from hansu.protocols.clock import Allowance, Clock, allowance, allowance_of_go


def test_a_move_has_its_time_minus_a_margin() -> None:
    clock = Clock()
    clock.set_turn(1000)
    (hard, soft), last = clock.share(0)
    assert 0.9 < hard < last < 1 and soft is None
    assert Allowance(hard, soft).less(0.5).hard == pytest.approx(hard - 0.5)
    clock.set_turn(100)
    (hard, _), last = clock.share(0)
    assert 0.04 < hard < last < 0.1
    clock.set_turn(1)
    assert 0 < clock.share(0)[0].hard <= 0.001
    clock.set_turn(0)
    assert clock.hurried and clock.share(0)[0].hard <= 0.05


def test_the_time_of_a_game_is_shared_out() -> None:
    clock = Clock()
    clock.set_turn(30_000)
    clock.set_match(180_000)
    clock.new_game()
    (hard, soft), _ = clock.share(0)
    assert soft == pytest.approx(3) and hard == pytest.approx(18)  # the target time is six
    clock.set_left(10_000)
    (hard, soft), _ = clock.share(20)
    assert soft is not None and 0.25 < soft < hard < 3
    clock.set_left(2_147_483_647)
    assert clock.share(20)[0].soft is None
    clock.set_left(-50)
    assert 0 <= clock.share(20)[0].hard <= 0.001
    clock.set_match(0)
    clock.set_left(0)  # without a limit, time_left is ignored
    assert clock.left is None


def test_a_clock_with_ample_time_does_not_shorten_a_move() -> None:
    """A match clock with more time per move than the move may take has no effect."""
    clock = Clock()
    clock.set_turn(1000)
    without = clock.share(0)
    for left in (30_000, 60_000, 1_000_000):
        clock.set_left(left)
        assert clock.share(0) == without and without[0].soft is None
    ample = allowance_of_go({"movetime": 100, "btime": 60_000}, "b", 0.0)
    assert ample == allowance_of_go({"movetime": 100}, "b", 0.0) == (0.1, None)


def test_iterations_start_later_if_the_turn_cuts_them_short() -> None:
    """From half of the target time to all of it, as the extra time decreases."""
    soft_limits = [allowance(30.0, 30, 3.0, most).soft for most in (9.0, 2.0, 1.5, 1.2, 1.001, 1.0)]
    assert soft_limits == [0.5, 0.5, 0.75, pytest.approx(0.9), pytest.approx(0.9995), None]


@given(
    st.integers(0, 10**10) | st.none(), st.integers(0, 10**10) | st.none(), st.integers(-(10**6), 10**10),
    st.integers(0, 200), st.floats(0, 100),
)  # fmt: skip
def test_a_share_never_exceeds_the_time(
    turn: int | None, match: int | None, left: int, moves: int, spent: float
) -> None:
    clock = Clock()
    if turn is not None:
        clock.set_turn(turn)
    if match is not None:
        clock.set_match(match)
    clock.set_left(left)
    share, last = clock.share(moves)
    hard, soft = share.less(spent)
    bounds = [turn / 1000 if turn else 0.05] if turn is not None else []
    limited = match is None or 0 < match < 2_147_483_647
    bounds += [max(left, 0) / 1000] if limited and left < 2_147_483_647 else []
    bound = min(bounds, default=5.0)
    assert 0 < hard <= max(bound - spent, 0.001) and share.hard <= last <= bound
    assert soft is None or 0 <= soft <= hard


@given(
    st.integers(-(10**6), 10**12), st.integers(-(10**6), 10**12), st.integers(-5, 100),
    st.integers(-(10**6), 10**12) | st.none(),
)  # fmt: skip
def test_no_move_takes_the_whole_clock(left: int, increment: int, moves: int, most: int | None) -> None:
    numbers = {"wtime": left, "winc": increment, "movestogo": moves, "btime": 5, "binc": 5}
    allowed = allowance_of_go(numbers if most is None else {**numbers, "movetime": most}, "w", 0.002)
    assert allowed is not None and 0 < allowed.hard <= max(0.4 * max(left / 1000 - 0.002, 0.001), 0.001)
    assert allowed.soft is None or 0 <= allowed.soft <= allowed.hard
    assert most is None or allowed.hard <= max(most / 1000 - 0.002, 0.001)
    assert allowance_of_go({"btime": left, "nodes": 5}, "w", 0.002) is None


def test_a_long_game_never_runs_out() -> None:
    clock = Clock()
    clock.set_turn(5_000)
    clock.set_match(20_000)
    clock.new_game()
    total = 0.0
    for move in range(200):
        hard = clock.share(move)[0].less(0).hard
        clock.spend(hard)
        total += hard
    assert total < 20 + 200 * 0.001  # the minimum per move


@pytest.mark.parametrize("game", ["renju", "ataxx"])
def test_no_iteration_starts_after_the_soft_limit(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that advances a second per iteration, six or seven start within five and a half seconds."""
    iterations = 0
    monkeypatch.setattr(time, "perf_counter", lambda: float(iterations))

    def listen(report: object) -> None:
        nonlocal iterations
        iterations += 1

    control = Control()
    if game == "renju":
        from hansu.games.renju.engine.searcher import RenjuSearcher as RenjuSearcher

        RenjuSearcher("renju", 15, 1).search([(112, 0)], 1, Limit(depth=8), control, listen, 5.5)
    else:
        from hansu.core import registry
        from hansu.games.ataxx.engine.searcher import AtaxxSearcher as AtaxxSearcher

        AtaxxSearcher(True, 1).search(registry.game("ataxx").first.state, Limit(depth=8), control, listen, 5.5)
    assert iterations in (6, 7)
