"""How strong the levels for people are, as scripts/levels.py has measured it in each game: Elo above `level:1`, or, in
a game that is played for points, those."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from hansu.core.game import Game
from hansu.core.message import Message

MEASURED = Path(__file__).with_name("levels.json")


@cache
def _measured() -> dict[str, dict[str, list[int]]]:
    return json.loads(MEASURED.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def strength(game: Game, level: int) -> Message | None:
    """How strong a level is, in a person's words; None for a game or for settings that nobody has measured."""
    known = _measured().get(game.spec, {})
    if "Elo" in known:
        return Message("about {elo:+d} Elo", elo=known["Elo"][level - 1])
    if "points" in known:
        return Message("about {points} points", points=known["points"][level - 1])
    return None
