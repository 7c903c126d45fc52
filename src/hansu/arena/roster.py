"""Who can play: hansu's players by name, and a student's `path/to/my_agent.py:Name`."""

from __future__ import annotations

import re

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.options import split_spec
from hansu.core.player import Player
from hansu.search.players.named import kinds, player_named

__all__ = ["kinds", "player"]


def player(spec: str, game: Game) -> Player:
    """The player that a text names."""
    by_path = re.match(r"(?!\w+:\w+=)(.*\.py)(?::(\w+))?$", spec.strip())  # but not kind:key=something.py
    if by_path:
        from hansu.arena.guest import Guest

        return Guest(by_path[1], by_path[2] or "", game)
    try:
        return player_named(spec, game)
    except HansuError as error:
        if split_spec(spec)[0] in {"human", *kinds(game)}:
            raise
        raise HansuError(error.what, f"{error.hint} - or path/to/my_agent.py:Name") from None
