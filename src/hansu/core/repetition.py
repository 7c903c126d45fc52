"""Positions that come again. Rules see one state and not the way there; `Game.repetition` sees the way.

It holds wherever a game is played: in matches, in the terminal, in the browser, in files. Searches look at states
alone; the general ones mind it where it bears on the move at hand (`search/players/repeating.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from hansu.core.generic import State, key

Ends = Callable[[Sequence[Hashable]], float | None]
"""The keys of all positions so far, the one at hand last -> the score that the game ends with, or None: it goes on."""


def third_time(keys: Sequence[Hashable]) -> float | None:
    """A draw when a position is there for the third time."""
    return 0.0 if keys.count(keys[-1]) >= 3 else None


@dataclass(frozen=True)
class Repetition:
    """`key` says which states count as the same position: a counter in the state, for one, must not be in it.

    >>> Repetition().ends(["here", "there", "here", "there", "here"])
    0.0
    """

    key: Callable[[State], Hashable] = key
    ends: Ends = third_time
