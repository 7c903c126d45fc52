"""Maximum-likelihood ratings of players, from all their games at once, with 95 % intervals.

With ratings r and an advantage h of the first seat, the expected share of the points that i (first) takes from j is
Elo's,

    E = 1 / (1 + exp(-(r_i - r_j + h)))

A weight v of draws, equal for all players, splits E into wins, draws and losses, as in Davidson (1970):

    win : draw : loss  =  y : v : 1 / y        with the y > 0 that yields E

So a rating has its usual meaning for any share of draws, and ratings and draws are estimated independently (the Fisher
information between them is zero). A wide normal prior (`PRIOR` Elo) keeps the ratings finite: a player that has won
every game is not infinitely strong. If only the prior bounds an end of an interval, that end is infinite.

Intervals are profile likelihood intervals: all values that a likelihood ratio test at 95 % does not reject, with the
other parameters fitted. Narrow intervals, where the log likelihood is nearly a parabola, come from its curvature.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

Array = Any  # float64
P = TypeVar("P", bound=Hashable)

ELO = 400 / math.log(10)
PRIOR = 1500.0  # Elo, standard deviation
Z = 1.959964  # 95 %
NARROW = 60.0  # Elo; up to this half width, curvature and likelihood ratio agree within 2 Elo
MANY = 30  # players; above, where the ratio is slow, twice that half width, within 5 Elo
FEW = 50  # decided games; below, curvature is never used
HEIGHT = Z * Z / 2
STEPS = 60
FAR = 60.0  # exp(-x) is negligible
EXACT = 1e-8  # tolerance of a log likelihood


@dataclass(frozen=True)
class Estimated:
    """A number with its 95 % interval; an end is infinite if the games do not bound it."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.0f} (95 %: {_signed(self.low)} to {_signed(self.high)})"


@dataclass(frozen=True)
class Ratings(Generic[P]):
    """The ratings of players."""

    players: tuple[P, ...]
    elo: dict[P, Estimated]
    groups: tuple[tuple[P, ...], ...]  # players connected by games; ratings compare only within a group
    advantage: Estimated  # of the first seat, in Elo
    draws: float  # the share of drawn games between equals
    _fit: _Fit

    def likely_better(self, a: P, b: P) -> float | None:
        """The probability, 0 to 1, that `a` is stronger than `b`; None if no games connect them."""
        if not any(a in group and b in group for group in self.groups):
            return None
        i, j = self.players.index(a), self.players.index(b)
        contrast = np.zeros((1, len(self.players) + 2))
        contrast[0, i] += 1
        contrast[0, j] -= 1
        if i == j:
            return 0.5
        distance = float((contrast @ self._fit.top)[0])
        _, height = self._fit.at(contrast, np.zeros(1))
        root = math.copysign(math.sqrt(max(2 * (self._fit.height - float(height[0])), 0.0)), distance)
        return (1 + math.erf(root / math.sqrt(2))) / 2


def rate(counts: Mapping[tuple[P, P], Sequence[int]], anchor: P | None = None, anchored_at: float = 0.0) -> Ratings[P]:
    """Ratings from the games won, drawn and lost by the first of each pair of players. The mean rating of each group is
    zero. The mean only covers players who have taken points from each other, directly or indirectly: a player that
    lost every game may be infinitely weak, and must not make the other ratings uncertain. With an anchor, that player
    has the rating `anchored_at`, and the intervals are those of the distance to it.

    >>> ratings = rate({("a", "b"): (12, 4, 4), ("b", "a"): (6, 4, 10)})
    >>> {name: round(rating.value) for name, rating in ratings.elo.items()}
    {'a': 54, 'b': -54}
    >>> round(ratings.likely_better("a", "b"), 2)
    0.98
    """
    players = tuple(dict.fromkeys(player for pair in counts for player in pair))
    number = {player: i for i, player in enumerate(players)}
    results = np.zeros((3, len(players), len(players)))
    for (first, second), row in counts.items():
        if first != second:
            results[:, number[first], number[second]] += row
    fit = _Fit(results)
    groups = _groups(results.sum(axis=0))
    k = len(players)
    contrasts = np.zeros((k + 1, k + 2))
    offset = np.zeros(k + 1)
    for group in groups:
        core = _mutual(group, results)
        for i in group:
            contrasts[i, i] += 1
            if anchor is not None and anchor in number and number[anchor] in group:
                contrasts[i, number[anchor]] -= 1
                offset[i] = anchored_at
            else:
                contrasts[i, core] -= 1 / len(core)
    contrasts[k, k] = 1  # the first seat's advantage
    weight = math.exp(fit.top[-1])
    middle, low, high = (offset + ELO * each for each in fit.intervals(contrasts))
    estimates = [Estimated(float(m), float(lo), float(hi)) for m, lo, hi in zip(middle, low, high, strict=True)]
    return Ratings(
        players, dict(zip(players, estimates, strict=False)),
        tuple(tuple(players[i] for i in group) for group in groups), estimates[k], weight / (2 + weight), fit,
    )  # fmt: skip


class _Fit:
    """The maximum of the log likelihood, and its profile with one contrast held fixed. Points are rows of parameters,
    float64 of shape (points, players + 2): (r.., h, log v), all but the last in units of `ELO`."""

    def __init__(self, results: Array) -> None:
        self._won, self._drawn, self._lost = results  # [first, second] each
        self._played = results.sum(axis=0)
        self._k = results.shape[1]
        self._tau = (ELO / PRIOR) ** 2
        top, height = self._climb(np.zeros((1, self._k + 2)), None)
        self.top, self.height = top[0], float(height[0])
        self.information = self._slopes(top)[1][0]

    def _chances(self, points: Array) -> tuple[Array, Array, Array, Array, Array]:
        """For each point and each pair by seat: log y, the log of the sum, the probabilities of win, draw and loss."""
        r, h, log_v = points[:, : self._k], points[:, self._k, None, None], points[:, self._k + 1, None, None]
        distance = r[:, :, None] - r[:, None, :] + h
        less = 1 / (1 + np.exp(np.minimum(np.abs(distance), FAR)))  # expected share of the weaker player
        ahead = np.exp(np.minimum(log_v, FAR)) * (0.5 - less)
        y = (ahead + np.sqrt(ahead**2 + 4 * less * (1 - less))) / (2 * less)
        x = np.copysign(np.log(y), distance)
        most = np.maximum(np.abs(x), log_v)
        win, draw, loss = np.exp(x - most), np.exp(log_v - most), np.exp(-x - most)
        total = win + draw + loss
        return x, most + np.log(total), win / total, draw / total, loss / total

    def _games(self, points: Array) -> Array:
        """The log likelihood of the games alone."""
        x, log_total, *_ = self._chances(points)
        each = (self._won - self._lost) * x + self._drawn * points[:, -1, None, None] - self._played * log_total
        return each.sum(axis=(1, 2))

    def _height(self, points: Array) -> Array:
        return self._games(points) - self._tau / 2 * (points**2).sum(axis=1)

    def _slopes(self, points: Array) -> tuple[Array, Array]:
        """The gradient of the log posterior, and its information: Fisher's of the games plus the prior's."""
        k, every = self._k, np.arange(self._k + 2)
        _, _, win, draw, loss = self._chances(points)
        n, lead = self._played, win - loss
        spread = np.maximum(win + loss - lead**2, 1e-300)  # variance of a result in {1, 0, -1}
        more = (self._won - self._lost) - n * lead  # points above expectation
        pull = (1 - lead**2) / (2 * spread)  # derivative of log y by the distance
        up, bend = pull * more, n * pull**2 * spread
        gradient = np.zeros_like(points)
        gradient[:, :k] = up.sum(axis=2) - up.sum(axis=1)
        gradient[:, k] = up.sum(axis=(1, 2))
        gradient[:, k + 1] = (self._drawn - n * draw + more * lead * draw / spread).sum(axis=(1, 2))
        information = np.zeros((len(points), k + 2, k + 2))
        information[:, :k, :k] = -bend - bend.transpose(0, 2, 1)
        information[:, every[:k], every[:k]] += bend.sum(axis=2) + bend.sum(axis=1)
        information[:, :k, k] = information[:, k, :k] = bend.sum(axis=2) - bend.sum(axis=1)
        information[:, k, k] = bend.sum(axis=(1, 2))
        information[:, k + 1, k + 1] = (n * np.maximum(draw * (1 - draw) - (lead * draw) ** 2 / spread, 0.0)).sum(
            axis=(1, 2)
        )
        information[:, every, every] += self._tau
        return gradient - self._tau * points, information

    def _climb(self, points: Array, contrasts: Array | None) -> tuple[Array, Array]:
        """Fisher scoring from each point to its maximum, in the plane in which its contrast is constant. Steps that
        lead down are halved."""
        height = self._height(points)
        for _ in range(STEPS):
            gradient, information = self._slopes(points)
            if contrasts is None:
                step = np.linalg.solve(information, gradient[..., None])[..., 0]
            else:
                both = np.linalg.solve(information, np.stack([gradient, contrasts], axis=-1))
                free, held = both[..., 0], both[..., 1]
                pull = (contrasts * free).sum(axis=1) / (contrasts * held).sum(axis=1)
                step = free - pull[:, None] * held
            if (gradient * step).sum(axis=1).max(initial=0.0) < EXACT:
                break
            for _ in range(STEPS):
                reached = self._height(points + step)
                down = ~(reached >= height)
                if not down.any():
                    break
                step[down] /= 2
            points, height = points + step, np.maximum(height, reached)
        return points, height

    def at(self, contrasts: Array, values: Array, near: Array | None = None) -> tuple[Array, Array]:
        """The best point and its log posterior, with each contrast (a row) fixed to its value."""
        points = np.broadcast_to(self.top, contrasts.shape) if near is None else near
        held = np.linalg.solve(self.information, contrasts.T).T
        shift = (values - (contrasts * points).sum(axis=1)) / (contrasts * held).sum(axis=1)
        return self._climb(points + shift[:, None] * held, contrasts)

    def intervals(self, contrasts: Array) -> tuple[Array, Array, Array]:
        """Estimate, lower and upper end of each contrast."""
        middle = contrasts @ self.top
        held = np.linalg.solve(self.information, contrasts.T).T
        half = Z * np.sqrt(np.maximum((contrasts * held).sum(axis=1), 0.0))
        ends = [middle - half, middle + half]
        decided = float((self._won + self._lost).sum())
        narrow = NARROW * (2 if self._k > MANY else 1)
        wide = np.flatnonzero((half > 0) & ((half * ELO > narrow) | (decided < FEW)))  # an anchor has width 0
        if len(wide):
            for end, sign in zip(ends, (-1, 1), strict=True):
                end[wide] = self._end(contrasts[wide], middle[wide], sign * half[wide])
        return middle, *ends

    def _end(self, contrasts: Array, middle: Array, distance: Array) -> Array:
        """The distance at which the log posterior has fallen by the 95 % threshold. The square root of the fall grows
        roughly linearly with the distance, so the search extrapolates, and interpolates once the distance is bracketed
        by one that is too short and one that is too long (each stored with its root)."""
        sign, far = np.sign(distance), np.abs(distance)
        little, much = np.zeros((2, len(far))), np.full((2, len(far)), np.inf)
        points = None
        for step in range(STEPS):
            points, height = self.at(contrasts, middle + sign * far, points)
            root = np.sqrt(np.maximum(2 * (self.height - height), 1e-12))
            if np.abs(root - Z).max() < 1e-3:
                break
            known, short = np.stack([far, root]), root < Z
            little, much = np.where(short, known, little), np.where(short, much, known)
            open_ended = np.isinf(much[0])
            with np.errstate(invalid="ignore"):
                share = (Z - little[1]) / (much[1] - little[1]) if step % 3 else 0.5
                far = np.where(open_ended, far * np.clip(Z / root, 1.1, 4.0), little[0] + share * (much[0] - little[0]))
        assert points is not None
        bounded = self._games(self.top[None])[0] - self._games(points) > HEIGHT / 2
        return np.where(bounded, middle + sign * far, sign * np.inf)


def _groups(played: Array) -> list[list[int]]:
    """The groups of players connected by games."""
    left = set(range(len(played)))
    met = (played + played.T) > 0
    groups = []
    while left:
        group, new = set(), {min(left)}
        while new:
            group |= new
            new = {int(j) for i in new for j in np.flatnonzero(met[i])} - group
        groups.append(sorted(group))
        left -= group
    return groups


def _mutual(group: list[int], results: Array) -> list[int]:
    """The largest subset of a group in which each player has taken points from each other, directly or indirectly; the
    whole group if there is no such pair."""
    won, drawn, lost = results
    reach = (won + drawn + drawn.T + lost.T) > 0  # [i, j]: i has taken points from j
    np.fill_diagonal(reach, True)
    for _ in range(max(len(group), 1).bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    best = max(([j for j in group if reach[i, j] and reach[j, i]] for i in group), key=len)
    return best if len(best) > 1 else group


def _signed(value: float) -> str:
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:+.0f}"
