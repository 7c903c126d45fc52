"""A tree of visits as it grows, simulation by simulation, for whoever draws it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from hansu.core.control import Control
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.position import Position
from hansu.search.object_state import Numbered


@dataclass(frozen=True)
class Visited:
    """A node on the way of a simulation, as it stands right after it."""

    slot: int  # its place in the tree
    move: str  # that leads to it; empty at the root
    state: Any
    visits: int
    value: float | None  # the mean so far, from player 0's side
    prior: float | None = None  # what the network thought of the move


class Growing(Protocol):
    """What a player that is traced as visits can be asked."""

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """The ways of so many simulations, the root first."""
        ...


def move_name(game: Game, state: Any, action: Action) -> str:
    """A move's text, also where the state's class is not ours and its actions go by numbers."""
    if isinstance(state, Numbered):
        return game.move_text(state.inner, state.book.actions[action])
    return game.move_text(state, action)
