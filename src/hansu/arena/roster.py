"""Players by name, and players in a user's file: `path/to/my_agent.py:Name`."""

from __future__ import annotations

import re

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.options import split_spec
from hansu.core.player import Player
from hansu.search.players.named import kinds, player_named

__all__ = ["adviser", "kinds", "path_of", "player"]

ADVISERS = ("solver", "engine", "iterative")


def path_of(spec: str) -> tuple[str, str] | None:
    """The file and the name in it, if a text names a player by path."""
    by_path = re.match(r"(?!\w+:\w+=)(.*\.py)(?::(\w+))?$", spec.strip())  # but not kind:key=something.py
    return (by_path[1], by_path[2] or "") if by_path else None


def without_limit(text: str) -> tuple[str, str]:
    """Split a text such as `engine@time=0.1` into player and limit; the limit may be empty.

    >>> without_limit("engine:threads=2@time=0.1"), without_limit("random")
    (('engine:threads=2', 'time=0.1'), ('random', ''))
    """
    match = re.fullmatch(r"(.+)@(\w+=[^@/\s]+)", text.strip(), re.DOTALL)
    return (match[1], match[2]) if match else (text, "")


def player(spec: str, game: Game) -> Player:
    """The player of a game that a text names: `alphabeta:depth=4`, `level:3`, `./my_agent.py:Name`.

    >>> import hansu
    >>> game = hansu.game("tictactoe")
    >>> hansu.player("alphabeta:depth=4", game).depth, hansu.player("level:3", game).name
    (4, 'level:3')
    """
    if by_path := path_of(spec):
        from hansu.arena.guest import Guest

        return Guest(*by_path, game)
    try:
        return player_named(spec, game)
    except HansuError as error:
        name, limit = without_limit(spec)
        if limit:
            raise HansuError(
                "{spec}: a player cannot have a limit here",
                "name {name}, and set the limit separately: --limit {limit}",
                spec=spec,
                name=name,
                limit=limit,
            ) from None
        if split_spec(spec)[0] in {"human", *kinds(game)}:
            raise
        raise HansuError(error.what, Message("{hint} - or path/to/my_agent.py:Name", hint=error.hint)) from None


def adviser(game: Game) -> str:
    """The default player for analysis: the game's solver or engine, or a general search."""
    known = kinds(game)
    return next(kind for kind in ADVISERS if kind in known)
