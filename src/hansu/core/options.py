"""Texts of the form `name:key=value,key=value`, and the documented options they set."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.message import Message

MOST = 1 << 62  # of a whole number without a bound of its own: what compiled code holds in a word
_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}
_LOOKS = Message("settings look like key=value,key=value")
KINDS = {int: Message("int"), float: Message("float"), bool: Message("bool"), str: Message("str")}


@dataclass(frozen=True)
class Option:
    """One setting of a game or of a player: what forms, help texts and the parser need to know of it.

    >>> from hansu import Option
    >>> size = Option("size", int, 5, "rows and columns", low=3, high=9)
    >>> size.read("7", "my_game"), size.range_text
    (7, '3 to 9')
    """

    name: str
    kind: type  # int, float, bool or str
    default: Any
    help: str
    title: str = ""  # what people call it; its name where nobody has said
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    choice_titles: tuple[str, ...] = ()  # what people call the choices, in the same order
    known: tuple[str, ...] = ()  # names that a text may be; it may also be the path of a file
    plain: bool = False  # a text that never names a file or a command, so that a stranger may give it
    bytes_each: int = 0  # memory that a player holds for each unit of it
    program: bool = False  # a command line that the player runs
    processors: bool = False  # it keeps so many processors busy
    old: str = ""  # a former name, accepted with a warning

    def read(self, text: str, owner: str) -> Any:
        """The value that a text stands for; raises where it does not fit."""
        given = f"{owner}: {self.name}={text if len(text) <= 200 else text[:200] + ' ...'}"
        if self.kind is bool:
            if text.lower() in _YES | _NO:
                return text.lower() in _YES
            raise HansuError("{given} is neither true nor false", given=given)
        if self.kind is str:
            if self.choices and text not in self.choices:
                names = ", ".join(self.choices)
                raise HansuError("{given} is unknown", "one of: {names}", given=given, names=names)
            return text
        try:
            value = self.kind(text)
        except ValueError:
            kind = Message("whole number") if self.kind is int else Message("number")
            raise HansuError("{given} is not a {kind}", given=given, kind=kind) from None
        if self.kind is int and self.high is None and abs(value) > MOST:
            hint = Message("at most {most:,}", most=MOST)
            raise HansuError("{owner}: {name} is too large", hint, owner=owner, name=self.name)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            hint = Message("allowed: {allowed}", allowed=self.range_text)
            raise HansuError("{given} is out of range", hint, given=given)
        if value != value or value in (float("inf"), float("-inf")):
            raise HansuError("{given} is not a finite number", given=given)
        return value

    @property
    def range_text(self) -> Message | str:
        """What values are allowed, in words."""
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
    """`alphabeta:depth=4,seed=1` -> (`alphabeta`, {depth: 4, seed: 1}). A comma inside a value stays in it, as in
    `points=0 0,3 1`: a new setting begins only where a `key=` follows the comma. A number without a key, right after
    the colon as in `level:3`, is the setting "".

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
            raise HansuError("{text!r}: {key} is given twice", text=text, key=key.strip())
        settings[key.strip()] = value.strip()
    if colon and not rest:
        raise HansuError("{text!r}: nothing follows the colon", _LOOKS, text=text)
    return name, settings


def unreadable(text: str, part: str) -> HansuError:
    """What follows a colon is no setting."""
    return HansuError(Message("{text!r}: cannot read {part!r}", text=text, part=part), _LOOKS)


def read_settings(options: Iterable[Option], settings: Mapping[str, str], owner: str) -> dict[str, Any]:
    """The typed values of what was given; every key must be one of the options."""
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
    """An old name is accepted for one release."""
    warnings.warn(
        f"{owner}: {old} is now called {new}; the old name will be removed in 0.4", FutureWarning, stacklevel=2
    )


def did_you_mean(word: str, known: Iterable[str], what: str) -> str:
    """A hint for a word that is not known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return Message("did you mean {name!r}?", name=close[0])
    listed = ", ".join(names)
    return Message("{what}: {listed}", what=what, listed=listed) if names else Message("there are no {what}", what=what)
