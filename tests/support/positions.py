"""Random positions for tests."""

from __future__ import annotations

import random

from hansu.core import Game, Position
from hansu.search.chance import step_chance


def some_positions(game: Game, count: int, most: int) -> list[Position]:
    """`count` unfinished positions after at most `most` random moves."""
    chance = random.Random(3)
    positions: list[Position] = []
    while len(positions) < count:
        position = step_chance(game.first, chance)
        for _ in range(chance.randrange(most)):
            if not position.over:
                position = step_chance(position.play(chance.choice(position.actions)), chance)
        if not position.over:
            positions.append(position)
    return positions
