"""Chance moves, sampled by their probabilities: in compiled code and for positions."""

from __future__ import annotations

import random
from typing import Any

from hansu.core.bits import next_random
from hansu.core.generic import CHANCE, Action, State, actions, mover, over, play, probability
from hansu.core.position import Position


def sample_chance(s: State, seed: Any) -> Action:
    """An action of a chance node, sampled by its probability. `seed` is int64[1]."""
    left = next_random(seed) / 2147483648.0
    last = -1
    for a in actions(s):
        last = a
        left -= probability(s, a)
        if left < 0.0:
            return a
    return last


def after_chance(s: State, seed: Any) -> State:
    """The state after all chance moves that are due. `seed` is int64[1]."""
    while not over(s) and mover(s) == CHANCE:
        s = play(s, sample_chance(s, seed))
    return s


def step_chance(position: Position, chance: random.Random) -> Position:
    """The position after all chance moves that are due."""
    while not position.over and position.mover == CHANCE:
        position = position.play_random(chance)
    return position
