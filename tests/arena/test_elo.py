"""Elo differences and their intervals."""

from __future__ import annotations

import math

import pytest

from hansu.arena.elo import elo_of, estimate
from hansu.arena.match import Tally


def tally(wins: int, draws: int, losses: int) -> Tally:
    return Tally(wins, draws, losses)


def test_known_differences() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)  # 191 in the usual table
    assert elo_of(0.1) == pytest.approx(-elo_of(0.9))


@pytest.mark.parametrize("games", [1, 5, 10, 14, 20, 100])
def test_the_interval_contains_the_estimate_even_at_the_ends(games: int) -> None:
    for each in (estimate(tally(games, 0, 0)), estimate(tally(0, 0, games)), estimate(tally(0, games, 0))):
        assert each.low <= each.score <= each.high
    assert estimate(tally(games, 0, 0)).elo[2] == math.inf
    assert "+inf" in estimate(tally(games, 0, 0)).elo_text


def test_wilson_matches_the_textbook() -> None:
    """8 of 10: 0.490 to 0.943."""
    result = estimate(tally(8, 0, 2))
    assert (result.low, result.high) == (pytest.approx(0.490, abs=0.001), pytest.approx(0.943, abs=0.001))


def test_no_games_give_the_full_interval() -> None:
    assert (estimate(Tally()).low, estimate(Tally()).high) == (0, 1)
