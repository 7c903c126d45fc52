"""What a network sees of a game: the shape of its planes, how many actions there are, whether actions are cells.

A game that says no `planes` is seen as the bits of its numbers, a row of 63 for each; a board's handle, which is
another number in every process, is left dark.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

import numpy as np

from hansu.core import generic
from hansu.core.bits import flat
from hansu.core.game import Game
from hansu.core.generic import CHANCE, State
from hansu.core.tables import is_handle
from hansu.learn.networks import Shape
from hansu.search.network import plane_shape

PROBES = 60  # positions that are looked at


class Encoding:
    """Found out by asking the rules about some positions of random play."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._first = game.first  # holds the tables that the states below point at
        planes, height, width = plane_shape(game, self._first.state)
        self.plane_shape = planes, height, width

    @property
    def shape(self) -> Shape:
        """Raises where the game does not say how many actions there are."""
        actions = int(generic.action_count(self._first.state))
        return Shape(*self.plane_shape, actions, self.cells, self.dark)

    @property
    def dark(self) -> tuple[int, ...]:
        """The planes that show a handle."""
        if self._game.plane_shape is not None:
            return ()
        return tuple(i for i, word in enumerate(flat(self._first.state)) if is_handle(word))

    @cached_property
    def whole(self) -> bool:
        """Do planes hold small whole numbers only? Then a byte a cell is enough."""
        return all(bool((made == made.astype(np.uint8)).all()) for made in map(self._planes, self._positions))

    @property
    def examples(self) -> Any:
        """What a network sees of some positions, float32[n, planes, height, width]."""
        return np.stack([self._planes(s) for s in self._positions])

    @cached_property
    def cells(self) -> str:
        """Is action `d * cells + i` about cell `i`, whatever `d`, counted by "rows" or by "columns"? The board's
        symmetries tell: they must move actions as they move what lies on the cells. Without symmetries there is no
        telling, and the answer is no."""
        _, height, width = self.plane_shape
        if self._game.symmetries < 2 or generic.action_count(self._first.state) < height * width:
            return ""
        return next((order for order in ("rows", "columns") if self._counted_by(order)), "")

    def _counted_by(self, order: str) -> bool:
        count = self.plane_shape[1] * self.plane_shape[2]

        def seen(s: State) -> Any:
            planes = self._planes(s)
            return (planes if order == "rows" else planes.swapaxes(1, 2)).reshape(-1, count)

        for s in self._positions:
            for k in range(1, self._game.symmetries):
                to = np.array([generic.symmetric_action(s, a, k) % count for a in range(count)])
                if not (seen(generic.symmetric(s, k))[:, to] == seen(s)).all():
                    return False
        return True

    @cached_property
    def _positions(self) -> list[State]:
        """Some positions where somebody is to move."""
        chance = random.Random(1)
        found: list[State] = []
        for _ in range(PROBES):
            s = self._first.state
            while not generic.over(s) and len(found) < PROBES:
                if generic.mover(s) != CHANCE:
                    found.append(s)
                s = generic.play(s, chance.choice(list(generic.actions(s))))
        return found

    def _planes(self, s: State) -> Any:
        out = np.zeros(self.plane_shape, np.float32)
        generic.planes(s, out)
        return out
