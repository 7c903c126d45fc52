"""Elo difference and confidence interval of a match result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from hansu.arena.match import Tally
from hansu.core.message import Message

Z = 1.959964  # 95 %


def elo_of(score: float) -> float:
    """The Elo difference of a share of the points."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


@dataclass(frozen=True)
class Estimate:
    """A share of the points and its Elo difference, each with a 95 % interval."""

    score: float
    low: float
    high: float

    @property
    def elo(self) -> tuple[float, float, float]:
        return elo_of(self.score), elo_of(self.low), elo_of(self.high)

    @property
    def elo_text(self) -> Message:
        middle, low, high = map(_signed, self.elo)
        return Message("{middle} Elo (95 %: {low} to {high})", middle=middle, low=low, high=high)


def _signed(value: float) -> str:
    return ("+inf" if value > 0 else "-inf") if math.isinf(value) else f"{round(value):+d}"


def estimate(tally: Tally) -> Estimate:
    """The estimate from a tally. With enough pairs of games the interval comes from the pairs, because the two games of
    a pair are not independent. With few pairs, or if all pairs are equal, it is Wilson's interval over single games."""
    if tally.games == 0:
        return Estimate(0.5, 0.0, 1.0)
    return of_pairs(Counter(points / 2 for points in tally.pairs), tally.points / tally.games, tally.games)


def of_pairs(pairs: Mapping[float, int], score: float, games: int) -> Estimate:
    """As `estimate`, from the number of pairs with each share of the points."""
    n = sum(pairs.values())
    if n >= 8 and sum(count > 0 for count in pairs.values()) > 1:
        mean = sum(count * share for share, count in pairs.items()) / n
        spread = math.sqrt(sum(count * (share - mean) ** 2 for share, count in pairs.items()) / (n - 1) / n)
        return Estimate(score, max(score - Z * spread, 0.0), min(score + Z * spread, 1.0))
    return Estimate(score, *wilson(score, games))


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's score interval, which is valid even if every game was won."""
    center = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    low = 0.0 if share == 0 else max(center - half, 0.0)  # exact, in spite of rounding
    high = 1.0 if share == 1 else min(center + half, 1.0)
    return low, high
