"""A test that stops by itself: is a new player better than the old one by so many Elo?

Wald's sequential test of  H0: the difference is elo0  against  H1: it is elo1. The unit is a pair of games, the same
opening from both seats, because its two results depend on each other: 0, 1/2, 1, 3/2 or 2 points, a "pentanomial".
After every pair the log likelihood ratio is that of the best fitting distributions over the five whose means are those
that elo0 and elo1 stand for (the generalised ratio); the test stops where it leaves (log b/(1-a), log (1-b)/a), which
bounds the chance of accepting the wrong one by a and b.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansu.arena.elo import Estimate, of_pairs
from hansu.core.errors import HansuError

NONE = 1e-3  # what an empty place counts as, so that no distribution is ruled out by a few pairs
PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the points


def share_of(elo: float) -> float:
    """The share of the points that an Elo difference stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses and the errors that are allowed.

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
                "--elo0 0 --elo1 10 asks whether it is 10 Elo better, or no better",
                elo0=self.elo0,
                elo1=self.elo1,
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise HansuError("the errors that are allowed must lie between 0 and 0.5", "0.05 is usual")

    @property
    def bounds(self) -> tuple[float, float]:
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[int]) -> float:
        """The log likelihood ratio of H1 to H0 after so many pairs with 0, 1/2, 1, 3/2 and 2 points."""
        if not any(pairs):
            return 0.0
        weights = [count or NONE for count in pairs]
        low, high = _fitted(weights, share_of(self.elo0)), _fitted(weights, share_of(self.elo1))
        return sum(n * math.log(b / a) for n, a, b in zip(weights, low, high, strict=True))

    def verdict(self, pairs: Sequence[int]) -> str:
        """`H1`: better by elo1; `H0`: not better than elo0; empty: not known yet."""
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
    """The likeliest chances of the five places, given their counts, among those with this mean: n / (1 + x (a - mean))
    for the x that makes the mean right, which is found by halving."""
    total = sum(weights)
    shares = [n / total for n in weights]
    low, high = -1 / (PLACES[-1] - mean), 1 / (mean - PLACES[0])
    for _ in range(100):
        x = (low + high) / 2
        slope = sum(p * (a - mean) / (1 + x * (a - mean)) for p, a in zip(shares, PLACES, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    return [p / (1 + x * (a - mean)) for p, a in zip(shares, PLACES, strict=True)]


def pair_estimate(pairs: Sequence[int]) -> Estimate:
    """The Elo difference and its 95 % interval, from pairs of games. (Of a test that has stopped itself, the middle is
    a little too far out: it stopped because it was far out.)"""
    n = sum(pairs)
    if n == 0:
        return Estimate(0.5, 0.0, 1.0)
    counts = dict(zip(PLACES, pairs, strict=True))
    return of_pairs(counts, sum(share * count for share, count in counts.items()) / n, 2 * n)


def _finite(value: float) -> float | None:
    return None if math.isinf(value) else round(value, 2)
