"""How long a move may take: the clocks of both protocols, and a search that keeps to what it is allowed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansu.core import Control, Limit
from hansu.protocols.clock import Allowance, Clock, allowance, allowance_of_go


def test_a_move_has_its_time_less_a_margin() -> None:
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
    assert soft == pytest.approx(3) and hard == pytest.approx(18)  # six are meant for it
    clock.set_left(10_000)
    (hard, soft), _ = clock.share(20)
    assert soft is not None and 0.25 < soft < hard < 3
    clock.set_left(2_147_483_647)
    assert clock.share(20)[0].soft is None
    clock.set_left(-50)
    assert 0 <= clock.share(20)[0].hard <= 0.001
    clock.set_match(0)
    clock.set_left(0)  # there is no limit, so there is nothing left of it either
    assert clock.left is None


def test_an_ample_clock_spares_nothing_of_a_turn() -> None:
    """A match clock that has more for each move than the move may take is as good as none."""
    clock = Clock()
    clock.set_turn(1000)
    without = clock.share(0)
    for left in (30_000, 60_000, 1_000_000):
        clock.set_left(left)
        assert clock.share(0) == without and without[0].soft is None
    ample = allowance_of_go({"movetime": 100, "btime": 60_000}, "b", 0.0)
    assert ample == allowance_of_go({"movetime": 100}, "b", 0.0) == (0.1, None)


def test_where_the_turn_cuts_a_look_short_it_may_begin_later() -> None:
    """From half of what is meant for the move to all of it, the less of an extra there is."""
    meant = [allowance(30.0, 30, 3.0, most).soft for most in (9.0, 2.0, 1.5, 1.2, 1.001, 1.0)]
    assert meant == [0.5, 0.5, 0.75, pytest.approx(0.9), pytest.approx(0.9995), None]


@given(
    st.integers(0, 10**10) | st.none(), st.integers(0, 10**10) | st.none(), st.integers(-(10**6), 10**10),
    st.integers(0, 200), st.floats(0, 100),
)  # fmt: skip
def test_no_share_is_more_than_there_is(
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
def test_no_move_on_clocks_takes_all(left: int, gain: int, moves: int, most: int | None) -> None:
    numbers = {"wtime": left, "winc": gain, "movestogo": moves, "btime": 5, "binc": 5}
    found = allowance_of_go(numbers if most is None else {**numbers, "movetime": most}, "w", 0.002)
    assert found is not None and 0 < found.hard <= max(0.4 * max(left / 1000 - 0.002, 0.001), 0.001)
    assert found.soft is None or 0 <= found.soft <= found.hard
    assert most is None or found.hard <= max(most / 1000 - 0.002, 0.001)
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
    assert total < 20 + 200 * 0.001  # the least that a move takes


@pytest.mark.parametrize("game", ["renju", "ataxx"])
def test_no_look_is_begun_after_its_time(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes a second further with each look: six or seven begin within five and a half."""
    looks = 0
    monkeypatch.setattr(time, "perf_counter", lambda: float(looks))

    def listen(report: object) -> None:
        nonlocal looks
        looks += 1

    control = Control()
    if game == "renju":
        from hansu.games.renju.engine.searcher import RenjuSearcher as RenjuSearcher

        RenjuSearcher("renju", 15, 1).search([(112, 0)], 1, Limit(depth=8), control, listen, 5.5)
    else:
        from hansu.core import registry
        from hansu.games.ataxx.engine.searcher import AtaxxSearcher as AtaxxSearcher

        AtaxxSearcher(True, 1).search(registry.game("ataxx").first.state, Limit(depth=8), control, listen, 5.5)
    assert looks in (6, 7)
