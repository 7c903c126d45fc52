"""Sequential probability ratio test: is a new player stronger than the old one by a given Elo difference?

Wald's test of  H0: the difference is elo0  against  H1: it is elo1. The unit is a pair of games, the same opening from
both seats, because the two results are not independent. A pair has 0, 1/2, 1, 3/2 or 2 points (pentanomial model).
After every pair, a maximum-likelihood distribution over the five results is fitted for each hypothesis, with the mean
that belongs to its Elo. The test stops when their log likelihood ratio (the generalised LLR) leaves the interval
(log b/(1-a), log (1-b)/a). This bounds the error probabilities by a and b.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansu.arena.elo import Estimate, of_pairs
from hansu.core.errors import HansuError

EMPTY = 1e-3  # count of a result that never occurred, so that a few pairs rule out no distribution
RESULTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the points


def share_of(elo: float) -> float:
    """The expected share of the points at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses and their error probabilities.

    >>> test = Sprt(0, 10)
    >>> [round(bound, 3) for bound in test.bounds]
    [-2.944, 2.944]
    >>> test.verdict([60, 100, 200, 120, 120])
    'H1'
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise HansuError(
                "elo0 = {elo0:g} must be less than elo1 = {elo1:g}",
                "--elo0 0 --elo1 10 tests whether the new player is 10 Elo stronger, or not stronger",
                elo0=self.elo0,
                elo1=self.elo1,
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise HansuError("alpha and beta must be between 0 and 0.5", "0.05 is usual")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[int]) -> float:
        """The log likelihood ratio of H1 to H0, given the numbers of pairs with 0, 1/2, 1, 3/2 and 2 points."""
        if not any(pairs):
            return 0.0
        weights = [count or EMPTY for count in pairs]
        low, high = _fitted(weights, share_of(self.elo0)), _fitted(weights, share_of(self.elo1))
        return sum(n * math.log(b / a) for n, a, b in zip(weights, low, high, strict=True))

    def verdict(self, pairs: Sequence[int]) -> str:
        """`H1`: better by elo1; `H0`: not better than elo0; empty: undecided."""
        ratio, (low, high) = self.ratio(pairs), self.bounds
        return "H1" if ratio >= high else "H0" if ratio <= low else ""

    def as_json(self, pairs: Sequence[int]) -> dict[str, Any]:
        middle, end, other_end = pair_estimate(pairs).elo
        low, high = self.bounds
        return {
            "elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta, "pairs": list(pairs),
            "llr": round(self.ratio(pairs), 4), "bounds": [round(low, 4), round(high, 4)],
            "verdict": self.verdict(pairs) or None, "elo": _finite(middle),
            "interval": [_finite(end), _finite(other_end)],
        }  # fmt: skip


def _fitted(weights: Sequence[float], mean: float) -> list[float]:
    """The maximum-likelihood probabilities of the five results among distributions with this mean. They are
    n / (1 + x (a - mean)), with the x that fits the mean, found by bisection."""
    total = sum(weights)
    shares = [n / total for n in weights]
    low, high = -1 / (RESULTS[-1] - mean), 1 / (mean - RESULTS[0])
    for _ in range(100):
        x = (low + high) / 2
        slope = sum(p * (a - mean) / (1 + x * (a - mean)) for p, a in zip(shares, RESULTS, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    return [p / (1 + x * (a - mean)) for p, a in zip(shares, RESULTS, strict=True)]


def pair_estimate(pairs: Sequence[int]) -> Estimate:
    """The Elo difference and its 95 % interval, from pairs of games. (After a test that stopped early the estimate is
    slightly biased away from zero, because extreme results stop the test.)"""
    n = sum(pairs)
    if n == 0:
        return Estimate(0.5, 0.0, 1.0)
    counts = dict(zip(RESULTS, pairs, strict=True))
    return of_pairs(counts, sum(share * count for share, count in counts.items()) / n, 2 * n)


def _finite(value: float) -> float | None:
    return None if math.isinf(value) else round(value, 2)
