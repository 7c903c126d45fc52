"""The positions of random games for the checks, and the error that a failed check raises."""

from __future__ import annotations

import random
from typing import Any

from hansu.core.errors import HansuError, shortened
from hansu.core.game import Game
from hansu.core.position import Position
from hansu.search.chance import step_chance


class Flaw(HansuError):
    """A mistake in a game: what is wrong, and how to fix it."""


def require(condition: object, what: str, hint: str = "") -> None:
    """Raise a Flaw unless the condition holds."""
    if not condition:
        raise Flaw(what, hint)


def state_text(state: Any) -> str:
    """A state in an error message, shortened."""
    return shortened(state, 160)


def random_walk(game: Game, seed: int, max_positions: int = 60) -> list[Position]:
    """The positions of a random game, including the last one, after the chance moves that are due."""
    chance = random.Random(seed)
    position = step_chance(game.first, chance)
    positions = [position]
    while not position.over and len(positions) < max_positions:
        position = step_chance(position.play(chance.choice(position.actions)), chance)
        positions.append(position)
    return positions
