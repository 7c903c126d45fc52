"""One PUCT tree whose leaves a network evaluates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.core.control import NODES, Control
from hansu.core.errors import HansuError
from hansu.core.game_extensions import ForcedMove, TacticalSolver
from hansu.core.generic import Action, State, play, symmetric_action
from hansu.core.position import Position
from hansu.search.evaluation_cache import EvaluationCache
from hansu.search.forest import Forest
from hansu.search.network import Network
from hansu.search.tactical_leaves import TacticalLeaves
from hansu.search.trees import TreeSettings, packed

MAX_SIMULATIONS = 1 << 20
EXCLUDED = -1e9  # the logit of a move that a forced move rules out


class NetworkTree:
    """A `SearchTree` that sends `settings.leaves` positions to the network at once.

    `solver` settles leaves that it proves, before the network; `forced_move` then overrides both.
    """

    def __init__(
        self, position: Position, settings: TreeSettings, network: Network, *, max_nodes: int, seed: int = 0,
        forced_move: Callable[[Position], ForcedMove | None] | None = None, solver: TacticalSolver | None = None,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        self.root: State = position.state
        self._position, self._network, self._forced_move, self._solver = position, network, forced_move, solver
        self.trees = Forest(
            position, 1, MAX_SIMULATIONS, settings, max_nodes=max_nodes, seed=seed, interpreted=interpreted
        )  # fmt: skip
        self._cache = EvaluationCache(self.trees.actions, self.trees.inputs)

    def plant(self, state: State) -> None:
        """Start a new tree at a state."""
        self.root = state
        self.trees.plant(packed([state]))

    def advance(self, action: Action) -> None:
        """Play an action at the root and keep the subtree below it."""
        self.root = play(self.root, action)
        self.trees.advance([action])

    def precompile(self, control: Control) -> None:
        """Compile before a clock starts."""
        if self._solver is not None:
            self._solver.precompile()
        self.trees.precompile()

    def grow(self, control: Control) -> None:
        """Simulate until the requested number of simulations is done, or the control stops."""
        batch = self.trees.select()
        while batch is not None:
            policy, value = self._evaluate(batch)
            if control.stopped:  # no leaf may be left waiting
                self.trees.expand(policy, value)
                return
            batch = self.trees.step(policy, value)
            control.words[NODES] = int(self.trees.done()[0])

    def action_of(self, number: int) -> Action:
        """The game's action for a number in the tree."""
        return number

    def draw_rate(self) -> float | None:
        """The mean probability of a draw at the ends of the simulations."""
        return float(self.trees.draw_rates()[0])

    def _evaluate(self, batch: Any) -> tuple[Any, Any]:
        """Logits float32[rows, actions] and probabilities of win, draw and loss float32[rows, 3]."""
        if self._solver is None:
            policy, value = self._run_network(batch)
        else:
            leaves = TacticalLeaves(self.trees, self._solver)
            policy = np.zeros((len(batch), self.trees.actions), np.float32)
            value = np.zeros((len(batch), 3), np.float32)
            if len(leaves.open_rows):
                policy[leaves.open_rows], value[leaves.open_rows] = self._run_network(batch[leaves.open_rows])
            leaves.write_to(policy, value)
        if self._forced_move is not None:
            self._write_forced_moves(self._forced_move, policy, value)
        return policy, value

    def _run_network(self, batch: Any) -> tuple[Any, Any]:
        policy, value = self._cache.answer(batch, self._network)
        if not (value == value).all():
            raise HansuError(
                "{path} returns NaN or infinite numbers", "train the network again, or name another",
                path=self._network.path,
            )  # fmt: skip
        return policy, value

    def _write_forced_moves(
        self, forced_move: Callable[[Position], ForcedMove | None], policy: Any, value: Any
    ) -> None:  # fmt: skip
        """Leave a forced move as the only one of its leaf, with the value of a win where it wins."""
        leaves, states = self.trees.pending
        for (_, row, turn), words in zip(leaves, states, strict=True):
            s = self.trees.state(words)
            forced = forced_move(Position(self._position.game, s, self._position.tables))
            if forced is None:
                continue
            for k in range(self.trees.rows):
                policy[row + k] = EXCLUDED
                policy[row + k, symmetric_action(s, forced.action, k if self.trees.rows > 1 else int(turn))] = 0.0
                if forced.wins:
                    value[row + k] = (1.0, 0.0, 0.0)
