"""Runs the checks of `hansu check` on every game. Games are discovered, so a new one needs no new line here.

tests/commands/test_check.py shows that each check can fail.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hansu.core import Game, registry
from hansu.search.conformance import search_checks
from hansu.search.conformance.checkup import CHECKS

NAMES = (*registry.names(), "nim")


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest, nim_path: Path) -> Game:
    return registry.game(f"{nim_path}:heap=3" if request.param == "nim" else request.param)


@pytest.mark.parametrize("check", [name for name in CHECKS if name != "players"])
def test_games_conform(game: Game, check: str) -> None:
    CHECKS[check](game)


@pytest.mark.parametrize("spec", search_checks.PLAYERS)
def test_general_players_play_legal_moves_to_the_end(game: Game, spec: str) -> None:
    search_checks.plays_to_the_end(game, spec)


def test_titles_are_translated(game: Game) -> None:
    for text in (game.title, game.about):
        assert text and text.to("ko") != text
