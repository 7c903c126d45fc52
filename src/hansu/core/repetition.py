"""Repeated positions. Rules see one state; `Game.repetition` sees the whole game.

The rule applies wherever a game is played: in matches, in the terminal, in the browser, in files. Searches see states
only; general players check for repetitions at the root (`search/players/repetition.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from hansu.core.generic import key
from hansu.core.types import State

Ends = Callable[[Sequence[Hashable]], float | None]
"""Maps the keys of all positions so far, the current one last, to the final score, or to None if the game goes on."""


def third_time(keys: Sequence[Hashable]) -> float | None:
    """Threefold repetition is a draw."""
    return 0.0 if keys.count(keys[-1]) >= 3 else None


@dataclass(frozen=True)
class Repetition:
    """States with equal `key` are the same position. (Leave move counters out of it.)

    >>> Repetition().ends(["a", "b", "a", "b", "a"])
    0.0
    """

    key: Callable[[State], Hashable] = key
    ends: Ends = third_time
