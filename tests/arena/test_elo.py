"""What a score says of strength."""

from __future__ import annotations

import math

import pytest

from hansu.arena.elo import elo_of, estimate
from hansu.arena.match import Tally


def tally(wins: int, draws: int, losses: int) -> Tally:
    return Tally(wins, draws, losses)


def test_known_differences() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)  # the usual table: 75 % is 191
    assert elo_of(0.1) == pytest.approx(-elo_of(0.9))


@pytest.mark.parametrize("games", [1, 5, 10, 14, 20, 100])
def test_the_interval_holds_the_estimate_even_at_the_ends(games: int) -> None:
    for found in (estimate(tally(games, 0, 0)), estimate(tally(0, 0, games)), estimate(tally(0, games, 0))):
        assert found.low <= found.score <= found.high
    assert estimate(tally(games, 0, 0)).elo[2] == math.inf
    assert "+inf" in estimate(tally(games, 0, 0)).elo_text


def test_wilson_by_the_textbook() -> None:
    """8 of 10: 0.490 to 0.943."""
    found = estimate(tally(8, 0, 2))
    assert (found.low, found.high) == (pytest.approx(0.490, abs=0.001), pytest.approx(0.943, abs=0.001))


def test_no_games_say_nothing() -> None:
    assert (estimate(Tally()).low, estimate(Tally()).high) == (0, 1)
