"""A file's GAME, looked at when it is loaded: what is wrong with a field is told in words before anything stands on
it."""

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


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_text(k) and isinstance(v, str) for k, v in value.items())


def _pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(_text, value))


def _count(low: int) -> Check:
    def fits(value: Any) -> bool:
        return type(value) is int and value >= low

    return fits, f"a whole number, {low} or more"


def _shape(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(type(n) is int and n > 0 for n in value)


def _or_none(check: Check) -> Check:
    fits, what = check
    return lambda value: value is None or fits(value), f"{what}, or None"


def _made_of(kind: type) -> Check:
    return (lambda value: isinstance(value, kind)), f"{kind.__name__}(...)"


CALLED: Check = (callable, "a function")
YES_OR_NO: Check = (lambda value: isinstance(value, bool), "True or False")
FIELDS: dict[str, Check] = {
    "name": (lambda v: isinstance(v, str) and bool(re.fullmatch(r"\w[\w-]*", v)), "one word of letters, digits and _"),
    "title": (_text, "a text, or one for each language as in {'en': 'Nim', 'ko': '님'}"),
    "about": (_text, "a text, or one for each language as in {'en': '...', 'ko': '...'}"),
    "state": (lambda value: isinstance(value, type), "the class of its states"),
    "start": CALLED,
    "options": (
        lambda value: isinstance(value, tuple | list) and all(isinstance(each, Option) for each in value),
        "a tuple of Option(...); one option has a comma after it, too",
    ),
    "move_text": CALLED,
    "read_move": _or_none(CALLED),
    "read_position": _or_none(CALLED),
    "position_text": _or_none(CALLED),
    "split_moves": _or_none(CALLED),
    "look": _or_none(CALLED),
    "touch": _or_none(CALLED),
    "controls": _made_of(Controls),
    "tactics": _made_of(Tactics),
    "files": _made_of(Files),
    "framework": _or_none(_made_of(Framework)),
    "tones": (_pair, "two names of colours"),
    "seats": (_pair, "two texts"),
    "score_text": _or_none(CALLED),
    "count_text": _or_none(CALLED),
    "score_range": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"),
        "a number above 0",
    ),
    "unit": (lambda value: isinstance(value, str), "a text"),
    "symmetries": _count(1),
    "plane_shape": _or_none((_shape, "a tuple of whole numbers")),
    "small": YES_OR_NO,
    "default_depth": _count(1),
    "opening_plies": _count(0),
    "opening_actions": _or_none(CALLED),
    "players": CALLED,
    "levels": (
        lambda v: isinstance(v, tuple) and len(v) in (0, 10) and all(isinstance(text, str) for text in v),
        "a tuple of ten texts, each a player",
    ),
    "opponent": (lambda value: isinstance(value, str), "a text"),
    "commands": _or_none(CALLED),
    "perft": _or_none(CALLED),
    "training": CALLED,
    "networks": CALLED,
    "adapt": _or_none(CALLED),
    "path": (lambda value: isinstance(value, str), "a text"),
    "settings": (lambda value: isinstance(value, Mapping), "a mapping"),
}
"""What each field must be."""


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
"""Fields that games of hansu 0.1 gave to `Game` itself, and how they are written now."""


def moved_field(error: BaseException) -> Message | None:
    """The new spelling, where a file failed because it gives `Game` a field of hansu 0.1."""
    name = re.search(r"Game.__init__\(\) got an unexpected keyword argument '(\w+)'", str(error))
    if name is None or name[1] not in MOVED:
        return None
    return Message("since hansu 0.3 write Game({new}), from hansu.core", new=MOVED[name[1]])


def check(game: Any, where: str) -> Game:
    """A file's GAME, or a clear message."""
    if not isinstance(game, Game):
        hint = Message("a game file ends with GAME = Game(...); see docs/tutorial/your_own_game.md")
        raise HansuError("{where} defines no GAME", hint, where=where)
    wrong = next(_wrong(game), "")
    if wrong:
        raise HansuError(f"{where}: {wrong}", "docs/tutorial/your_own_game.md has a complete game")
    rules_of(game.state)  # says what is missing
    return game


def _wrong(game: Game) -> Iterator[str]:
    for name, (fits, what) in FIELDS.items():
        if not fits(value := getattr(game, name)):
            yield f"Game({name}=...) is {what}, not {shortened(value)}"
    names = [option.name for option in game.options]
    for option in game.options:
        yield from _wrong_option(option)
        if names.count(option.name) > 1:
            yield f"two options are called {option.name!r}"


def _wrong_option(option: Option) -> Iterator[str]:
    if not isinstance(option.name, str) or not option.name.isidentifier():
        yield f"an option's name is a word as start() takes it, not {shortened(option.name)}"
    elif option.kind not in (int, float, bool, str):
        yield f"option {option.name}: its kind is int, float, bool or str, not {shortened(option.kind)}"
    elif not isinstance(option.help, str):
        yield f"option {option.name}: its help is a text, not {shortened(option.help)}"
    elif not isinstance(option.default, (int, float) if option.kind is float else option.kind):
        yield f"option {option.name}: {shortened(option.default)} is no default for {option.kind.__name__}"
