"""How a network sees a game: the shape of its planes, the number of actions, and whether actions are cells.

A game without `planes` is encoded as the bits of its state's integers, a row of 63 for each. A board's handle, which
differs from process to process, is masked.
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

PROBES = 60  # positions that are examined


class Encoding:
    """Derived from the rules and some positions of random games."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._first = game.first  # holds the tables that the states below point at
        planes, height, width = plane_shape(game, self._first.state)
        self.plane_shape = planes, height, width

    @property
    def shape(self) -> Shape:
        """Raises if the game does not define `action_count`."""
        actions = int(generic.action_count(self._first.state))
        return Shape(*self.plane_shape, actions, self.cells, self.dark)

    @property
    def dark(self) -> tuple[int, ...]:
        """The masked planes: those of handles."""
        if self._game.plane_shape is not None:
            return ()
        return tuple(i for i, word in enumerate(flat(self._first.state)) if is_handle(word))

    @cached_property
    def whole(self) -> bool:
        """Do planes hold only small integers? Then a byte per cell is enough."""
        return all(bool((planes == planes.astype(np.uint8)).all()) for planes in map(self._planes, self._positions))

    @property
    def examples(self) -> Any:
        """The planes of some positions, float32[n, planes, height, width]."""
        return np.stack([self._planes(s) for s in self._positions])

    @cached_property
    def cells(self) -> str:
        """Does action `d * cells + i` belong to cell `i` for every `d`, counted by "rows" or by "columns"? This is
        tested by the board's symmetries, which must move actions as they move the contents of cells. Without symmetries
        the result is ""."""
        _, height, width = self.plane_shape
        if self._game.symmetries < 2 or generic.action_count(self._first.state) < height * width:
            return ""
        return next((order for order in ("rows", "columns") if self._counted_by(order)), "")

    def _counted_by(self, order: str) -> bool:
        count = self.plane_shape[1] * self.plane_shape[2]

        def contents(s: State) -> Any:
            planes = self._planes(s)
            return (planes if order == "rows" else planes.swapaxes(1, 2)).reshape(-1, count)

        for s in self._positions:
            for k in range(1, self._game.symmetries):
                to = np.array([generic.symmetric_action(s, a, k) % count for a in range(count)])
                if not (contents(generic.symmetric(s, k))[:, to] == contents(s)).all():
                    return False
        return True

    @cached_property
    def _positions(self) -> list[State]:
        """Some positions of random games, without chance nodes."""
        chance = random.Random(1)
        states: list[State] = []
        for _ in range(PROBES):
            s = self._first.state
            while not generic.over(s) and len(states) < PROBES:
                if generic.mover(s) != CHANCE:
                    states.append(s)
                s = generic.play(s, chance.choice(list(generic.actions(s))))
        return states

    def _planes(self, s: State) -> Any:
        out = np.zeros(self.plane_shape, np.float32)
        generic.planes(s, out)
        return out
