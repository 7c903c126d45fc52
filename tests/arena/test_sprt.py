"""The sequential test: its numbers against another way to them, its error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from hansu.arena.sprt import NONE, PLACES, Sprt, pair_estimate, share_of
from hansu.core import HansuError


def likeliest(counts: list[float], mean: float) -> float:
    """The greatest log likelihood of a distribution over the five places with this mean, by a general optimiser."""

    def fall(logits: np.ndarray) -> float:
        p = np.exp(logits - logits.max())
        p = np.maximum(p / p.sum(), 1e-300)
        return -float(np.array(counts) @ np.log(p))

    def off(logits: np.ndarray) -> float:
        p = np.exp(logits - logits.max())
        return float(np.array(PLACES) @ (p / p.sum())) - mean

    start = np.log(np.array(counts) / sum(counts))
    found = minimize(
        fall, start, constraints={"type": "eq", "fun": off}, method="SLSQP", options={"ftol": 1e-13, "maxiter": 500}
    )
    assert found.success
    return -float(found.fun)


@pytest.mark.parametrize("pairs", [[12, 30, 70, 41, 15], [3, 5, 9, 8, 12], [0, 10, 300, 14, 0]])
def test_the_ratio_is_that_of_the_best_fits(pairs: list[int]) -> None:
    test = Sprt(0, 20)
    counts = [n or NONE for n in pairs]
    expected = likeliest(counts, share_of(20)) - likeliest(counts, share_of(0))
    assert test.ratio(pairs) == pytest.approx(expected, abs=2e-4)


def test_nothing_played_says_nothing() -> None:
    assert Sprt().ratio([0] * 5) == 0 and Sprt().verdict([0] * 5) == ""
    assert pair_estimate([0] * 5).elo[1:] == (-math.inf, math.inf)


def test_the_bounds_are_walds() -> None:
    low, high = Sprt(alpha=0.05, beta=0.1).bounds
    assert (low, high) == (pytest.approx(math.log(0.1 / 0.95)), pytest.approx(math.log(0.9 / 0.05)))


@pytest.mark.parametrize("wrong", [{"elo0": 5, "elo1": 5}, {"elo0": 5, "elo1": 0}, {"alpha": 0.0}, {"beta": 0.7}])
def test_hypotheses_that_make_no_test(wrong: dict[str, float]) -> None:
    with pytest.raises(HansuError):
        Sprt(**wrong)


def tilted(base: list[float], mean: float) -> np.ndarray:
    """Chances like those of `base`, with this mean."""
    low, high = -50.0, 50.0
    for _ in range(200):
        slope = (low + high) / 2
        chances = np.array(base) * np.exp(slope * np.array(PLACES))
        chances /= chances.sum()
        low, high = (slope, high) if chances @ np.array(PLACES) < mean else (low, slope)
    return chances


def accepted(test: Sprt, chances: np.ndarray, trials: int, rng: np.random.Generator) -> tuple[float, float]:
    """How often H1 is accepted, and the mean number of pairs that it takes to know."""
    count, length = 0, 0
    for _ in range(trials):
        pairs, verdict = [0] * 5, ""
        while not verdict:
            for place in rng.choice(5, size=4, p=chances):  # looked at after every fourth pair
                pairs[place] += 1
            verdict = test.verdict(pairs)
        count += verdict == "H1"
        length += sum(pairs)
    return count / trials, length / trials


UNEVEN = [0.04, 0.10, 0.68, 0.12, 0.06]  # most openings are won from one side: the pair is 1 to 1
EVEN = [0.15, 0.20, 0.30, 0.20, 0.15]


@pytest.mark.parametrize("base", [UNEVEN, EVEN], ids=["uneven", "even"])
def test_errors_are_as_rare_as_they_should_be(base: list[float]) -> None:
    """300 tests with either hypothesis true: 5 % are 15 wrong ones. More than 28 come once in a thousand times, and the
    seed is fixed. The number of pairs is Wald's: what the ratio must gain over what a pair gives it."""
    test, rng = Sprt(0, 60), np.random.default_rng(1)
    for elo, wrong in ((0, lambda share: share), (60, lambda share: 1 - share)):
        chances = tilted(base, share_of(elo))
        share, length = accepted(test, chances, 300, rng)
        assert wrong(share) <= 28 / 300
        places = np.array(PLACES)
        variance = float(chances @ places**2 - (chances @ places) ** 2)
        a_pair_gives = (share_of(60) - share_of(0)) ** 2 / (2 * variance)
        expected = 0.9 * test.bounds[1] / a_pair_gives
        assert 0.7 * expected < length < 1.5 * expected


def test_single_games_of_uneven_openings_would_mislead() -> None:
    """Why pairs: with uneven openings a pair's points spread far less than those of two independent games."""
    places, chances = np.array(PLACES), tilted(UNEVEN, 0.5)
    of_a_pair = float(chances @ (places - 0.5) ** 2)
    of_two_decided_games = 0.25 / 2
    assert of_a_pair < 0.4 * of_two_decided_games
