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

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hansu.core.bits import flat, mix, unpack
from hansu.core.compiled import compiled
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import Action, State, action_count
from hansu.core.position import Position
from hansu.search import forest_kernels as kernels
from hansu.search import forest_reading as reading
from hansu.search.guided import GROWTH_VISITS, NUMBERS
from hansu.search.network import plane_shape
from hansu.search.tree import FINISHED, SLOTS, SPREAD_ROOM, UNSEEN

WIDEST = 256  # children that room is kept for, on average, where a game has more actions
FEW = 8  # trees
DEEPEST = 512  # plies of a simulation at most


@dataclass(frozen=True)
class Settings:
    """How the trees are searched."""

    algorithm: str = "puct"  # or gumbel
    exploration: float = 1.2  # c = exploration + growth * log(1 + N / 500)
    growth: float = 0.4
    urgency: float = 0.2  # how far below its parent's value a move without a visit begins
    noise: float = 0.0  # share of Dirichlet noise in the root's priors
    alpha: float = 10.0  # of that noise, for all moves together
    forced: float = 0.0  # forced playouts at the root: at least sqrt(forced * prior * N) visits for a move once tried
    prune: int = 0  # keep so many of the most probable moves; 0: all
    leaves: int = 1  # of each tree that are answered together
    symmetries: str = "none"  # none; one: drawn by chance at each evaluation; all: the mean
    outcome: str = "win"  # what a result is worth: win: 1, 0, -1; score: its share of the game's score range
    considered: int = 16  # gumbel: root moves that are tried
    offset: float = 50.0  # gumbel: sigma(q) = (offset + most visits) * scale * q
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("algorithm", ("puct", "gumbel")), ("symmetries", ("none", "one", "all")), ("outcome", ("win", "score")),
        ):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise HansuError(f"{name}={getattr(self, name)} is unknown", f"one of: {', '.join(allowed)}")


def packed(states: Iterable[State]) -> Any:
    """States as int64[states, words]."""
    return np.array([flat(s) for s in states], np.int64)


def spread_table(exploration: float, growth: float) -> Any:
    n = np.arange(SPREAD_ROOM)
    return (exploration + growth * np.log(1.0 + n / GROWTH_VISITS)) * np.sqrt(n)


@dataclass(frozen=True)
class Branch:
    """A move of one tree and what is known of it. The value is from player 0's side, in the game's score unit."""

    slot: int
    action: Action
    prior: float
    visits: int
    value: float | None
    proved: bool


class Forest:
    """`trees` searches of one game. Handles in states stay valid while the position they come from lives: `where` is
    kept."""

    def __init__(
        self, where: Game | Position, trees: int = 1, simulations: int = 128, settings: Settings | None = None, *,
        threads: int = 1, dtype: Any = np.float32, room: int | None = None, seed: int = 0, inputs: Any = None,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        self.position = where if isinstance(where, Position) else where.first
        self.settings = settings or Settings()
        self.trees, self.simulations, self.threads = trees, simulations, max(1, min(threads, trees))
        game, like = self.position.game, self.position.state
        self.actions, self.words = int(action_count(like)), len(flat(like))
        self.plane_shape = plane_shape(game, like)
        turned = {"none": 0, "one": 1, "all": 2}[self.settings.symmetries] if game.symmetries > 1 else 0
        self._rows = game.symmetries if turned == 2 else 1  # of the batch for a leaf
        self.leaves = self.settings.leaves
        capacity = trees * self.leaves * self._rows
        self.inputs = np.zeros((capacity, *self.plane_shape), dtype) if inputs is None else inputs
        self.outputs = np.zeros((capacity, self.actions), np.float32), np.zeros((capacity, 3), np.float32)
        self.room = max(room or (simulations + 2) * min(self.actions, WIDEST), self.actions + 2)
        self._unit = game.score_range
        s = self.settings
        self._numbers = np.array([
            s.exploration, s.growth, s.urgency, s.forced, game.score_range, s.outcome == "win",
            s.prune, s.leaves, turned, game.symmetries, self._rows, s.noise, s.alpha, s.considered, s.offset, s.scale,
        ], np.float64)  # fmt: skip
        assert len(self._numbers) == NUMBERS
        self._make_arrays(seed)
        self._interpreted = interpreted
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._edges = np.array([trees * i // self.threads for i in range(self.threads + 1)])
        self._shares = list(pairwise(self._edges.tolist()))
        self._filled = np.zeros(self.threads, np.int64)  # rows of the batch, by each share
        self._gumbel = int(s.algorithm == "gumbel")
        if self.threads > 1:
            step: Any = kernels.gumbel_shares if self._gumbel else kernels.puct_shares
        else:
            step = kernels.gumbel_step if self._gumbel else kernels.puct_step
        self._step = step if interpreted else compiled(step, type(like))
        self._waiting = 0  # rows of the batch that wait for an answer
        self.plant(np.repeat(packed([like]), trees, 0))

    def _make_arrays(self, seed: int) -> None:
        """Every array has the tree as its first axis; a row of `_heads` says where those of a tree lie."""
        trees, leaves, words = self.trees, self.leaves, self.words
        depth = min(DEEPEST, self.simulations + 2)
        self._slots = {name: np.zeros((trees, self.room), kind) for name, kind in SLOTS.items()}
        self._spread = spread_table(self.settings.exploration, self.settings.growth)
        self._paths = np.zeros((trees, leaves * depth), np.int32)
        self._used = np.ones((trees, 1), np.int32)
        self._counts = np.zeros((trees, 3), np.int32)
        self._seeds = np.array([[mix((seed, g))] for g in range(trees)], np.int64)
        self.roots = np.zeros((trees, words), np.int64)
        self._states = np.zeros((trees, leaves, words), np.int64)
        self._leaves = np.zeros((trees, leaves, kernels.LEAF), np.int32)
        self._noise = np.zeros((trees, self.actions), np.float32)
        self._answers = np.zeros(2, np.int64)  # where the evaluator's policy and value lie
        shared = (self._spread, self._numbers, self._answers)
        columns: list[Any] = [
            self.room, self._spread, self._paths, depth, self._used, *self._slots.values(), self._numbers, self._noise,
            self._seeds, self.roots, self._states, self._leaves, self._counts, self._answers, words, self.actions,
        ]  # fmt: skip
        self._words = np.zeros((trees, kernels.TREE_WORDS), np.int64)
        for i, column in enumerate(columns):
            self._words[:, i] = column if isinstance(column, int) else column.ctypes.data
            if not isinstance(column, int) and not any(column is one for one in shared):
                self._words[:, i] += column.strides[0] * np.arange(trees)
        self._handle = int(self._words.ctypes.data)

    def _each(self, work: Callable[[int, int], Any]) -> list[Any]:
        """`work` for every share of the trees, by as many threads."""
        if self._pool is None:
            return [work(lo, hi) for lo, hi in self._shares]
        return list(self._pool.map(lambda share: work(*share), self._shares))

    def _reader(self, made: Any) -> Any:
        """For a few trees plain Python is quicker than compiling, or loading what was compiled."""
        return made.plain if self.trees <= FEW or self._interpreted else made

    def plant(self, states: Any, simulations: Any = None) -> None:
        """New roots, int64[trees, words] (see `packed`), and how many simulations each gets."""
        self.roots[:] = states
        self._begin(simulations)
        plant = self._reader(reading.plant)
        self._each(lambda lo, hi: plant(self._handle, lo, hi))

    def advance(self, actions: Any, simulations: Any = None) -> None:
        """Play an action in every tree; what was found below it is kept."""
        actions = np.ascontiguousarray(actions, np.int64)
        like = self.position.state
        move = kernels.move if self.trees <= FEW or self._interpreted else compiled(kernels.move, type(like))
        keep = reading.keep_subtrees.plain if self._interpreted else reading.keep_subtrees  # a tree may be large
        stir = self._reader(reading.stir_roots)

        def work(lo: int, hi: int) -> None:
            move(like, self._handle, actions, lo, hi)
            keep(self._handle, actions, np.empty(self.room, np.int32), lo, hi)
            stir(self._handle, self._gumbel, lo, hi)

        self._each(work)
        self._begin(simulations)

    def _begin(self, simulations: Any) -> None:
        self._counts[:, kernels.WANTED] = self.simulations if simulations is None else simulations
        self._counts[:, [kernels.DONE, kernels.PENDING]] = 0
        self._waiting = 0

    def more(self, simulations: int) -> None:
        """Let every tree have so many simulations more."""
        self._counts[:, kernels.WANTED] = self._counts[:, kernels.DONE] + simulations

    def select(self) -> Any:
        """The planes of the leaves that need an answer, [rows, planes, height, width], or None when all trees are
        done."""
        if self._waiting:
            raise HansuError("the last batch has not been answered", "call expand() or step() with its answers")

        return self._go(True)

    def expand(self, policy: Any, value: Any) -> None:
        """Answer the last batch: logits float32[rows, actions] and probabilities of win, draw and loss for the mover
        float32[rows, 3]."""
        self._take(policy, value, False)

    def step(self, policy: Any, value: Any) -> Any:
        """`expand`, then `select`, in one pass over the trees."""
        return self._take(policy, value, True)

    def _take(self, policy: Any, value: Any, again: bool) -> Any:
        policy, value = np.ascontiguousarray(policy, np.float32), np.ascontiguousarray(value, np.float32)
        rows = self._waiting
        if (
            policy.shape[0] < rows
            or policy.shape[1:] != (self.actions,)
            or value.shape[0] < rows
            or value.shape[1:] != (3,)
        ):
            raise HansuError(
                f"answers of shape {policy.shape} and {value.shape}",
                f"wanted: ({rows}, {self.actions}) and ({rows}, 3)",
            )
        self._answers[:] = policy.ctypes.data, value.ctypes.data
        return self._go(again)

    def _go(self, again: bool) -> Any:
        like, inputs = self.position.state, self.inputs
        if self.threads > 1:
            self._step(like, self._handle, inputs, self._edges, self._filled, again)
        else:
            self._filled[0] = self._step(like, self._handle, inputs, 0, self.trees, again)
        self._waiting = int(self._filled.sum())
        if self.threads > 1 and self._waiting < len(inputs):
            self._close_gaps(self._filled.tolist())
        return inputs[: self._waiting] if self._waiting else None

    def _close_gaps(self, filled: list[int]) -> None:
        """Threads fill rows of their own, trees that are done leave gaps: the last rows move there."""
        per, leaf = self.leaves, self._rows
        total = self._waiting // leaf
        taken = [np.arange(lo * per, lo * per + n // leaf) for (lo, _), n in zip(self._shares, filled, strict=True)]
        free = [np.arange(lo * per + n // leaf, hi * per) for (lo, hi), n in zip(self._shares, filled, strict=True)]
        old, new = np.concatenate(taken), np.concatenate(free)
        old, new = old[old >= total], new[new < total]
        if len(old) == 0:
            return
        blocks = self.inputs.reshape(-1, leaf, *self.plane_shape)
        blocks[new] = blocks[old]
        place = np.arange(self.trees * per)
        place[old] = new
        rows = self._leaves[:, :, kernels.ROW]
        rows[:] = place[rows // leaf] * leaf

    @property
    def waiting(self) -> Any:
        """The leaves of the last batch: (tree, row, symmetry) of each, int64[leaves, 3], and their states,
        int64[leaves, words]."""
        some = np.arange(self.leaves) < self._counts[:, kernels.PENDING, None]
        tree = np.nonzero(some)[0]
        leaves = self._leaves[some]
        return np.stack((tree, leaves[:, kernels.ROW], leaves[:, kernels.SYMMETRY]), 1), self._states[some]

    def state(self, row: Any) -> State:
        """The state in a row of words."""
        return unpack(self.position.state, row)

    # What was found.

    def _told(self, what: int) -> Any:
        out = np.empty((self.trees, self.actions), np.float32)
        tell = self._reader(reading.tell)
        column = np.array([out.ctypes.data], np.int64)
        where = int(column.ctypes.data)
        self._each(lambda lo, hi: tell(self._handle, self._gumbel, what, where, lo, hi))
        return out

    def visits(self) -> Any:
        """Of each root move, float32[trees, actions]."""
        return self._told(reading.ROOT_VISITS)

    def priors(self) -> Any:
        """Of each root move, noise included, float32[trees, actions]."""
        return self._told(reading.ROOT_PRIORS)

    def move_values(self) -> Any:
        """Of each root move for the mover, -1 to 1, NaN where it was not visited, float32[trees, actions]."""
        return self._told(reading.ROOT_VALUES)

    def policy(self) -> Any:
        """What a network should learn: the visits' shares, or Gumbel's improved policy; float32[trees, actions]."""
        return self._told(reading.ROOT_POLICY)

    def values(self) -> Any:
        """Of each root from player 0's side, -1 to 1, float32[trees]."""
        return self._slots["mean"][:, 0].copy()

    def guesses(self) -> Any:
        """The evaluator's own word on each root, from player 0's side, float32[trees]."""
        return self._slots["value"][:, 0].copy()

    def proved(self) -> Any:
        """Is the root's value known for certain? bool[trees]."""
        return self._slots["first"][:, 0] < 0

    def done(self) -> Any:
        """Simulations of this search, int32[trees]."""
        return self._counts[:, kernels.DONE].copy()

    def best(self, temperature: Any = 0.0) -> Any:
        """The action to play in each tree, int64[trees]: the best one, or drawn by the visits' shares raised to 1 /
        temperature (one number, or one a tree). -1 where the game is over."""
        temperatures = np.full(self.trees, temperature, np.float64)
        chosen = np.empty(self.trees, np.int64)
        choose = self._reader(reading.choose)
        self._each(lambda lo, hi: choose(self._handle, self._gumbel, temperatures, chosen, lo, hi))
        return chosen

    def branches(self, slot: int = 0, tree: int = 0) -> list[Branch]:
        """The children of a node of one tree, in the game's order."""
        t = {name: array[tree] for name, array in self._slots.items()}
        first = int(t["first"][slot])
        if first in (0, FINISHED):
            return []
        return [
            Branch(
                child, int(t["action"][child]), float(t["prior"][child]), int(t["visits"][child]),
                None if t["mean"][child] == UNSEEN else float(t["sign"][child] * t["mean"][child]) * self._unit,
                bool(t["first"][child] < 0),
            )
            for child in range(abs(first), abs(first) + abs(int(t["count"][slot])))
        ]  # fmt: skip

    def line(self, tree: int = 0, most: int = 16) -> tuple[Action, ...]:
        """The moves that were visited most, from the root."""
        line: list[Action] = []
        slot = 0
        while len(line) < most:
            tried = [branch for branch in self.branches(slot, tree) if branch.visits]
            if not tried:
                break
            best = max(tried, key=lambda branch: branch.visits)
            line.append(best.action)
            slot = best.slot
        return tuple(line)
