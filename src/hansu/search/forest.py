"""Many trees side by side, and one evaluator that answers for all of them at once.

    forest = Forest(game, trees=4096, simulations=128)
    forest.plant(states)
    batch = forest.select()                     # the planes of one leaf a tree (or several)
    while batch is not None:
        policy, value = network(batch)
        batch = forest.step(policy, value)      # expand and select in one go
    forest.best(), forest.policy(), forest.values()

One tree in play and thousands in self-play are the same code: everything lies in arrays with a tree axis, compiled code
goes over the trees, threads share them out. Two forests in turn keep cores and graphics card busy at the same time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core.bits import flat, unpack
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import State, action_count
from hansu.core.position import Position
from hansu.search import forest_kernels as kernels
from hansu.search.network import plane_shape
from hansu.search.trees import FEW, Branch, Trees, TreeSettings, compiled_for, packed

__all__ = ["Branch", "Forest", "TreeSettings", "packed"]

WIDEST = 256  # children that room is kept for, on average, where a game has more actions


def room_for(simulations: int, actions: int, settings: TreeSettings) -> int:
    """Slots of a tree. Where a leaf's answer comes before the next leaf is sought, pruned children leave no gaps."""
    if settings.prune and settings.leaves == 1:
        return (simulations + 1) * min(actions, settings.prune) + actions + 1
    return (simulations + 2) * min(actions, WIDEST)


class Forest(Trees):
    """`trees` searches of one game. Handles in states stay valid while the position they come from lives: it is kept.
    `inputs`, [trees * leaves (* symmetries), planes, height, width], may be given: a graphics card likes memory of its
    own kind, and whole numbers."""

    def __init__(
        self, where: Game | Position, trees: int = 1, simulations: int = 128, settings: TreeSettings | None = None, *,
        threads: int = 1, dtype: Any = np.float32, room: int | None = None, seed: int = 0, inputs: Any = None,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        position = where if isinstance(where, Position) else where.first
        settings = settings or TreeSettings()
        game, like = position.game, position.state
        actions = int(action_count(like))
        super().__init__(
            position, trees, simulations, settings, actions=actions, words=len(flat(like)),
            rows=game.symmetries if settings.symmetries == "all" else 1,
            room=room or room_for(simulations, actions, settings), threads=threads, seed=seed, interpreted=interpreted,
        )  # fmt: skip
        self.plane_shape = plane_shape(game, like)
        shape = (trees * self.leaves * self.rows, *self.plane_shape)
        if inputs is not None and inputs.shape != shape:
            raise HansuError(f"inputs of shape {inputs.shape}", f"wanted: {shape}")
        self.inputs = np.zeros(shape, dtype) if inputs is None else inputs
        self._filled = np.zeros(self.threads, np.int64)  # rows of the batch, by each share
        if self.threads > 1:
            kind: Any = type(like)
            blank = unpack(like, [0] * self.words)  # a board's handle is another number in every process
            step: Any = kernels.shares_for(kind, blank, True if self.gumbel else None)
        else:
            step = kernels.gumbel_step if self.gumbel else kernels.puct_step
        self._step = compiled_for(step, self)
        self._asked = 0  # rows of the batch that wait for an answer
        self.roots[:] = packed([like])

    def plant(self, states: Any, simulations: Any = None) -> None:
        """New roots, int64[trees, words] (see `packed`), and how many simulations each gets."""
        self.roots[:] = states
        self.forget(simulations)
        self._asked = 0

    def advance(self, actions: Any, simulations: Any = None) -> None:
        """Play an action in every tree; what was found below it is kept."""
        actions = np.ascontiguousarray(actions, np.int64)
        move = kernels.move if self.trees <= FEW else compiled_for(kernels.move, self)
        move(self.position.state, self.handle, actions, 0, self.trees)
        self.keep(actions, simulations)
        self._asked = 0

    def precompile(self) -> None:
        """Compile before a clock starts."""
        if not self.interpreted:
            self._step.precompile(*self._arguments(True))

    def _arguments(self, again: bool) -> tuple[Any, ...]:
        if self.threads > 1:
            return self.handle, self.inputs, self.edges, self._filled, again
        return self.position.state, self.handle, self.inputs, 0, self.trees, again

    def select(self) -> Any:
        """The planes of the leaves that need an answer, [rows, planes, height, width], or None when all trees are
        done."""
        if self._asked:
            raise HansuError("the last batch has not been answered", "call expand() or step() with its answers")
        return self._go(True)

    def expand(self, policy: Any, value: Any) -> None:
        """Answer the last batch: logits float32[rows, actions] and probabilities of win, draw and loss for the mover
        float32[rows, 3]. With the setting `told` a logit of +inf says that the move is known to win, one of -inf that
        it is known to lose (in every row of a leaf)."""
        self._take(policy, value, False)

    def step(self, policy: Any, value: Any) -> Any:
        """`expand`, then `select`, in one pass over the trees."""
        return self._take(policy, value, True)

    def _take(self, policy: Any, value: Any, again: bool) -> Any:
        policy, value = np.ascontiguousarray(policy, np.float32), np.ascontiguousarray(value, np.float32)
        rows = self._asked
        shapes = policy.shape[1:], value.shape[1:]
        if min(len(policy), len(value)) < rows or shapes != ((self.actions,), (3,)):
            wanted = f"wanted: ({rows}, {self.actions}) and ({rows}, 3)"
            raise HansuError(f"answers of shape {policy.shape} and {value.shape}", wanted)
        self.answers[:] = policy.ctypes.data, value.ctypes.data
        return self._go(again)

    def _go(self, again: bool) -> Any:
        filled = self._step(*self._arguments(again))
        if self.threads == 1:
            self._filled[0] = filled
        self._asked = int(self._filled.sum())
        if self.threads > 1 and 0 < self._asked < len(self.inputs):
            self._close_gaps(self._filled.tolist())
        return self.inputs[: self._asked] if self._asked else None

    def _close_gaps(self, filled: list[int]) -> None:
        """Threads fill rows of their own, trees that are done leave gaps: the last rows move there."""
        per, leaf = self.leaves, self.rows
        total = self._asked // leaf
        taken = [np.arange(lo * per, lo * per + n // leaf) for (lo, _), n in zip(self.shares, filled, strict=True)]
        free = [np.arange(lo * per + n // leaf, hi * per) for (lo, hi), n in zip(self.shares, filled, strict=True)]
        old, new = np.concatenate(taken), np.concatenate(free)
        old, new = old[old >= total], new[new < total]
        if len(old) == 0:
            return
        blocks = self.inputs.reshape(-1, leaf, *self.plane_shape)
        blocks[new] = blocks[old]
        place = np.arange(self.trees * per)
        place[old] = new
        rows = self.waits[:, :, kernels.ROW]
        rows[:] = place[rows // leaf] * leaf

    @property
    def waiting(self) -> tuple[Any, Any]:
        """The leaves of the last batch: (tree, row, symmetry) of each, int64[leaves, 3], and their states,
        int64[leaves, words]."""
        some = np.arange(self.leaves) < self.counts[:, kernels.PENDING, None]
        tree = np.nonzero(some)[0]
        leaves = self.waits[some]
        return np.stack((tree, leaves[:, kernels.ROW], leaves[:, kernels.SYMMETRY]), 1), self.states[some]

    def state(self, row: Any) -> State:
        """The state in a row of words."""
        return unpack(self.position.state, row)
