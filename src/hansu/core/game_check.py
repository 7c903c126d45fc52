"""Validates the GAME of a file when it is loaded, with a clear error for each invalid field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hansu.core.errors import HansuError, shortened
from hansu.core.game import Game
from hansu.core.game_extensions import Controls, Files, Framework, Tactics
from hansu.core.generic import rules_of
from hansu.core.message import Message
from hansu.core.options import Option

Check = tuple[Callable[[Any], bool], str]
"""Is a value valid? And what it must be."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(_is_text, value))


def _is_shape(value: object) -> bool:
    return isinstance(value, tuple | list) and all(type(n) is int and n > 0 for n in value)


def _integer(low: int) -> Check:
    return (lambda value: type(value) is int and value >= low), Message("an integer of {low} or more", low=low)


def _instance(kind: type) -> Check:
    return (lambda value: isinstance(value, kind)), f"{kind.__name__}(...)"


def _or_none(check: Check) -> Check:
    is_valid, expected = check
    return lambda value: value is None or is_valid(value), Message("{expected} or None", expected=expected)


FUNCTION: Check = (callable, Message("a function"))
BOOLEAN: Check = (lambda value: isinstance(value, bool), Message("True or False"))
STRING: Check = (lambda value: isinstance(value, str), Message("a string"))
FIELDS: dict[str, Check] = {
    "name": (
        lambda v: isinstance(v, str) and bool(re.fullmatch(r"\w[\w-]*", v)),
        Message("one word of letters, digits, _ and -"),
    ),
    "title": (_is_text, Message("a string or one string per language")),
    "about": (_is_text, Message("a string or one string per language")),
    "state": (lambda value: isinstance(value, type), Message("the class of its states")),
    "start": FUNCTION,
    "options": (
        lambda value: isinstance(value, tuple | list) and all(isinstance(option, Option) for option in value),
        Message("a tuple of Option(...), with a trailing comma if there is only one"),
    ),
    "move_text": FUNCTION,
    "read_move": _or_none(FUNCTION),
    "read_position": _or_none(FUNCTION),
    "position_text": _or_none(FUNCTION),
    "split_moves": _or_none(FUNCTION),
    "look": _or_none(FUNCTION),
    "touch": _or_none(FUNCTION),
    "controls": _instance(Controls),
    "tactics": _instance(Tactics),
    "files": _instance(Files),
    "framework": _or_none(_instance(Framework)),
    "tones": (_is_pair, Message("two names of colours")),
    "seats": (_is_pair, Message("two strings")),
    "score_text": _or_none(FUNCTION),
    "count_text": _or_none(FUNCTION),
    "score_range": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"),
        Message("a number above 0"),
    ),
    "unit": STRING,
    "symmetries": _integer(1),
    "plane_shape": _or_none((_is_shape, Message("a tuple of positive integers"))),
    "small": BOOLEAN,
    "default_depth": _integer(1),
    "opening_plies": _integer(0),
    "opening_actions": _or_none(FUNCTION),
    "players": FUNCTION,
    "levels": (
        lambda v: isinstance(v, tuple) and len(v) in (0, 10) and all(isinstance(text, str) for text in v),
        Message("a tuple of ten player specs"),
    ),
    "opponent": STRING,
    "commands": _or_none(FUNCTION),
    "perft": _or_none(FUNCTION),
    "training": FUNCTION,
    "networks": FUNCTION,
    "adapt": _or_none(FUNCTION),
    "path": STRING,
    "settings": (lambda value: isinstance(value, Mapping), Message("a mapping")),
}
"""The check of each field."""


MOVED = {
    "barred": "controls=Controls(forbidden=...)",
    "touch_columns": "controls=Controls(whole_columns=...)",
    "keys": "controls=Controls(keys=...)",
    "editor": "controls=Controls(editor=...)",
    "tactics": "tactics=Tactics(forced_move=...)",
    "foresight": "tactics=Tactics(solver=...)",
    "exports": "files=Files(writers=...)",
    "records": "files=Files(readers=...)",
    "adapt_agent": "framework=Framework(adapt=...)",
    "shims": "framework=Framework(modules=...)",
}
"""Fields of `Game` in hansu 0.1, and how they are written now."""


def moved_field(error: BaseException) -> Message | None:
    """The hint for a file that failed because it uses a field of hansu 0.1."""
    name = re.search(r"Game.__init__\(\) got an unexpected keyword argument '(\w+)'", str(error))
    if name is None or name[1] not in MOVED:
        return None
    return Message("since hansu 0.3 write Game({new}); import it from hansu.core", new=MOVED[name[1]])


def check(game: object, where: str) -> Game:
    """The GAME of a file. Raises HansuError if it is missing or invalid."""
    if not isinstance(game, Game):
        raise HansuError(
            "{where} defines no GAME", "a game file ends with GAME = Game(...); see docs/tutorial/your_own_game.md",
            where=where,
        )  # fmt: skip
    if problem := next(_problems(game), None):
        raise HansuError(
            "{where}: {problem}", "docs/tutorial/your_own_game.md has a complete game", where=where, problem=problem
        )
    rules_of(game.state)  # raises if the rules are missing
    return game


def _problems(game: Game) -> Iterator[Message]:
    for name, (is_valid, expected) in FIELDS.items():
        if not is_valid(value := getattr(game, name)):
            yield Message(
                "Game({field}=...) must be {expected}, not {value}",
                field=name, expected=expected, value=shortened(value),
            )  # fmt: skip
    names = [option.name for option in game.options]
    for option in game.options:
        yield from _option_problems(option)
        if names.count(option.name) > 1:
            yield Message("two options are called {name!r}", name=option.name)


def _option_problems(option: Option) -> Iterator[Message]:
    name = option.name
    if not isinstance(name, str) or not name.isidentifier():
        yield Message("the name of an option must be an argument of start(), not {value}", value=shortened(name))
    elif option.kind not in (int, float, bool, str):
        yield Message(
            "option {name}: kind must be int, float, bool or str, not {value}", name=name, value=shortened(option.kind)
        )
    elif not isinstance(option.help, str):
        yield Message("option {name}: help must be a string, not {value}", name=name, value=shortened(option.help))
    elif not isinstance(option.default, (int, float) if option.kind is float else option.kind):
        yield Message(
            "option {name}: the default {value} is not of type {kind}",
            name=name, value=shortened(option.default), kind=option.kind.__name__,
        )  # fmt: skip
