"""A Monte-Carlo tree as it grows, simulation by simulation, for drawing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from hansu.core.control import Control
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.position import Position
from hansu.search.object_state import ObjectState


@dataclass(frozen=True)
class Visited:
    """A node on the path of a simulation, with its values right after that simulation."""

    slot: int  # its index in the tree
    move: str  # the move that leads to it; empty at the root
    state: Any
    visits: int
    value: float | None  # mean of the results, from player 0's side
    prior: float | None = None  # the network's probability of the move


class Growing(Protocol):
    """A player whose simulations can be watched (`Player.traced_as` is "visits")."""

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """The paths of up to `most` simulations, each from the root."""
        ...


def move_name(game: Game, state: Any, action: Action) -> str:
    """The notation of a move, also for an `ObjectState`."""
    if isinstance(state, ObjectState):
        return game.move_text(state.inner, state.table.actions[action])
    return game.move_text(state, action)
