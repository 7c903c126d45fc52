"""Ataxx positions for tests."""

from __future__ import annotations

import random

from hansu.core import generic
from hansu.games.ataxx import rules as r


def wander(seed: int, contest: int = 0) -> list[r.Ataxx]:
    """The states of a random game, sometimes with gaps."""
    rng = random.Random(seed)
    gaps = sum(1 << q for q in rng.sample(range(1, 42), rng.choice([0, 0, 4, 12])) if q != 6)
    s = r.start()._replace(gaps=gaps, contest=contest)
    states = [s]
    while not r.over(s):
        s = r.play(s, rng.choice(list(generic.actions(s))))
        states.append(s)
    return states
