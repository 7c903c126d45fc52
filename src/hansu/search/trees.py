"""Search trees side by side: their arrays, their settings, and what was found in them.

A `Forest` evaluates their leaves in batches; a `PlayoutTree` needs no evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.core.bits import flat, mix
from hansu.core.errors import HansuError
from hansu.core.generic import Action, State
from hansu.core.position import Position
from hansu.search import forest_kernels as kernels
from hansu.search import forest_results as reading
from hansu.search.puct_kernels import GROWTH_VISITS, NUMBERS
from hansu.search.tree import FINISHED, SPREAD_ROOM, UNSEEN, slots

FEW = 8  # trees
DEEPEST = 512  # plies of a simulation at most


@dataclass(frozen=True)
class TreeSettings:
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
    look: bool = True  # moves that end the game are known as soon as a position is expanded
    told: bool = False  # may answers tell won and lost moves? (An infinite logit is one: see `Forest.expand`.)
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
    """A move of one tree and what is known of it. The value is from player 0's side."""

    slot: int
    action: Action
    prior: float
    visits: int
    value: float | None
    proved: bool


class Trees:
    """The arrays. `unit` is what a value of 1 means in the game's score."""

    def __init__(
        self, position: Position, trees: int, simulations: int, settings: TreeSettings, *, actions: int, words: int,
        rows: int, room: int, threads: int, seed: int, interpreted: bool,
    ) -> None:  # fmt: skip
        self.position, self.trees, self.simulations, self.settings = position, trees, simulations, settings
        self.actions, self.words, self.room = actions, words, max(room, actions + 2)
        self.leaves, self.rows = settings.leaves, rows  # of a tree in the batch; of the batch for a leaf
        self.threads = max(1, min(threads, trees))
        self.interpreted = interpreted
        game = position.game
        self.unit = game.score_range if settings.outcome == "score" else 1.0
        turned = {"none": 0, "one": 1, "all": 2}[settings.symmetries] if game.symmetries > 1 else 0
        s = settings
        self._numbers = np.array([
            s.exploration, s.growth, s.urgency, s.forced, game.score_range, s.outcome == "win", s.prune, s.leaves,
            turned, game.symmetries, rows, s.noise, s.alpha, s.considered, s.offset, s.scale,
            s.look, s.told,
        ], np.float64)  # fmt: skip
        assert len(self._numbers) == NUMBERS
        self.gumbel = int(settings.algorithm == "gumbel")
        self.edges = np.array([trees * i // self.threads for i in range(self.threads + 1)])
        self.shares = list(pairwise(self.edges.tolist()))
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._make_arrays(seed)
        self.begin(None)
        self._each(self._reader(reading.plant))

    def _make_arrays(self, seed: int) -> None:
        """Every array has the tree as its first axis; a row of `_words` says where those of a tree lie."""
        trees, leaves, words = self.trees, self.leaves, self.words
        depth = min(DEEPEST, self.simulations + 2)
        self.slots = slots(trees, self.room)
        self._spread = spread_table(self.settings.exploration, self.settings.growth)
        self.paths = np.zeros((trees, leaves * depth), np.int32)
        self.used = np.ones((trees, 1), np.int32)
        self.counts = np.zeros((trees, 3), np.int32)
        self.draws = np.zeros((trees, 2), np.float32)
        self.seeds = np.array([[mix((seed, g))] for g in range(trees)], np.int64)
        self.roots = np.zeros((trees, words), np.int64)
        self.states = np.zeros((trees, leaves, words), np.int64)
        self.waits = np.zeros((trees, leaves, kernels.LEAF), np.int32)
        self.perturbed = np.zeros((trees, self.actions), np.float32)  # the root's: log prior + Gumbel noise
        self.answers = np.zeros(2, np.int64)  # where the evaluator's policy and value lie
        shared = (self._spread, self._numbers, self.answers)
        columns: list[Any] = [
            self.room, self._spread, self.paths, depth, self.used, *self.slots.values(), self._numbers, self.perturbed,
            self.seeds, self.roots, self.states, self.waits, self.counts, self.draws, self.answers, words, self.actions,
        ]  # fmt: skip
        self._words = np.zeros((trees, kernels.TREE_WORDS), np.int64)
        for i, column in enumerate(columns):
            self._words[:, i] = column if isinstance(column, int) else column.ctypes.data
            if not isinstance(column, int) and not any(column is one for one in shared):
                self._words[:, i] += column.strides[0] * np.arange(trees)
        self.handle = int(self._words.ctypes.data)

    def _reader(self, made: Any) -> Any:
        """For a few trees plain Python is quicker than compiling, or loading what was compiled."""
        return made.plain if self.trees <= FEW or self.interpreted else made

    def _each(self, work: Callable[..., Any], *more: Any) -> None:
        """A kernel for every share of the trees, by as many threads."""
        if self._pool is None:
            work(self.handle, *more, 0, self.trees)
        else:
            list(self._pool.map(lambda share: work(self.handle, *more, *share), self.shares))

    def begin(self, simulations: Any) -> None:
        self.counts[:, kernels.WANTED] = self.simulations if simulations is None else simulations
        self.counts[:, [kernels.DONE, kernels.PENDING]] = 0
        self.draws[:] = 0

    def want(self, simulations: Any) -> None:
        """How many simulations this search shall have, those that are done included."""
        self.counts[:, kernels.WANTED] = simulations

    def more(self, simulations: int) -> None:
        """Let every tree have so many simulations more."""
        self.want(self.counts[:, kernels.DONE] + simulations)

    def forget(self, simulations: Any = None) -> None:
        """Nothing but roots is left."""
        self.begin(simulations)
        self._each(self._reader(reading.plant))

    def keep(self, actions: Any, simulations: Any = None) -> None:
        """The child that an action leads to becomes the root of its tree, with all that was found below it."""
        actions = np.ascontiguousarray(actions, np.int64)
        keep = reading.keep_subtrees.plain if self.interpreted else reading.keep_subtrees  # a tree may be large
        for lo, hi in self.shares:
            keep(self.handle, actions, np.empty(self.room, np.int32), lo, hi)
        self._each(self._reader(reading.stir_roots), self.gumbel)
        self.begin(simulations)

    # What was found.

    def _told(self, what: int) -> Any:
        out = np.empty((self.trees, self.actions), np.float32)
        column = np.array([out.ctypes.data], np.int64)
        self._each(self._reader(reading.read_roots), self.gumbel, what, int(column.ctypes.data))
        return out

    def visits(self) -> Any:
        """Of each root move, float32[trees, actions]."""
        return self._told(reading.ROOT_VISITS)

    def priors(self) -> Any:
        """Of each root move, noise included, float32[trees, actions]."""
        return self._told(reading.ROOT_PRIORS)

    def policy(self) -> Any:
        """What a network should learn: the visits' shares, or Gumbel's improved policy; float32[trees, actions]."""
        return self._told(reading.ROOT_POLICY)

    def values(self) -> Any:
        """Of each root from player 0's side, -1 to 1, float32[trees]."""
        return self.slots["mean"][:, 0].copy()

    def guesses(self) -> Any:
        """The evaluator's own word on each root, from player 0's side, float32[trees]."""
        return self.slots["value"][:, 0].copy()

    def draw_chances(self) -> Any:
        """How often the simulations of this search ended in a draw, as far as the evaluator knew, float32[trees]."""
        return self.draws[:, 0] / np.maximum(self.draws[:, 1], 1)

    def proved(self) -> Any:
        """Is the root's value known for certain? bool[trees]."""
        return self.slots["first"][:, 0] < 0

    def done(self) -> Any:
        """Simulations of this search, int32[trees]."""
        return self.counts[:, kernels.DONE].copy()

    def deepest(self, tree: int = 0) -> int:
        """The longest line that was looked at, in plies."""
        first, count = self.slots["first"][tree], self.slots["count"][tree]
        plies, level = 0, np.zeros(1, np.int64)
        while True:
            level = level[(first[level] != 0) & (first[level] != FINISHED)]
            sizes = np.abs(count[level])
            starts = np.abs(first[level])
            level = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            level = level[self.slots["visits"][tree][level] > 0]
            if len(level) == 0:
                return plies
            plies += 1

    def best(self, temperature: Any = 0.0) -> Any:
        """The action to play in each tree, int64[trees]: the best one, or drawn by the visits' shares raised to 1 /
        temperature (one number, or one a tree). -1 where the game is over."""
        temperatures = np.full(self.trees, temperature, np.float64)
        chosen = np.empty(self.trees, np.int64)
        self._each(self._reader(reading.choose), self.gumbel, temperatures, chosen)
        return chosen

    def branches(self, slot: int = 0, tree: int = 0) -> list[Branch]:
        """The children of a node of one tree, in the game's order."""
        first = int(self.slots["first"][tree, slot])
        if first in (0, FINISHED):
            return []
        start, end = abs(first), abs(first) + abs(int(self.slots["count"][tree, slot]))
        names = ("action", "prior", "visits", "mean", "sign", "first")
        columns = (self.slots[name][tree, start:end].tolist() for name in names)  # far quicker than one by one
        return [
            Branch(child, action, prior, visits, None if mean == UNSEEN else sign * mean * self.unit, known < 0)
            for child, (action, prior, visits, mean, sign, known) in enumerate(zip(*columns, strict=True), start)
        ]

    def line(self, tree: int = 0, most: int = 16) -> tuple[Action, ...]:
        """The move to play, then the best of those that are known."""
        chosen = int(self.best()[tree])
        branch = next((branch for branch in self.branches(0, tree) if branch.action == chosen), None)
        line: list[Action] = []
        while branch is not None and len(line) < most:
            line.append(branch.action)
            branch = self._favourite(branch.slot, tree)
        return tuple(line)

    def _favourite(self, slot: int, tree: int) -> Branch | None:
        """The child that was visited most; where the node's value is known, the one that it comes from."""
        known = [branch for branch in self.branches(slot, tree) if branch.value is not None]
        proved = bool(self.slots["first"][tree, slot] < 0)
        sign = float(self.slots["sign"][tree, known[0].slot]) if known else 1.0  # the same for all of them

        def order(branch: Branch) -> tuple[float, int]:
            own = sign * (branch.value or 0.0) if branch.proved else -math.inf
            return own if proved else 0.0, branch.visits

        return max(known, key=order, default=None)


def compiled_for(function: Callable[..., Any], trees: Trees) -> Any:
    """A kernel for the game of these trees, or its plain source."""
    return function if trees.interpreted else compiled(function, type(trees.position.state))
