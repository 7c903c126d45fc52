"""Documented options, and the texts `name:key=value,key=value` that set them."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.message import Message

MOST = 1 << 62  # the largest int of an option without an upper bound; compiled code stores it in one word
_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}
_FORMAT = Message("settings are written as key=value,key=value")
KINDS = {int: Message("int"), float: Message("float"), bool: Message("bool"), str: Message("str")}


@dataclass(frozen=True)
class Option:
    """One setting of a game, a player or a recipe, with all that forms, help texts and the parser need.

    >>> from hansu import Option
    >>> size = Option("size", int, 5, "rows and columns", low=3, high=9)
    >>> size.read("7", "my_game"), size.range_text
    (7, '3 to 9')
    """

    name: str
    kind: type  # int, float, bool or str
    default: Any
    help: str
    title: str = ""  # label in forms; empty: the name
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    choice_titles: tuple[str, ...] = ()  # labels of the choices, in the same order
    known: tuple[str, ...] = ()  # suggested names; a file's path is allowed, too
    plain: bool = False  # a str that never names a file or a command, so users of a web server may set it
    bytes_each: int = 0  # memory per unit of the value that a player allocates
    program: bool = False  # a command line that the player runs
    processors: bool = False  # the value is a number of busy processors
    old: str = ""  # a former name, accepted with a warning

    def read(self, text: str, owner: str) -> Any:
        """The value of a text, checked. Raises HansuError if the text is no valid value."""
        setting = f"{owner}: {self.name}={text if len(text) <= 200 else text[:200] + ' ...'}"
        if self.kind is bool:
            if text.lower() in _YES | _NO:
                return text.lower() in _YES
            raise HansuError("{setting} must be true or false", setting=setting)
        if self.kind is str:
            if self.choices and text not in self.choices:
                names = ", ".join(self.choices)
                raise HansuError("{setting} is not one of the choices", "one of: {names}", setting=setting, names=names)
            return text
        try:
            value = self.kind(text)
        except ValueError:
            kind = Message("an integer") if self.kind is int else Message("a number")
            raise HansuError("{setting} must be {kind}", setting=setting, kind=kind) from None
        if self.kind is int and self.high is None and abs(value) > MOST:
            raise HansuError("{owner}: {name} is too large", "at most {most:,}", owner=owner, name=self.name, most=MOST)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise HansuError(
                "{setting} is out of range", "allowed: {allowed}", setting=setting, allowed=self.range_text
            )
        if value != value or value in (float("inf"), float("-inf")):
            raise HansuError("{setting} must be a finite number", setting=setting)
        return value

    @property
    def range_text(self) -> Message | str:
        """The allowed values in words."""
        if self.choices:
            return " | ".join(self.choices)
        if self.low is not None and self.high is not None:
            return Message("{low} to {high}", low=_plain(self.low), high=_plain(self.high))
        if self.low is not None:
            return Message("{low} or more", low=_plain(self.low))
        return KINDS[self.kind]


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """The name and the settings of a text such as `alphabeta:depth=4,seed=1`.

    A setting begins only where `key=` follows a comma, so values may contain commas: `points=0 0,3 1`. A number right
    after the colon, as in `level:3`, has the key "".

    >>> split_spec("alphabeta:depth=4,seed=1")
    ('alphabeta', {'depth': '4', 'seed': '1'})
    >>> split_spec("level:3,seed=1")
    ('level', {'': '3', 'seed': '1'})
    """
    name, colon, rest = text.strip().partition(":")
    settings: dict[str, str] = {}
    for part in re.split(r",(?=\s*\w+=)", rest) if rest else []:
        key, equals, value = part.partition("=")
        if not settings and re.fullmatch(r"\s*\d+\s*", part):
            settings[""] = part.strip()
            continue
        if not equals or not key.strip():
            raise unreadable(text, part)
        if key.strip() in settings:
            raise duplicate(text, key.strip())
        settings[key.strip()] = value.strip()
    if colon and not rest:
        raise HansuError("{text!r}: nothing follows the colon", _FORMAT, text=text)
    return name, settings


def unreadable(text: str, part: str) -> HansuError:
    """The error for a part of a spec that is not a setting."""
    return HansuError("{text!r}: cannot read {part!r}", _FORMAT, text=text, part=part)


def duplicate(text: str, key: str) -> HansuError:
    """The error for a setting that appears twice in a spec."""
    return HansuError("{text!r}: {key} appears twice", "leave one of them out", text=text, key=key)


def read_settings(options: Iterable[Option], settings: Mapping[str, str], owner: str) -> dict[str, Any]:
    """The typed values of settings given as text. Every key must be the name of an option."""
    known = {option.name: option for option in options}
    renamed = {option.old: option.name for option in known.values() if option.old}
    values = {}
    for key, text in settings.items():
        if key in renamed and key not in known:
            warn_renamed(owner, key, renamed[key])
            key = renamed[key]
        if not key:
            raise unreadable(f"{owner}:{text}", text)
        if key not in known:
            raise HansuError("{owner} has no option {key!r}", did_you_mean(key, known, "options"), owner=owner, key=key)
        values[key] = known[key].read(text, owner)
    return values


def warn_renamed(owner: str, old: str, new: str) -> None:
    """Warn about a former name, which is still accepted."""
    warnings.warn(
        f"{owner}: {old} is now called {new}; the old name will be removed in 0.4", FutureWarning, stacklevel=2
    )


def did_you_mean(word: str, known: Iterable[str], what: str) -> Message:
    """The hint for an unknown word: the closest known word, or all known words.

    >>> did_you_mean("tictacto", ["tictactoe", "tree"], "games"), did_you_mean("go", ["tictactoe", "tree"], "games")
    ("did you mean 'tictactoe'?", 'games: tictactoe, tree')
    """
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return Message("did you mean {name!r}?", name=close[0])
    if not names:
        return Message("there are no {what}", what=what)
    return Message("{what}: {listed}", what=what, listed=", ".join(names))
