"""Where checks look: the positions of random games; and what they say when something is not as it should be."""

from __future__ import annotations

import random
from typing import Any

from hansu.core.errors import HansuError, shortened
from hansu.core.game import Game
from hansu.core.position import Position
from hansu.search.chance import step_chance


class Flaw(HansuError):
    """Something that is wrong with a game, in words, and what to do about it."""


def require(true: object, what: str, hint: str = "") -> None:
    """Raise a Flaw unless something is true."""
    if not true:
        raise Flaw(what, hint)


def shown(state: Any) -> str:
    """A state as messages show it."""
    return shortened(state, 160)


def wander(game: Game, seed: int, most: int = 60) -> list[Position]:
    """The positions of a random game, the last one included; where chance is to move, it has moved."""
    chance = random.Random(seed)
    position = step_chance(game.first, chance)
    met = [position]
    while not position.over and len(met) < most:
        position = step_chance(position.play(chance.choice(position.actions)), chance)
        met.append(position)
    return met
