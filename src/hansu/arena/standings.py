"""The standings of an event or a store: points, ratings, results by seat, and the probability that one is stronger."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansu.arena.contestant import Contestant
from hansu.arena.ratings import Estimated, Ratings, rate
from hansu.arena.store import StoredGame
from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.options import did_you_mean

Row = tuple[int, int, int]  # won, drawn, lost


@dataclass(frozen=True)
class Standing:
    """One row of the table."""

    player: int
    name: str
    rating: Estimated
    as_first: Row
    as_second: Row
    faults: int
    ahead: float | None  # probability that it is stronger than the next one

    @property
    def row(self) -> Row:
        (a, b, c), (d, e, f) = self.as_first, self.as_second
        return a + d, b + e, c + f

    @property
    def games(self) -> int:
        return sum(self.row)

    @property
    def points(self) -> float:
        return points(self.row)


@dataclass(frozen=True)
class Standings:
    """All players of a set of games, the strongest first."""

    rows: tuple[Standing, ...]
    ratings: Ratings[int]
    counts: Mapping[
        tuple[int, int], Sequence[int]
    ]  # by pair (first seat, second seat): games won, drawn and lost by the first seat

    @property
    def games(self) -> int:
        return sum(sum(row) for row in self.counts.values())

    def between(self, a: int, b: int) -> Row:
        """Games won, drawn and lost by `a` against `b`, from both seats."""
        won, drawn, lost = self.counts.get((a, b), (0, 0, 0))
        lost_too, drawn_too, won_too = self.counts.get((b, a), (0, 0, 0))
        return won + won_too, drawn + drawn_too, lost + lost_too

    @property
    def seat_summary(self) -> Message:
        """The advantage of the first seat and the share of draws, as far as the games allow an estimate."""
        seat, drawn = self.ratings.advantage, sum(row[1] for row in self.counts.values())
        advantage = draws = None
        if math.isfinite(seat.low) and math.isfinite(seat.high):
            advantage = Message(
                "the first seat has an advantage of {elo:+d} Elo (95 %: {low:+d} to {high:+d})",
                elo=round(seat.value), low=round(seat.low), high=round(seat.high),
            )  # fmt: skip
        if drawn:
            draws = Message("{draws:.0%} of the games between equal players are drawn", draws=self.ratings.draws)
        return Message(
            "{advantage}; {draws}",
            advantage=advantage or Message("the games do not show the advantage of the first seat"),
            draws=draws or Message("no game was drawn"),
        )

    def likely_better(self) -> list[list[float | None]]:
        """For each row, the probability that it is stronger than each other row."""
        ids = [row.player for row in self.rows]
        upper = {(a, b): self.ratings.likely_better(a, b) for i, a in enumerate(ids) for b in ids[i + 1 :]}

        def one(a: int, b: int) -> float | None:
            if a == b:
                return None
            known = upper.get((a, b))
            return known if (a, b) in upper else None if upper[b, a] is None else 1 - upper[b, a]  # type: ignore[operator]

        return [[one(a, b) for b in ids] for a in ids]

    def as_json(self, better: bool = True) -> dict[str, Any]:
        """For programs. An infinite end of an interval is null."""
        data: dict[str, Any] = {
            "games": self.games,
            "first_seat": _estimate_json(self.ratings.advantage),
            "draws_between_equals": round(self.ratings.draws, 4),
            "standings": [
                {
                    "player": row.name, **_estimate_json(row.rating), "games": row.games, "points": row.points,
                    "won": row.row[0], "drawn": row.row[1], "lost": row.row[2], "as_first": list(row.as_first),
                    "as_second": list(row.as_second), "faults": row.faults,
                }
                for row in self.rows
            ],
        }  # fmt: skip
        if better:
            matrix = self.likely_better()
            data["likely_better"] = [[None if x is None else round(x, 4) for x in row] for row in matrix]
        return data


def standings(
    counts: Mapping[tuple[int, int], Sequence[int]], players: Mapping[int, Contestant],
    faults: Mapping[int, int] | None = None, anchor: int | None = None, anchored_at: float = 0.0,
) -> Standings:  # fmt: skip
    """The standings of results: games won, drawn and lost by the first of each pair of players."""
    ratings = rate(counts, anchor, anchored_at)
    order = sorted(ratings.players, key=lambda player: -ratings.elo[player].value)
    names, faults = shown_names(players), faults or {}
    rows = []
    for player, below in zip(order, [*order[1:], None], strict=True):
        first = _sum(row for (one, _), row in counts.items() if one == player)
        other = _sum(row for (_, one), row in counts.items() if one == player)
        ahead = None if below is None else ratings.likely_better(player, below)
        name = names[player]
        rows.append(Standing(player, name, ratings.elo[player], first, other[::-1], faults.get(player, 0), ahead))
    return Standings(tuple(rows), ratings, counts)


class Results:
    """Counts games as they are finished."""

    def __init__(self) -> None:
        self.counts: dict[tuple[int, int], list[int]] = {}
        self.faults: Counter[int] = Counter()
        self.games = 0
        self.earlier = 0  # games that were in the store before this run
        self._halves: dict[tuple[int, int, int], int] = {}  # outcome by slot, first, second; of incomplete pairs
        self._pairs: dict[tuple[int, int], list[int]] = {}

    def add(self, played: StoredGame) -> None:
        if played.outcome is None:
            return
        first, second, outcome = played.first, played.second, played.outcome
        self.games += 1
        self.counts.setdefault((first, second), [0, 0, 0])[1 - outcome] += 1
        if played.ended == "fault":
            self.faults[second if outcome > 0 else first] += 1
        other = self._halves.pop((played.slot, second, first), None)
        if other is None:
            self._halves[played.slot, first, second] = outcome
        else:
            self._pairs.setdefault((first, second), [0] * 5)[2 + outcome - other] += 1

    def pairs(self, a: int, b: int) -> list[int]:
        """The numbers of pairs of games in which `a` took 0, 1/2, 1, 3/2 and 2 points against `b`."""
        none = [0] * 5
        ours, theirs = self._pairs.get((a, b), none), self._pairs.get((b, a), none)
        return [n + m for n, m in zip(ours, reversed(theirs), strict=True)]


def shown_names(players: Mapping[int, Contestant]) -> dict[int, str]:
    """The names to show; a name with several versions includes the version."""
    times = Counter(who.name for who in players.values())
    same = Counter((who.name, who.version) for who in players.values())
    names = {}
    for id, who in players.items():
        names[id] = who.name if times[who.name] == 1 else f"{who.name}#{who.version}"
        if same[who.name, who.version] > 1:
            names[id] += f".{id}"
    return names


def find_player(name: str, names: Mapping[int, str]) -> int:
    """The player with a name, which may leave out the limit."""
    matches = [id for id, known in names.items() if known == name] or [
        id for id, known in names.items() if known.rpartition("@")[0] == name
    ]
    if len(matches) != 1:
        raise HansuError("{name!r} is not one of the players", did_you_mean(name, names.values(), "players"), name=name)
    return matches[0]


def anchor_of(text: str, names: Mapping[int, str]) -> tuple[int | None, float]:
    """The anchor of a text such as `random=0`: a player and its rating, by default 0. None for an empty text."""
    if not text:
        return None, 0.0
    try:
        return find_player(text, names), 0.0
    except HansuError:
        name, _, rating = text.rpartition("=")
        try:
            return find_player(name, names), float(rating)
        except (HansuError, ValueError):
            pass
        raise


def points(row: Sequence[int]) -> float:
    """The points of a row of games won, drawn and lost."""
    return row[0] + row[1] / 2


def _sum(rows: Any) -> Row:
    won, drawn, lost = (sum(column) for column in zip((0, 0, 0), *rows, strict=True))
    return won, drawn, lost


def _estimate_json(estimate: Estimated) -> dict[str, Any]:
    ends = [None if math.isinf(end) else round(end, 1) for end in (estimate.low, estimate.high)]
    return {"elo": round(estimate.value, 1), "interval": ends}
