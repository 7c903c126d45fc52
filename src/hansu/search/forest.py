"""Many search trees of one game, whose leaves one evaluator handles in batches.

    forest = Forest(game, trees=4096, simulations=128)
    forest.plant(states)
    batch = forest.select()                     # the planes of one or several leaves of each tree
    while batch is not None:
        policy, value = network(batch)
        batch = forest.step(policy, value)      # expand and select in one pass
    forest.best(), forest.policy(), forest.values()

The same code searches one tree in a game and thousands in self-play: all arrays have a tree axis, compiled code loops
over the trees, and threads share them. Two forests in alternation keep both the CPU cores and the GPU busy.
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
from hansu.search.trees import FEW_TREES, Branch, Trees, TreeSettings, compiled_for, packed

__all__ = ["Branch", "Forest", "TreeSettings", "packed"]

MAX_MEAN_CHILDREN = 256  # slots reserved for each node, on average, in games with more actions


def nodes_needed(simulations: int, actions: int, settings: TreeSettings) -> int:
    """Slots of a tree. With one leaf at a time, pruned children leave no gaps."""
    if settings.prune and settings.leaves == 1:
        return (simulations + 1) * min(actions, settings.prune) + actions + 1
    return (simulations + 2) * min(actions, MAX_MEAN_CHILDREN)


class Forest(Trees):
    """`trees` searches of one game, from the position `where` or the game's first one.

    The forest keeps the position alive, because states may refer to its board tables. `inputs` is an optional array
    for the batches, [trees * leaves (* symmetries), planes, height, width]: for example pinned memory, or int8.
    """

    def __init__(
        self, where: Game | Position, trees: int = 1, simulations: int = 128, settings: TreeSettings | None = None, *,
        threads: int = 1, dtype: Any = np.float32, max_nodes: int | None = None, seed: int = 0, inputs: Any = None,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        position = where if isinstance(where, Position) else where.first
        settings = settings or TreeSettings()
        game, like = position.game, position.state
        actions = int(action_count(like))
        super().__init__(
            position, trees, simulations, settings, actions=actions, words=len(flat(like)),
            rows=game.symmetries if settings.symmetries == "all" else 1,
            max_nodes=max_nodes or nodes_needed(simulations, actions, settings), threads=threads, seed=seed,
            interpreted=interpreted,
        )  # fmt: skip
        self.plane_shape = plane_shape(game, like)
        shape = (trees * self.leaves * self.rows, *self.plane_shape)
        if inputs is not None and inputs.shape != shape:
            raise HansuError(
                "the inputs have the shape {shape}", "expected: {expected}", shape=inputs.shape, expected=shape
            )
        self.inputs = np.zeros(shape, dtype) if inputs is None else inputs
        self._filled = np.zeros(self.threads, np.int64)  # rows of the batch, by thread
        if self.threads > 1:
            kind: Any = type(like)
            blank = unpack(like, [0] * self.words)  # a board's handle differs between processes
            step: Any = kernels.shares_for(kind, blank, True if self.gumbel else None)
        else:
            step = kernels.gumbel_step if self.gumbel else kernels.puct_step
        self._step = compiled_for(step, self)
        self._pending_rows = 0  # rows of the batch that wait for their evaluation
        self.roots[:] = packed([like])

    def plant(self, states: Any, simulations: Any = None) -> None:
        """Start new trees at states, int64[trees, words] (see `packed`), with this many simulations each."""
        self.roots[:] = states
        self.clear(simulations)
        self._pending_rows = 0

    def advance(self, actions: Any, simulations: Any = None) -> None:
        """Play an action, int[trees], in every tree and keep the subtree below it."""
        actions = np.ascontiguousarray(actions, np.int64)
        play = kernels.play_at_roots if self.trees <= FEW_TREES else compiled_for(kernels.play_at_roots, self)
        play(self.position.state, self.handle, actions, 0, self.trees)
        self.keep_subtrees(actions, simulations)
        self._pending_rows = 0

    def precompile(self) -> None:
        """Compile before a clock starts."""
        if not self.interpreted:
            self._step.precompile(*self._arguments(True))

    def _arguments(self, again: bool) -> tuple[Any, ...]:
        if self.threads > 1:
            return self.handle, self.inputs, self.edges, self._filled, again
        return self.position.state, self.handle, self.inputs, 0, self.trees, again

    def select(self) -> Any:
        """The planes of the leaves to evaluate, [rows, planes, height, width], or None when all trees are done."""
        if self._pending_rows:
            raise HansuError(
                "the last batch has not been evaluated", "call expand() or step() with its policy and value"
            )
        return self._go(True)

    def expand(self, policy: Any, value: Any) -> None:
        """Back up the evaluations of the last batch.

        `policy` holds logits, float32[rows, actions]; `value` the mover's probabilities of win, draw and loss,
        float32[rows, 3]. With the setting `proofs`, a logit of +inf marks a proved win and -inf a proved loss (in
        every row of a leaf).
        """
        self._evaluate(policy, value, False)

    def step(self, policy: Any, value: Any) -> Any:
        """`expand`, then `select`, in one pass over the trees."""
        return self._evaluate(policy, value, True)

    def _evaluate(self, policy: Any, value: Any, again: bool) -> Any:
        policy, value = np.ascontiguousarray(policy, np.float32), np.ascontiguousarray(value, np.float32)
        rows = self._pending_rows
        shapes = policy.shape[1:], value.shape[1:]
        if min(len(policy), len(value)) < rows or shapes != ((self.actions,), (3,)):
            raise HansuError(
                "policy and value have the shapes {policy} and {value}",
                "expected: ({rows}, {actions}) and ({rows}, 3)",
                policy=policy.shape, value=value.shape, rows=rows, actions=self.actions,
            )  # fmt: skip
        self.evaluations[:] = policy.ctypes.data, value.ctypes.data
        return self._go(again)

    def _go(self, again: bool) -> Any:
        filled = self._step(*self._arguments(again))
        if self.threads == 1:
            self._filled[0] = filled
        self._pending_rows = int(self._filled.sum())
        if self.threads > 1 and 0 < self._pending_rows < len(self.inputs):
            self._close_gaps(self._filled.tolist())
        return self.inputs[: self._pending_rows] if self._pending_rows else None

    def _close_gaps(self, filled: list[int]) -> None:
        """Move the last rows into the gaps that finished trees leave in each thread's part of the batch."""
        per, leaf = self.leaves, self.rows
        total = self._pending_rows // leaf
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
        rows = self.leaf_table[:, :, kernels.ROW]
        rows[:] = place[rows // leaf] * leaf

    @property
    def pending(self) -> tuple[Any, Any]:
        """The leaves of the last batch: (tree, row, symmetry) of each, int64[leaves, 3], and their packed states,
        int64[leaves, words]."""
        mask = np.arange(self.leaves) < self.counts[:, kernels.PENDING, None]
        tree = np.nonzero(mask)[0]
        leaves = self.leaf_table[mask]
        return np.stack((tree, leaves[:, kernels.ROW], leaves[:, kernels.SYMMETRY]), 1), self.states[mask]

    def state(self, row: Any) -> State:
        """The state in a row of words, int64[words]."""
        return unpack(self.position.state, row)
