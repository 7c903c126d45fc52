"""The sequential test: the ratio against a general optimizer, the error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from hansu.arena.sprt import EMPTY, RESULTS, Sprt, pair_estimate, share_of
from hansu.core import HansuError


def max_likelihood(counts: list[float], mean: float) -> float:
    """The maximum log likelihood of a distribution over the five results with this mean, by a general optimizer."""

    def loss(logits: np.ndarray) -> float:
        p = np.exp(logits - logits.max())
        p = np.maximum(p / p.sum(), 1e-300)
        return -float(np.array(counts) @ np.log(p))

    def mean_error(logits: np.ndarray) -> float:
        p = np.exp(logits - logits.max())
        return float(np.array(RESULTS) @ (p / p.sum())) - mean

    start = np.log(np.array(counts) / sum(counts))
    fit = minimize(
        loss,
        start,
        constraints={"type": "eq", "fun": mean_error},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert fit.success
    return -float(fit.fun)


@pytest.mark.parametrize("pairs", [[12, 30, 70, 41, 15], [3, 5, 9, 8, 12], [0, 10, 300, 14, 0]])
def test_the_ratio_is_that_of_the_maximum_likelihood_fits(pairs: list[int]) -> None:
    test = Sprt(0, 20)
    counts = [n or EMPTY for n in pairs]
    expected = max_likelihood(counts, share_of(20)) - max_likelihood(counts, share_of(0))
    assert test.ratio(pairs) == pytest.approx(expected, abs=2e-4)


def test_without_games_nothing_is_decided() -> None:
    assert Sprt().ratio([0] * 5) == 0 and Sprt().verdict([0] * 5) == ""
    assert pair_estimate([0] * 5).elo[1:] == (-math.inf, math.inf)


def test_the_bounds_are_those_of_wald() -> None:
    low, high = Sprt(alpha=0.05, beta=0.1).bounds
    assert (low, high) == (pytest.approx(math.log(0.1 / 0.95)), pytest.approx(math.log(0.9 / 0.05)))


@pytest.mark.parametrize("wrong", [{"elo0": 5, "elo1": 5}, {"elo0": 5, "elo1": 0}, {"alpha": 0.0}, {"beta": 0.7}])
def test_invalid_hypotheses(wrong: dict[str, float]) -> None:
    with pytest.raises(HansuError):
        Sprt(**wrong)


def tilted(base: list[float], mean: float) -> np.ndarray:
    """Probabilities like those of `base`, with this mean."""
    low, high = -50.0, 50.0
    for _ in range(200):
        slope = (low + high) / 2
        probabilities = np.array(base) * np.exp(slope * np.array(RESULTS))
        probabilities /= probabilities.sum()
        low, high = (slope, high) if probabilities @ np.array(RESULTS) < mean else (low, slope)
    return probabilities


def accepted(test: Sprt, probabilities: np.ndarray, trials: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of tests that accept H1, and the mean number of pairs until a decision."""
    count, length = 0, 0
    for _ in range(trials):
        pairs, verdict = [0] * 5, ""
        while not verdict:
            for result in rng.choice(5, size=4, p=probabilities):  # checked after every fourth pair
                pairs[result] += 1
            verdict = test.verdict(pairs)
        count += verdict == "H1"
        length += sum(pairs)
    return count / trials, length / trials


UNEVEN = [0.04, 0.10, 0.68, 0.12, 0.06]  # most openings are won for one side: the pair ends 1 to 1
EVEN = [0.15, 0.20, 0.30, 0.20, 0.15]


@pytest.mark.parametrize("base", [UNEVEN, EVEN], ids=["uneven", "even"])
def test_error_rates_are_within_their_bounds(base: list[float]) -> None:
    """300 tests with either hypothesis true: 5 % are 15 errors. More than 28 errors have a probability of one in a
    thousand, and the seed is fixed. The expected number of pairs is Wald's: the bound divided by the gain per pair."""
    test, rng = Sprt(0, 60), np.random.default_rng(1)
    for elo, wrong in ((0, lambda share: share), (60, lambda share: 1 - share)):
        probabilities = tilted(base, share_of(elo))
        share, length = accepted(test, probabilities, 300, rng)
        assert wrong(share) <= 28 / 300
        results = np.array(RESULTS)
        variance = float(probabilities @ results**2 - (probabilities @ results) ** 2)
        gain_per_pair = (share_of(60) - share_of(0)) ** 2 / (2 * variance)
        expected = 0.9 * test.bounds[1] / gain_per_pair
        assert 0.7 * expected < length < 1.5 * expected


def test_pairs_vary_less_than_single_games_on_uneven_openings() -> None:
    """The reason for pairs: with uneven openings their points vary far less than those of two independent games."""
    results, probabilities = np.array(RESULTS), tilted(UNEVEN, 0.5)
    variance_of_pair = float(probabilities @ (results - 0.5) ** 2)
    variance_of_two_games = 0.25 / 2
    assert variance_of_pair < 0.4 * variance_of_two_games
