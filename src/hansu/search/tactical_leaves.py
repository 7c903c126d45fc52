"""Leaves whose winning or losing moves a game's solver proves (`core.game_extensions.TacticalSolver`).

Their values and moves replace the network's evaluation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core.game_extensions import LASTS, WINS, TacticalSolver
from hansu.core.generic import symmetric_action
from hansu.search.forest import Forest


class TacticalLeaves:
    """Proofs for the pending leaves of a forest. `open_rows` are the rows of the batch that still need the network."""

    def __init__(self, forest: Forest, solver: TacticalSolver) -> None:
        self._forest = forest
        self._leaves, self._states = forest.pending
        self._marks = marks = solver.marks(self._states, forest.actions)
        at_root = forest.slots["count"][self._leaves[:, 0], 0] < 0  # the root itself is pending
        marks[at_root[:, None] & (marks == LASTS)] = 0  # the root must keep a move to play
        self._won, self._lost = (marks == WINS).any(1), (marks == LASTS).any(1)
        self._rows = self._leaves[:, 1, None] + np.arange(forest.rows)  # [leaves, symmetries]
        self.open_rows = np.sort(self._rows[~(self._won | self._lost)].ravel())

    def write_to(self, policy: Any, value: Any) -> None:
        """Write the proofs to the evaluations of the whole batch: logits float32[rows, actions], and probabilities of
        win, draw and loss float32[rows, 3]."""
        value[self._rows[self._won]] = 1.0, 0.0, 0.0
        value[self._rows[self._lost]] = 0.0, 0.0, 1.0
        for i in np.flatnonzero(self._marks.any(1)).tolist():
            actions = np.flatnonzero(self._marks[i])
            logits = np.where(self._marks[i, actions] == WINS, np.inf, -np.inf)
            for k, row in enumerate(self._rows[i]):
                symmetry = k if len(self._rows[i]) > 1 else int(self._leaves[i, 2])
                policy[row, self._transformed(i, actions, symmetry)] = logits

    def _transformed(self, leaf: int, actions: Any, symmetry: int) -> Any:
        """Actions, int64[n], under a symmetry of the board."""
        if symmetry == 0:
            return actions
        s = self._forest.state(self._states[leaf])
        return np.array([symmetric_action(s, int(action), symmetry) for action in actions])
