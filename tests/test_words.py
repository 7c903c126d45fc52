"""Whatever a person reads of a game or a player is there in Korean, too."""

from __future__ import annotations

import random
import re

import pytest

from hansu import games
from hansu.arena.match import step_chance
from hansu.arena.roster import kinds
from hansu.core import Game, Limit, Phrase, Position, in_language
from hansu.search.players import GENERAL

NEEDS_A_COMMAND = {"uai", "gomocup"}
PLAYERS = [("tictactoe", kind) for kind in GENERAL] + [
    (name, kind) for name in games.names() for kind in games.built_in(name).players() if kind not in NEEDS_A_COMMAND
]


def is_korean(text: str) -> bool:
    return isinstance(text, Phrase) and re.search("[가-힣]", text.to("ko")) is not None


def walk(game: Game, seed: int, plies: int) -> list[Position]:
    chance = random.Random(seed)
    at = step_chance(game.first, chance)
    way = [at]
    while not at.over and len(way) <= plies:
        at = step_chance(at.play(chance.choice(at.actions)), chance)
        way.append(at)
    return way


def test_a_text_is_english_and_carries_the_korean() -> None:
    text = Phrase({"en": "one move", "ko": "한 수"})
    assert text == "one move" and f"{text}!" == "one move!" and text.to("ko") == "한 수"
    assert in_language(text, "ko") == "한 수" and in_language("plain", "ko") == "plain"


@pytest.mark.parametrize("name", games.names())
def test_games_are_described_in_both_languages(name: str) -> None:
    game = games.built_in(name)
    assert game.title["ko"] and game.about["ko"]
    assert [o.name for o in game.options if not is_korean(o.help)] == []


@pytest.mark.parametrize("name", games.names())
def test_players_are_described_in_both_languages(name: str) -> None:
    for kind, cls in kinds(games.built_in(name)).items():
        assert is_korean(cls.about), kind
        assert [o.name for o in cls.options() if not is_korean(o.help)] == [], kind


@pytest.mark.parametrize(("name", "kind"), PLAYERS)
def test_every_player_says_why_in_both_languages(name: str, kind: str) -> None:
    """At several points of a game, with time and almost without."""
    game = games.built_in(name)
    player = kinds(game)[kind]()
    for seed in (1, 2):
        way = [at for at in walk(game, seed, 30) if not at.over]
        for at in {len(way) // 3: None, len(way) - 1: None, 0: None}:
            decision = player.decide(way[at], Limit(time=0.02))
            assert is_korean(decision.why), decision.why
            assert not re.search("[가-힣]", decision.why)
    player.close()


@pytest.mark.parametrize("name", games.names())
def test_results_are_told_in_both_languages(name: str) -> None:
    game = games.built_in(name)
    told = set()
    for seed in range(12):
        last = walk(game, seed, 3_000)[-1]
        if last.over:
            text = game.result_text(last.state)
            assert is_korean(text), text
            told.add(text)
    assert told
