"""When a game is decided before it is over: by what both players say of it, or by its length.

win=0.9,plies=8      both have said for 8 plies that the same side is ahead by 0.9 of the game's largest score
draw=0.05,plies=8    both have said for 8 plies that it is this even
proved=yes           each has said, in its last turn, that the same result is proved
length=200           no game is longer than 200 plies: a draw
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.options import Option, read_settings, split_spec
from hansu.core.report import Value

LONGEST_GAME = 10_000  # plies; a game that is longer counts as a draw

_OPTIONS = (
    Option("win", float, None, Message("how far ahead, of the largest score"), low=0.001, high=1),
    Option("draw", float, None, Message("how even, of the largest score"), low=0, high=1),
    Option("plies", int, 8, Message("for how many plies both say so"), low=2),
    Option("proved", bool, False, Message("both have proved it")),
    Option("length", int, LONGEST_GAME, Message("plies at most"), low=1, high=LONGEST_GAME),
)


@dataclass(frozen=True)
class Adjudication:
    """What ends a game early. Nothing but a very great length, unless asked for.

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
    length: int = LONGEST_GAME

    @classmethod
    def read(cls, text: str) -> Adjudication:
        """`win=0.9,plies=8` and the like; nothing for none."""
        if not text.strip():
            return cls()
        made = cls(**read_settings(_OPTIONS, split_spec("adjudicate:" + text)[1], "adjudicate"))
        if made.win is not None and made.draw is not None and made.draw >= made.win:
            raise HansuError("adjudicate: draw={draw:g} is not less than win={win:g}", draw=made.draw, win=made.win)
        return made

    def __str__(self) -> str:
        changed = {o.name: getattr(self, o.name) for o in _OPTIONS if getattr(self, o.name) != o.default}
        return ",".join(f"{k}={str(v).lower() if isinstance(v, bool) else format(v, 'g')}" for k, v in changed.items())

    @property
    def uses_values(self) -> bool:
        """Does it matter what the players say?"""
        return self.proved or self.win is not None or self.draw is not None

    def verdict(self, spoken: Sequence[tuple[int, Value | None]], plies: int, unit: float) -> tuple[int, str] | None:
        """The outcome for the first seat and what decided it, or None: play on. `spoken`: who said what at each ply,
        the last one last; `unit`: the game's largest score."""
        if self.proved and len(spoken) >= 2:
            (team, last), (other, before) = spoken[-1], spoken[-2]
            if team != other and last is not None and before is not None and last.proved and before.proved:
                if _sign(last) == _sign(before):
                    return _sign(last), "proved"
        if (self.win is not None or self.draw is not None) and len(spoken) >= self.plies:
            recent = spoken[-self.plies :]
            values = [value / unit for _, value in recent if value is not None]
            if len(values) == len(recent) and len({team for team, _ in recent}) == 2:
                if self.win is not None and min(values) >= self.win:
                    return 1, "values"
                if self.win is not None and max(values) <= -self.win:
                    return -1, "values"
                if self.draw is not None and max(abs(value) for value in values) <= self.draw:
                    return 0, "values"
        return (0, "length") if plies >= self.length else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
