"""Schedules of pairings, round by round. A pairing is one opening, played from both seats.

round robin   each player meets each other player; a round for each opening
gauntlet      one player meets all others
ladder        each player meets the next one
swiss         pairs players with equal scores and avoids rematches
duel          two players, with or without an end (a match, or a sequential test)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, pairwise
from typing import Protocol

from hansu.core.message import Message


@dataclass(frozen=True)
class Pairing:
    """Two players by number, and the number of their pair of games, which chooses the opening and the store's slot."""

    slot: int
    a: int
    b: int
    seats: tuple[int, ...] = (0, 1)  # 0: `a` moves first, 1: `b` moves first


Points = Callable[[int], Mapping[int, float]]
"""The points of each player in the slots before a given one; a draw counts 1/2."""

MAX_TRIES = 20_000  # of the search for a swiss round without rematches


class Schedule(Protocol):
    kind: str
    waits: bool  # a round is drawn after the last one is finished
    total: int | None  # number of pairings; None: no end
    slots: int | None  # number of openings

    def round(self, number: int, points: Points) -> Sequence[Pairing]:
        """The pairings of a round; none after the last."""


class RoundRobin:
    """Each player meets each other player. All pairings of a round play the same opening."""

    kind: str = Message("round robin")
    waits = False

    def __init__(self, players: int, rounds: int) -> None:
        self._pairs = _circle(players)
        self.slots: int | None = rounds
        self.total: int | None = rounds * len(self._pairs)

    def round(self, number: int, points: Points) -> Sequence[Pairing]:
        return [Pairing(number, a, b) for a, b in self._pairs] if number < (self.slots or 0) else ()


class Gauntlet:
    """One player meets all others."""

    kind: str = Message("gauntlet")
    waits = False

    def __init__(self, players: int, runner: int, rounds: int) -> None:
        self._pairs = [(runner, other) for other in range(players) if other != runner]
        self.slots: int | None = rounds
        self.total: int | None = rounds * len(self._pairs)

    def round(self, number: int, points: Points) -> Sequence[Pairing]:
        return [Pairing(number, a, b) for a, b in self._pairs] if number < (self.slots or 0) else ()


class Ladder:
    """Each player meets the next one, in the order of the command line."""

    kind: str = Message("ladder")
    waits = False

    def __init__(self, players: int, rounds: int) -> None:
        self._pairs = list(pairwise(range(players)))
        self.slots: int | None = rounds
        self.total: int | None = rounds * len(self._pairs)

    def round(self, number: int, points: Points) -> Sequence[Pairing]:
        return [Pairing(number, a, b) for a, b in self._pairs] if number < (self.slots or 0) else ()


class Duel:
    """Two players, one pair of games after another, for `games` games or without an end. With an odd number of games
    the last opening is played once."""

    kind = "sprt"
    waits = False

    def __init__(self, games: int | None = None) -> None:
        self._games = games
        self.slots: int | None = None if games is None else (games + 1) // 2
        self.total: int | None = self.slots

    def round(self, number: int, points: Points = lambda before: {}) -> Sequence[Pairing]:
        left = 2 if self._games is None else self._games - 2 * number
        return [Pairing(number, 0, 1, (0, 1)[: max(left, 0)])] if left > 0 else ()

    def pairings(self) -> Iterator[Pairing]:
        """All pairings, in order."""
        for number in count():
            pairings = self.round(number)
            if not pairings:
                return
            yield from pairings


class Swiss:
    """Pairs players with equal scores and avoids rematches. Each pairing of a round plays `pairs` openings."""

    kind: str = Message("swiss")
    waits = True

    def __init__(self, players: int, rounds: int | None = None, pairs: int = 1) -> None:
        self._players = players
        self.rounds = rounds or swiss_rounds(players)
        self._pairs = pairs
        self._met: list[list[tuple[int, int]]] = []  # the pairings of each round drawn so far
        self.slots: int | None = self.rounds * pairs
        self.total: int | None = self.slots * (players // 2)

    def round(self, number: int, points: Points) -> Sequence[Pairing]:
        """Rounds are drawn in order. The same points give the same round again."""
        if number >= self.rounds:
            return ()
        first = number * self._pairs
        met = {frozenset(pair) for pairs in self._met[:number] for pair in pairs}
        scores = {**dict.fromkeys(range(self._players), 0.0), **points(first)}
        byes = {who: sum(all(who not in pair for pair in pairs) for pairs in self._met[:number]) for who in scores}
        for who, times in byes.items():
            scores[who] += 2 * self._pairs * times  # a round without an opponent counts as won
        order = sorted(scores, key=lambda who: (-scores[who], who))
        if len(order) % 2:
            bye = min(reversed(order), key=lambda who: byes[who])
            order.remove(bye)
        pairs = _draw(order, met, iter(range(MAX_TRIES))) or _neighbours(order)
        self._met[number:] = [pairs]
        return [Pairing(slot, a, b) for slot in range(first, first + self._pairs) for a, b in pairs]


def swiss_rounds(players: int) -> int:
    """Enough rounds for one player to win all, and one more for the places behind."""
    return min(math.ceil(math.log2(max(players, 2))) + 1, max(players - 1, 1))


def _circle(players: int) -> list[tuple[int, int]]:
    """All pairs, in an order that spreads each player's games evenly."""
    ring: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    pairs = []
    for _ in range(len(ring) - 1):
        for k in range(len(ring) // 2):
            a, b = ring[k], ring[-1 - k]
            if a is not None and b is not None:
                pairs.append((min(a, b), max(a, b)))
        ring.insert(1, ring.pop())
    assert sorted(pairs) == list(combinations(range(players), 2))
    return pairs


def _draw(order: list[int], met: set[frozenset[int]], tries: Iterator[int]) -> list[tuple[int, int]] | None:
    """Pair the best player with the nearest one it has not met, such that all players can be paired."""
    if not order:
        return []
    best, *others = order
    for other in others:
        if frozenset((best, other)) not in met and next(tries, None) is not None:
            rest = _draw([who for who in others if who != other], met, tries)
            if rest is not None:
                return [(best, other), *rest]
    return None


def _neighbours(order: list[int]) -> list[tuple[int, int]]:
    return list(zip(order[::2], order[1::2], strict=True))
