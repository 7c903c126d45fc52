"""Leaves of which a game knows moves that win or lose (`core.game.Foresight`), told to a forest beside a network's
answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core.game_extensions import LASTS, WINS, TacticalSolver
from hansu.core.generic import symmetric_action
from hansu.search.forest import Forest


class TacticalLeaves:
    """What is known of the leaves that wait. `open_rows` are the rows of the batch whose value is not known."""

    def __init__(self, forest: Forest, foresight: TacticalSolver) -> None:
        self._forest = forest
        self._leaves, self._states = forest.waiting
        self._marks = marks = foresight.marks(self._states, forest.actions)
        at_root = forest.slots["count"][self._leaves[:, 0], 0] < 0  # the root itself waits
        marks[at_root[:, None] & (marks == LASTS)] = 0  # something must be played there
        self._won, self._lost = (marks == WINS).any(1), (marks == LASTS).any(1)
        self._rows = self._leaves[:, 1, None] + np.arange(forest.rows)  # [leaves, symmetries]
        self.open_rows = np.sort(self._rows[~(self._won | self._lost)].ravel())

    def tell(self, policy: Any, value: Any) -> None:
        """Put it into the answers to the whole batch: logits float32[rows, actions], chances float32[rows, 3]."""
        value[self._rows[self._won]] = 1.0, 0.0, 0.0
        value[self._rows[self._lost]] = 0.0, 0.0, 1.0
        for i in np.flatnonzero(self._marks.any(1)).tolist():
            actions = np.flatnonzero(self._marks[i])
            logits = np.where(self._marks[i, actions] == WINS, np.inf, -np.inf)
            for k, row in enumerate(self._rows[i]):
                turn = k if len(self._rows[i]) > 1 else int(self._leaves[i, 2])
                policy[row, self._turned(i, actions, turn)] = logits

    def _turned(self, leaf: int, actions: Any, turn: int) -> Any:
        """Actions as they are seen on a board that was turned."""
        if turn == 0:
            return actions
        s = self._forest.state(self._states[leaf])
        return np.array([symmetric_action(s, int(action), turn) for action in actions])
