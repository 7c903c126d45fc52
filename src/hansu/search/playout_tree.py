"""One PUCT tree without a network: equal priors, and leaf values from a random playout or the game's evaluation.

It shows what a network adds, serves games that have none, and runs on classes that cannot be compiled.
"""

from __future__ import annotations

from typing import Any

from hansu.core.control import Control
from hansu.core.generic import Action, State, play
from hansu.core.position import Position
from hansu.search import forest_kernels as kernels
from hansu.search.object_state import ActionTable, ObjectState, needs_object_state
from hansu.search.trees import Trees, TreeSettings, compiled_for
from hansu.search.watch import Watch

MAX_ROOT_MOVES = 4096  # for which Gumbel noise can be drawn


class PlayoutTree:
    """A `SearchTree` whose leaves playouts of at most `playout_plies` plies evaluate.

    A playout that stops before the end of the game returns the game's evaluation there.
    """

    def __init__(
        self, position: Position, settings: TreeSettings, *, max_nodes: int = 1 << 16, seed: int = 0,
        playout_plies: int = 2_000, interpreted: bool = False,
    ) -> None:  # fmt: skip
        self._actions = ActionTable() if needs_object_state(position.state) else None
        self._playout_plies = playout_plies
        self.root: State = self._searchable(position.state)
        self.trees = Trees(
            position, 1, 1 << 30, settings, actions=MAX_ROOT_MOVES, words=0, rows=1, max_nodes=max_nodes, threads=1,
            seed=seed, interpreted=interpreted or self._actions is not None,
        )  # fmt: skip
        self._grow = compiled_for(kernels.gumbel_grow if self.trees.gumbel else kernels.puct_grow, self.trees)

    def _searchable(self, state: State) -> State:
        return state if self._actions is None else ObjectState(state, self._actions)

    def plant(self, state: State) -> None:
        """Start a new tree at a state."""
        self.root = self._searchable(state)
        self.trees.clear()

    def advance(self, action: Action) -> None:
        """Play an action at the root and keep the subtree below it."""
        number = action if self._actions is None else self._actions.number(action)
        self.root = play(self.root, number)
        self.trees.keep_subtrees([number])

    def precompile(self, control: Control) -> None:
        """Compile before a clock starts."""
        control.clear()
        if not self.trees.interpreted:
            self._grow.precompile(*self._arguments(control))

    def grow(self, control: Control) -> None:
        """Simulate until the requested number of simulations is done, or the control stops."""
        self._grow(*self._arguments(control))

    def _arguments(self, control: Control) -> tuple[Any, ...]:
        watch = Watch(control) if self.trees.interpreted else control.address
        return self.root, self.trees.handle, self._playout_plies, self.trees.seeds[0], watch

    def action_of(self, number: int) -> Action:
        """The game's action for a number in the tree."""
        return number if self._actions is None else self._actions.actions[number]

    def draw_rate(self) -> float | None:
        """None: playouts do not estimate the probability of a draw."""
        return None
