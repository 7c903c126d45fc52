"""Texts of the form `name:key=value,key=value`, and the documented options they set."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.said import said

MOST = 1 << 62  # of a whole number without a bound of its own: what compiled code holds in a word
_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}
_LOOKS = said("settings look like key=value,key=value", "설정은 key=value,key=value처럼 적습니다")


@dataclass(frozen=True)
class Option:
    """One setting of a game or of a player: what forms, help texts and the parser need to know of it."""

    name: str
    kind: type  # int, float, bool or str
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    known: tuple[str, ...] = ()  # names that a text may be; it may also be the path of a file
    plain: bool = False  # a text that never names a file or a command, so that a stranger may give it
    bytes_each: int = 0  # memory that a player holds for each unit of it
    program: bool = False  # a command line that the player runs

    def read(self, text: str, owner: str) -> Any:
        """The value that a text stands for; raises where it does not fit."""
        given = f"{owner}: {self.name}={text if len(text) <= 200 else text[:200] + ' ...'}"
        if self.kind is bool:
            if text.lower() in _YES | _NO:
                return text.lower() in _YES
            raise HansuError(said(f"{given} is neither true nor false", f"{given}: true나 false여야 합니다"))
        if self.kind is str:
            if self.choices and text not in self.choices:
                names = ", ".join(self.choices)
                raise HansuError(
                    said(f"{given} is unknown", f"{given}: 모르는 값입니다"), said(f"one of: {names}", names)
                )
            return text
        try:
            value = self.kind(text)
        except ValueError:
            kind = said("whole number", "정수") if self.kind is int else said("number", "수")
            raise HansuError(said(f"{given} is not a {kind}", f"{given}: {kind.ko}여야 합니다")) from None
        if self.kind is int and self.high is None and abs(value) > MOST:
            hint = said(f"at most {MOST:,}", f"최대 {MOST:,}")
            raise HansuError(said(f"{owner}: {self.name} is too large", f"{owner}: {self.name} 값이 너무 큽니다"), hint)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            hint = said(f"allowed: {self.range_text}", f"허용 범위: {self.range_text}")
            raise HansuError(said(f"{given} is out of range", f"{given}: 범위를 벗어났습니다"), hint)
        if value != value or value in (float("inf"), float("-inf")):
            raise HansuError(said(f"{given} is not a finite number", f"{given}: 유한한 수여야 합니다"))
        return value

    @property
    def range_text(self) -> str:
        if self.choices:
            return " | ".join(self.choices)
        if self.low is not None and self.high is not None:
            return f"{_plain(self.low)} to {_plain(self.high)}"
        if self.low is not None:
            return f"{_plain(self.low)} or more"
        return self.kind.__name__


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """`alphabeta:depth=4,seed=1` -> (`alphabeta`, {depth: 4, seed: 1}). A comma inside a value stays in it, as in
    `points=0 0,3 1`: a new setting begins only where a `key=` follows the comma.

    >>> split_spec("alphabeta:depth=4,seed=1")
    ('alphabeta', {'depth': '4', 'seed': '1'})
    """
    name, colon, rest = text.strip().partition(":")
    settings: dict[str, str] = {}
    for part in re.split(r",(?=\s*\w+=)", rest) if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise HansuError(
                said(f"{text!r}: cannot read {part!r}", f"{text!r}: {part!r} 부분을 읽을 수 없습니다"), _LOOKS
            )
        if key.strip() in settings:
            twice = said(f"{text!r}: {key.strip()} is given twice", f"{text!r}: {key.strip()} 값이 두 번 있습니다")
            raise HansuError(twice)
        settings[key.strip()] = value.strip()
    if colon and not rest:
        raise HansuError(said(f"{text!r}: nothing follows the colon", f"{text!r}: 쌍점 뒤에 아무것도 없습니다"), _LOOKS)
    return name, settings


def read_settings(options: Iterable[Option], settings: Mapping[str, str], owner: str) -> dict[str, Any]:
    """The typed values of what was given; every key must be one of the options."""
    known = {option.name: option for option in options}
    values = {}
    for key, text in settings.items():
        if key not in known:
            what = said(f"{owner} has no option {key!r}", f"{owner}에는 {key!r}라는 설정이 없습니다")
            raise HansuError(what, did_you_mean(key, known, "options"))
        values[key] = known[key].read(text, owner)
    return values


def did_you_mean(word: str, known: Iterable[str], what: str) -> str:
    """A hint for a word that is not known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return said(f"did you mean {close[0]!r}?", f"혹시 {close[0]!r}인가요?")
    listed = ", ".join(names)
    return (
        said(f"{what}: {listed}", f"있는 것: {listed}") if names else said(f"there are no {what}", "아무것도 없습니다")
    )
