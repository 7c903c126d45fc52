"""Random play to the end of the game."""

from __future__ import annotations

from typing import Any

from hansu.core.generic import State, evaluate, over, play, random_action, score


def playout(s: State, seed: Any, max_plies: int) -> float:
    """The result of random play from `s`, or the evaluation after `max_plies` plies. `seed` is int64[1]."""
    for _ in range(max_plies):
        if over(s):
            return float(score(s))
        s = play(s, random_action(s, seed))
    return float(score(s)) if over(s) else float(evaluate(s))


def playouts(s: State, count: int, seed: Any, max_plies: int) -> float:
    """The mean result of `count` playouts. `seed` is int64[1]."""
    total = 0.0
    for _ in range(count):
        total += playout(s, seed, max_plies)
    return total / count
