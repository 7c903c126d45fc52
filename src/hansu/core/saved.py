"""A game as a line of `hansu match --save` holds it, read as data from anywhere: it runs nothing and opens no file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.options import split_spec

LONGEST_LINE = 1 << 20  # characters; a game of ten thousand plies has room


@dataclass(frozen=True)
class SavedGame:
    """`outcome` is +1, 0 or -1 for the player in the first seat."""

    game: Game
    first: str
    second: str
    moves: tuple[str, ...]  # those of the opening, too
    outcome: int
    fault: str = ""


def read_saved(text: str, game: Game) -> SavedGame:
    """The game that a line holds, which must be one of `game`."""
    try:
        if len(text) > LONGEST_LINE:
            raise ValueError
        record = json.loads(text)
        spec, outcome = _text(record["game"]), record["outcome"]
        moves = tuple(_text(move) for part in ("opening", "moves") for move in _list(record[part]))
        first, second, fault = _text(record["first"]), _text(record["second"]), _text(record.get("fault", ""))
        if type(outcome) is not int or outcome not in (-1, 0, 1):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise HansuError("not a record of `hansu match --save`") from None
    name, settings = split_spec(spec)
    if name != game.name:
        raise HansuError(f"a game of {name[:40]}, not of {game.name}")
    for option in game.options:
        if option.name in settings and option.kind is str and not option.choices and not option.plain:
            raise HansuError(f"a record may not set {option.name}, which can name a file")
    return SavedGame(game.with_settings(settings), first, second, moves, outcome, fault)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
