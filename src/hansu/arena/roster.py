"""Players by name: `alphabeta:depth=4`, a game's own `solver`, or a student's `path/to/my_agent.py:Name`."""

from __future__ import annotations

import re

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.options import did_you_mean, split_spec
from hansu.core.player import Player
from hansu.search.players import GENERAL

ADVISERS = ("solver", "engine", "iterative")


def kinds(game: Game) -> dict[str, type[Player]]:
    """Every kind of player for a game: the general ones, then its own."""
    return {**GENERAL, **game.players()}


def path_of(spec: str) -> tuple[str, str] | None:
    """The file and the name in it, of a text that names a player by path."""
    by_path = re.match(r"(?!\w+:\w+=)(.*\.py)(?::(\w+))?$", spec.strip())  # but not kind:key=something.py
    return (by_path[1], by_path[2] or "") if by_path else None


def player(spec: str, game: Game) -> Player:
    """The player that a text names."""
    if by_path := path_of(spec):
        from hansu.arena.guest import Guest

        return Guest(*by_path, game)
    name, settings = split_spec(spec)
    known = kinds(game)
    if name == "human":
        raise HansuError("human cannot play here", "people play with `hansu play`")
    if name not in known:
        hint = did_you_mean(name, known, "players") + " - or path/to/my_agent.py:Name"
        raise HansuError(f"{game.name} has no player {name!r}", hint)
    return known[name].from_settings(settings)


def adviser(game: Game) -> str:
    """Whose word counts where nobody is named: the solver or the engine that a game has, or a general search."""
    known = kinds(game)
    return next(kind for kind in ADVISERS if kind in known)
