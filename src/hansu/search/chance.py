"""The moves of chance: drawn with their probabilities, in compiled games and in positions."""

from __future__ import annotations

import random
from typing import Any

from hansu.core.bits import next_random
from hansu.core.generic import CHANCE, Action, State, actions, mover, over, play, probability
from hansu.core.position import Position


def drawn(s: State, seed: Any) -> Action:
    """What chance plays."""
    left = next_random(seed) / 2147483648.0
    last = -1
    for a in actions(s):
        last = a
        left -= probability(s, a)
        if left < 0.0:
            return a
    return last


def after_chance(s: State, seed: Any) -> State:
    """After all moves of chance that are due."""
    while not over(s) and mover(s) == CHANCE:
        s = play(s, drawn(s, seed))
    return s


def step_chance(position: Position, chance: random.Random) -> Position:
    """Let chance move wherever it is to."""
    while not position.over and position.mover == CHANCE:
        position = position.play_random(chance)
    return position
