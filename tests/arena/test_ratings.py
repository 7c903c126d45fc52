"""Ratings: published numbers, another implementation, and intervals that cover what they claim."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy.optimize import minimize

from hansu.arena.ratings import ELO, Estimated, rate
from hansu.arena.standings import Standings

Counts = Mapping[tuple[int, int], Sequence[int]]

# The 1987 season of seven teams of the American League, home team in the row: Agresti, Categorical Data Analysis
# (2002), table 10.10; the abilities and the home advantage are those of his table 10.11.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
SEASON = """
 -  4-3 4-2 4-3 6-1 4-2 6-0
3-3  -  4-2 4-3 6-0 6-1 4-3
2-5 4-3  -  2-4 4-3 4-2 6-0
3-3 5-1 2-5  -  4-3 4-2 6-1
5-1 2-5 3-3 4-2  -  5-2 6-0
2-5 3-3 3-4 4-3 4-2  -  2-4
2-5 1-5 1-6 2-4 1-6 3-4  -
"""
ABILITIES = (0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044)
HOME = 0.302


def season() -> dict[tuple[str, str], tuple[int, int, int]]:
    counts = {}
    for home, line in zip(TEAMS, SEASON.split("\n")[1:], strict=False):
        for away, result in zip(TEAMS, line.split(), strict=True):
            if result != "-":
                won, lost = map(int, result.split("-"))
                counts[home, away] = (won, 0, lost)
    return counts


def test_the_published_season() -> None:
    ratings = rate(season())
    strengths = {team: math.exp(ratings.elo[team].value / ELO) for team in TEAMS}
    shares = [strengths[team] / sum(strengths.values()) for team in TEAMS]
    assert shares == pytest.approx(ABILITIES, abs=0.0006)
    assert ratings.advantage.value / ELO == pytest.approx(HOME, abs=0.0006)


def shares_of(distance: float, v: float) -> tuple[float, float, float]:
    """Win, draw, loss by the definition: the y whose points are Elo's, found by halving."""
    wanted, low, high = 1 / (1 + math.exp(-distance)), 1e-12, 1e12
    for _ in range(200):
        y = math.sqrt(low * high)
        points = (y + v / 2) / (y + v + 1 / y)
        low, high = (y, high) if points < wanted else (low, y)
    total = y + v + 1 / y
    return y / total, v / total, 1 / y / total


def plain_fit(counts: Counts, k: int) -> tuple[list[float], float]:
    """The same likelihood, without a prior, climbed by somebody else's optimiser: strengths (mean zero), advantage."""

    def fall(point: Sequence[float]) -> float:
        ratings, h, v = [0.0, *point[: k - 1]], point[k - 1], math.exp(point[k])
        total = 0.0
        for (i, j), row in counts.items():
            chances = shares_of(ratings[i] - ratings[j] + h, v)
            total -= sum(n * math.log(p) for n, p in zip(row, chances, strict=True) if n)
        return total

    found = minimize(fall, np.zeros(k + 1), method="BFGS", options={"gtol": 1e-6})
    ratings = np.array([0.0, *found.x[: k - 1]])
    return list(ratings - ratings.mean()), float(found.x[k - 1])


def drawn(
    rng: np.random.Generator, truth: Sequence[float], h: float, v: float, games: int
) -> dict[tuple[int, int], tuple[int, ...]]:
    """Results of a tournament in which every pair plays so many games from each seat."""
    counts = {}
    for i, j in itertools.permutations(range(len(truth)), 2):
        counts[i, j] = tuple(int(n) for n in rng.multinomial(games, shares_of(truth[i] - truth[j] + h, v)))
    return counts


@pytest.mark.parametrize("v", [0.02, 0.7, 6.0])
def test_another_optimiser_agrees(v: float) -> None:
    counts = drawn(np.random.default_rng(7), [0.8, 0.1, -0.2, -0.7], 0.3, v, 40)
    expected, advantage = plain_fit(counts, 4)
    ratings = rate(counts)
    # The prior (1,500 Elo wide) pulls by a trifle.
    assert [ratings.elo[i].value / ELO for i in range(4)] == pytest.approx(expected, abs=0.004)
    assert ratings.advantage.value / ELO == pytest.approx(advantage, abs=0.004)


def test_without_draws_or_seats_it_is_plain_bradley_terry() -> None:
    """Zermelo's iteration (1929): strength = points / sum of games / (sum of both strengths)."""
    wins = np.array([[0, 14, 17], [6, 0, 12], [3, 8, 0]])
    strength = np.ones(3)
    for _ in range(10_000):
        games = wins + wins.T
        strength = wins.sum(axis=1) / (games / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    counts = {}
    for i, j in itertools.combinations(range(3), 2):  # the same games from both seats: no advantage
        counts[i, j] = (int(wins[i, j]), 0, int(wins[j, i]))
        counts[j, i] = (int(wins[j, i]), 0, int(wins[i, j]))
    ratings = rate(counts)
    assert [ratings.elo[i].value / ELO for i in range(3)] == pytest.approx(list(np.log(strength)), abs=0.003)
    assert ratings.advantage.value == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("v", "games", "trials"), [(0.05, 12, 250), (2.0, 10, 250)])
def test_intervals_cover_what_they_claim(v: float, games: int, trials: int) -> None:
    """95 %: of 4 x 250 intervals about 950 should hold the truth. The seed is fixed, so this cannot flake; a fifth of
    the width too little or too much would show (88 % or 98 %)."""
    truth = [0.7, 0.2, -0.1, -0.8]
    rng = np.random.default_rng(11)
    held = sure = 0
    for _ in range(trials):
        ratings = rate(drawn(rng, truth, 0.2, v, games))
        for i, t in enumerate(truth):
            held += ratings.elo[i].low <= t * ELO <= ratings.elo[i].high
        better = ratings.likely_better(1, 2)
        assert better is not None
        sure += better > 0.95
    assert 0.925 < held / (4 * trials) < 0.972
    assert sure / trials > 0.05  # 0.3 stronger: found out more often than by chance


def test_curvature_and_likelihood_ratio_agree_where_curvature_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = drawn(np.random.default_rng(3), [0.6, 0.0, -0.6], 0.1, 0.5, 200)
    by_curvature = rate(counts)
    monkeypatch.setattr("hansu.arena.ratings.NARROW", 0.0)
    by_ratio = rate(counts)
    for i in range(3):
        a, b = by_curvature.elo[i], by_ratio.elo[i]
        assert (a.low, a.high) != (b.low, b.high)
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=0.5)


@pytest.mark.parametrize("games", [3, 20])
def test_an_anchor_moves_everybody_and_has_no_width(games: int) -> None:
    counts = drawn(np.random.default_rng(5), [0.5, 0.0, -0.5], 0.0, 1.0, games)
    free, held = rate(counts), rate(counts, anchor=2, anchored_at=1000)
    assert held.elo[2] == Estimated(1000, 1000, 1000)
    assert held.elo[0].value - held.elo[1].value == pytest.approx(free.elo[0].value - free.elo[1].value)
    assert held.elo[0].high - held.elo[0].low > free.elo[0].high - free.elo[0].low


def test_who_wins_everything_has_no_upper_end() -> None:
    ratings = rate({("a", "b"): (10, 0, 0), ("b", "a"): (0, 0, 10)})
    best = ratings.elo["a"]
    assert best.high == math.inf and ratings.elo["b"].low == -math.inf
    # 20 of 20: at 95 % the likelihood ratio allows a share down to exp(-1.92 / 20) = 0.908, 399 Elo of difference.
    assert best.low == pytest.approx(399 / 2, abs=3)
    better = ratings.likely_better("a", "b")
    assert better is not None and better > 0.9999


def test_what_games_do_not_say_is_not_told() -> None:
    """Without a draw there is only the prior of draws, and who wins from both seats says nothing of the seat."""

    def told(counts: dict[tuple[int, int], tuple[int, int, int]]) -> str:
        return str(Standings((), rate(counts), counts).seat_summary)

    unknown, none = "what the first seat is worth these games do not say", "none was drawn"
    assert told({(0, 1): (10, 0, 0), (1, 0): (0, 0, 10)}) == f"{unknown}; {none}"
    some = told({(0, 1): (10, 6, 8), (1, 0): (9, 6, 9)})
    assert "the first seat is worth +" in some and "of the games between equals are drawn" in some
    even = told({(0, 1): (8, 0, 8), (1, 0): (8, 0, 8)})
    assert even.startswith("the first seat is worth +0 Elo (95 %: -") and even.endswith(none)


def test_who_lost_everything_makes_nobody_else_uncertain() -> None:
    among = {("a", "b"): (6, 0, 4), ("b", "a"): (5, 0, 5)}
    alone = rate(among)
    ratings = rate({**among, ("a", "z"): (10, 0, 0), ("z", "b"): (0, 0, 10)})
    assert ratings.elo["z"].low == -math.inf
    for name in "ab":
        assert ratings.elo[name].low == pytest.approx(alone.elo[name].low, abs=1)
        assert ratings.elo[name].high == pytest.approx(alone.elo[name].high, abs=1)


def test_only_draws_say_that_they_are_close() -> None:
    few, many = (rate({("a", "b"): (0, n, 0), ("b", "a"): (0, n, 0)}) for n in (5, 50))
    assert few.elo["a"].value == pytest.approx(0, abs=1e-6)
    assert many.elo["a"].high < few.elo["a"].high < 60
    assert many.draws > 0.99


def test_where_the_seat_decides_nobody_is_better() -> None:
    ratings = rate({("a", "b"): (10, 0, 0), ("b", "a"): (10, 0, 0)})
    assert ratings.elo["a"].value == pytest.approx(0, abs=1e-6)
    assert ratings.advantage.low > 300 and ratings.advantage.high == math.inf


def test_strangers_are_not_compared() -> None:
    ratings = rate({("a", "b"): (3, 1, 2), ("c", "d"): (1, 1, 1)})
    assert ratings.groups == (("a", "b"), ("c", "d"))
    assert ratings.likely_better("a", "c") is None and ratings.likely_better("a", "b") is not None


def test_nothing_and_one_game() -> None:
    assert rate({}).elo == {}
    one = rate({("a", "b"): (1, 0, 0)}).elo["a"]
    assert (one.low, one.high) == (-math.inf, math.inf)


def test_many_players_are_rated_at_once() -> None:
    """A hundred players with two games for each pair, one from each seat: order found, no end missing."""
    truth = list(np.linspace(-2, 2, 100))
    ratings = rate(drawn(np.random.default_rng(1), truth, 0.1, 0.3, 1))
    found = [ratings.elo[i].value for i in range(100)]
    assert float(np.corrcoef(truth, found)[0, 1]) > 0.98
    assert all(math.isfinite(r.low) and math.isfinite(r.high) for r in ratings.elo.values())
