"""Levels for people: short sight and nearly equal moves, the same on any machine."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import pytest

from hansu import games
from hansu.arena.roster import player
from hansu.core import HansuError
from hansu.core.report import MoveValue, Value
from hansu.search.players.level import CANDIDATES, SIGHTS, Level, chosen

TOE = games.game("tictactoe")
FOUR = games.game("connect_four")


def test_a_level_is_written_as_people_say_it() -> None:
    assert player("level:3", TOE) == player("level:strength=3", TOE) == Level(strength=3)
    assert player("level:3", TOE).name == "level:3" and player("level:3,seed=2", TOE).name == "level:3,seed=2"
    assert player(player("level:7,seed=2", TOE).name, TOE) == Level(strength=7, seed=2)
    for wrong in ("level:0", "level:11", "level:x", "alphabeta:3", "level:3,strength=4"):
        with pytest.raises(HansuError):
            player(wrong, TOE)


@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("strength", [1, 4, 7, 9])
def test_every_game_has_levels_that_repeat_themselves(name: str, strength: int) -> None:
    game = games.built_in(name)
    ways = []
    for _ in range(2):
        at, one = game.first, player(f"level:{strength},seed=5", game)
        for _ in range(4):
            if not at.over:
                decision = one.decide(at)
                assert decision.action in at.actions and decision.why
                at = at.play(decision.action)
        one.close()
        ways.append(at.history)
    assert ways[0] == ways[1]


def moves_of(spec: str, moves: str, seeds: int = 20) -> Counter[str]:
    """What a level plays in a position, from many seeds."""
    at = FOUR.position(moves)
    return Counter(at.move_text(player(f"{spec},seed={n}", FOUR).decide(at).action) for n in range(seeds))


@pytest.mark.parametrize("strength", range(1, 11))
def test_a_win_at_hand_is_taken(strength: int) -> None:
    assert set(moves_of(f"level:{strength}", "121212", 5)) == {"1"}


def test_a_threat_is_seen_by_who_looks_two_plies_ahead() -> None:
    for strength in (3, 4, 5, 6, 7):
        assert set(moves_of(f"level:{strength}", "12131")) == {"1"}
    assert set(moves_of("level:1", "12131")) != {"1"}  # a beginner looks at their own stones


def test_a_careful_level_varies_less() -> None:
    loose, careful = moves_of("level:1", "4", 60), moves_of("level:6", "4", 60)
    assert len(loose) > len(careful) and max(careful.values()) > max(loose.values())


def test_what_care_means() -> None:
    """Two moves that lie two spreads (standard deviations) apart: exp(-2 / care) against 1."""
    at = FOUR.first
    moves = (MoveValue(action=0, value=Value(0.3)), MoveValue(action=1, value=Value(0.1)))
    drawn = Counter(chosen(at, moves, 2.0, random.Random(n))[0] for n in range(4000))
    assert abs(drawn[1] / drawn[0] - math.exp(-1)) < 0.04
    assert {chosen(at, moves, 0.03, random.Random(n))[0] for n in range(100)} == {0}


def test_only_some_moves_are_thought_about() -> None:
    at = games.game("renju").first
    moves = tuple(MoveValue(action=a, value=Value(a / 1000)) for a in range(200))
    drawn = {chosen(at, moves, 100.0, random.Random(n))[0] for n in range(500)}
    assert drawn == set(range(200 - CANDIDATES, 200))


def test_levels_look_farther_and_care_more() -> None:
    rows = list(SIGHTS.values())
    for lower, higher in pairwise(rows):
        assert lower.plies <= higher.plies and lower.nodes <= higher.nodes
        assert lower.plies < higher.plies or lower.care > higher.care
