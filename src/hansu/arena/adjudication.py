"""Rules that decide a game before it is over: by the values that both players report, or by its length.

win=0.9,plies=8      for 8 plies, both values agree on a side and reach 0.9 of the game's largest score
draw=0.05,plies=8    for 8 plies, both values are within 0.05 of the game's largest score
proved=yes           the last report of each player has the same proved result
length=200           a game of 200 plies is a draw
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.options import Option, read_settings, split_spec
from hansu.core.report import Value

MAX_PLIES = 10_000  # a longer game counts as a draw

_OPTIONS = (
    Option("win", float, None, Message("value of a decided game, as a share of the largest score"), low=0.001, high=1),
    Option("draw", float, None, Message("value of a drawn game, as a share of the largest score"), low=0, high=1),
    Option("plies", int, 8, Message("plies for which both players agree"), low=2),
    Option("proved", bool, False, Message("end the game when both players have proved its result")),
    Option("length", int, MAX_PLIES, Message("largest number of plies"), low=1, high=MAX_PLIES),
)


@dataclass(frozen=True)
class Adjudication:
    """Rules that end a game early. Without settings, only a very long game ends.

    >>> rules = Adjudication.read("win=0.8,plies=2")
    >>> rules.verdict([(0, Value(0.9)), (1, Value(0.85))], plies=30, unit=1.0)
    (1, 'values')
    >>> rules.verdict([(0, Value(0.9)), (1, Value(-0.85))], plies=30, unit=1.0) is None
    True
    """

    win: float | None = None
    draw: float | None = None
    plies: int = 8
    proved: bool = False
    length: int = MAX_PLIES

    @classmethod
    def read(cls, text: str) -> Adjudication:
        """From a text such as `win=0.9,plies=8`; an empty text has no rules."""
        if not text.strip():
            return cls()
        rules = cls(**read_settings(_OPTIONS, split_spec("adjudicate:" + text)[1], "adjudicate"))
        if rules.win is not None and rules.draw is not None and rules.draw >= rules.win:
            raise HansuError("adjudicate: draw={draw:g} is not less than win={win:g}", draw=rules.draw, win=rules.win)
        return rules

    def __str__(self) -> str:
        changed = {o.name: getattr(self, o.name) for o in _OPTIONS if getattr(self, o.name) != o.default}
        return ",".join(f"{k}={str(v).lower() if isinstance(v, bool) else format(v, 'g')}" for k, v in changed.items())

    @property
    def uses_values(self) -> bool:
        """Whether the rules need the values that players report."""
        return self.proved or self.win is not None or self.draw is not None

    def verdict(self, values: Sequence[tuple[int, Value | None]], plies: int, unit: float) -> tuple[int, str] | None:
        """The outcome for the first seat and the rule that decided it; None if the game continues. `values`: team and
        reported value of each ply so far; `unit`: the game's largest score."""
        if self.proved and len(values) >= 2:
            (team, last), (other, before) = values[-1], values[-2]
            if team != other and last is not None and before is not None and last.proved and before.proved:
                if _sign(last) == _sign(before):
                    return _sign(last), "proved"
        if (self.win is not None or self.draw is not None) and len(values) >= self.plies:
            recent = values[-self.plies :]
            shares = [value / unit for _, value in recent if value is not None]
            if len(shares) == len(recent) and len({team for team, _ in recent}) == 2:
                if self.win is not None and min(shares) >= self.win:
                    return 1, "values"
                if self.win is not None and max(shares) <= -self.win:
                    return -1, "values"
                if self.draw is not None and max(abs(value) for value in shares) <= self.draw:
                    return 0, "values"
        return (0, "length") if plies >= self.length else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
