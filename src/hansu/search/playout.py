"""Random play to the end of the game."""

from __future__ import annotations

from typing import Any

from hansu.core.generic import State, evaluate, over, play, random_action, score


def playout(s: State, seed: Any, most: int) -> float:
    """The result of random play from `s`; where the game goes on after `most` plies, its evaluation then."""
    for _ in range(most):
        if over(s):
            return float(score(s))
        s = play(s, random_action(s, seed))
    return float(score(s)) if over(s) else float(evaluate(s))


def playouts(s: State, count: int, seed: Any, most: int) -> float:
    """The mean result of many playouts."""
    total = 0.0
    for _ in range(count):
        total += playout(s, seed, most)
    return total / count
