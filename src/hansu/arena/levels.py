"""The strength of the players `level:1` to `level:10`, measured by scripts/levels.py: Elo relative to `level:1`, or
points in a game that is played for points."""

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
    """The strength of a level as a text; None for a game or settings without a measurement."""
    known = _measured().get(game.spec, {})
    if "Elo" in known:
        return Message("about {elo:+d} Elo", elo=known["Elo"][level - 1])
    if "points" in known:
        return Message("about {points} points", points=known["points"][level - 1])
    return None
