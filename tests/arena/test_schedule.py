"""Schedules of pairings."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from hansu.arena.schedule import Duel, Gauntlet, Ladder, Pairing, RoundRobin, Swiss, swiss_rounds


def no_points(before: int) -> dict[int, float]:
    return {}


@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_a_round_robin_has_each_pair_once_per_round(players: int) -> None:
    schedule = RoundRobin(players, 3)
    rounds = [schedule.round(n, no_points) for n in range(4)]
    for number, pairings in enumerate(rounds[:3]):
        assert sorted((p.a, p.b) for p in pairings) == list(combinations(range(players), 2))
        assert {p.slot for p in pairings} == {number}
    assert not rounds[3] and schedule.total == sum(map(len, rounds))


def test_a_gauntlet_pairs_one_with_all() -> None:
    schedule = Gauntlet(4, 2, 2)
    assert schedule.round(0, no_points) == [Pairing(0, 2, 0), Pairing(0, 2, 1), Pairing(0, 2, 3)]
    assert schedule.round(2, no_points) == () and schedule.total == 6


def test_a_ladder_pairs_neighbours() -> None:
    schedule = Ladder(4, 2)
    assert schedule.round(1, no_points) == [Pairing(1, 0, 1), Pairing(1, 1, 2), Pairing(1, 2, 3)]
    assert schedule.round(2, no_points) == () and schedule.total == 6


def test_a_duel_has_no_end_by_default() -> None:
    assert Duel().round(10_000, no_points) == [Pairing(10_000, 0, 1)]


def swiss(players: int, rounds: int | None = None, pairs: int = 1) -> list[list[tuple[int, int]]]:
    """The pairs of each round, if the lower number always wins both games."""
    schedule = Swiss(players, rounds, pairs)
    drawn: list[list[tuple[int, int]]] = []

    def points(before: int) -> dict[int, float]:
        taken: Counter[int] = Counter()
        for each in drawn[: before // pairs]:
            for a, b in each:
                taken[min(a, b)] += 2 * pairs
        return dict(taken)

    while pairings := schedule.round(len(drawn), points):
        assert {p.slot for p in pairings} == set(range(len(drawn) * pairs, (len(drawn) + 1) * pairs))
        drawn.append([(p.a, p.b) for p in pairings if p.slot == len(drawn) * pairs])
    assert schedule.slots == len(drawn) * pairs
    return drawn


@pytest.mark.parametrize(("players", "pairs"), [(8, 1), (16, 2), (7, 1), (5, 3)])
def test_swiss_avoids_rematches_and_pairs_equal_scores(players: int, pairs: int) -> None:
    rounds = swiss(players, None, pairs)
    assert len(rounds) == swiss_rounds(players)
    met = [frozenset(pair) for each in rounds for pair in each]
    assert len(set(met)) == len(met)
    for each in rounds:
        paired = [who for pair in each for who in pair]
        assert len(paired) == len(set(paired)) == players - players % 2
    if players % 2:
        byes = [next(who for who in range(players) if all(who not in pair for pair in each)) for each in rounds]
        assert len(set(byes)) == len(byes)
    # The two best players have met.
    assert frozenset((0, 1)) in met


def test_swiss_continues_when_all_have_met() -> None:
    assert len(swiss(4, rounds=6)) == 6


def test_many_rounds_of_many_players_are_drawn_in_time() -> None:
    """As many rounds as in a round robin: the search for new opponents must stay short."""
    assert len(swiss(24, rounds=23)) == 23
