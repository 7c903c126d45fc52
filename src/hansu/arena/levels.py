"""How strong the levels for people are: Elo above `level:1`, as scripts/levels.py has measured it in each game."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from hansu.core.game import Game
from hansu.core.phrase import Phrase

MEASURED = Path(__file__).with_name("levels.json")


@cache
def _measured() -> dict[str, list[int]]:
    return json.loads(MEASURED.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def ratings(game: Game) -> tuple[int, ...]:
    """The Elo of `level:1`, `level:2`, ...; nothing for a game or for settings that nobody has measured."""
    return tuple(_measured().get(game.spec, ()))


def about(game: Game, level: int) -> Phrase:
    """A level in a person's words."""
    known = ratings(game)
    if not known:
        return Phrase("level {level}", level=level)
    return Phrase("level {level}, about {elo:+d} Elo", level=level, elo=known[level - 1])
