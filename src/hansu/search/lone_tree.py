"""One tree without a network: even priors, and the value of a leaf from a random playout or the game's evaluation. It
shows what a network adds, serves games that have none, and runs on classes that cannot be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core.control import Control
from hansu.core.generic import Action, State, play
from hansu.core.position import Position
from hansu.search import forest_kernels as kernels
from hansu.search.object_state import Numbered, ObjectTable, is_foreign
from hansu.search.trees import Trees, TreeSettings, compiled_for
from hansu.search.watch import Watch

NOISE_ROOM = 4096  # root moves at most that Gumbel's noise is drawn for


class LoneTree(Trees):
    """Grows by `grow`. `plies` is the length of a playout; where the game goes on then, its evaluation is asked."""

    def __init__(
        self, position: Position, settings: TreeSettings, *, room: int = 1 << 16, seed: int = 0, plies: int = 2_000,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        self.book = ObjectTable() if is_foreign(position.state) else None
        self.plies = plies
        super().__init__(
            position, 1, 1 << 30, settings, actions=NOISE_ROOM, words=0, rows=1, room=room, threads=1, seed=seed,
            interpreted=interpreted or self.book is not None,
        )  # fmt: skip
        self.root: State = self._wrapped(position.state)
        self._grow = compiled_for(kernels.gumbel_grow if self.gumbel else kernels.puct_grow, self)

    def _wrapped(self, state: State) -> State:
        return state if self.book is None else Numbered(state, self.book)

    def plant(self, state: State, simulations: Any = None) -> None:
        self.root = self._wrapped(state)
        self.forget(simulations)

    def advance(self, action: Action, simulations: Any = None) -> None:
        """Play an action; what was found below it is kept."""
        number = action if self.book is None else self.book.number(action)
        self.root = play(self.root, number)
        self.keep([number], simulations)

    def _arguments(self, control: Control) -> tuple[Any, ...]:
        if self.interpreted:
            return self.root, self.handle, self.plies, self.seeds[0], Watch(control)
        return self.root, self.handle, self.plies, self.seeds[0], control.address

    def precompile(self, control: Control) -> None:
        """Compile before a clock starts."""
        if not self.interpreted:
            self._grow.precompile(*self._arguments(control))

    def grow(self, control: Control) -> None:
        """Simulate until as many are done as are wanted, or the control says stop."""
        self._grow(*self._arguments(control))

    def named(self, number: int) -> Action:
        """The action that a tree keeps as a number."""
        return number if self.book is None else self.book.actions[number]

    @property
    def path(self) -> list[int]:
        """The slots of the last simulation."""
        return [int(slot) for slot in self.paths[0, : np.count_nonzero(self.paths[0]) + 1]]
