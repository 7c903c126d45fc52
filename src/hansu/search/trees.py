"""Many search trees side by side: their arrays, their settings and their results.

A `Forest` evaluates their leaves in batches.
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
from hansu.search import forest_results as results
from hansu.search.puct_kernels import GROWTH_VISITS, SETTINGS_COUNT
from hansu.search.tree import FINISHED, TABLED_VISITS, UNVISITED, slots

FEW_TREES = 8  # for so few trees, interpreting the small kernels is faster than loading compiled ones
MAX_DEPTH = 512  # plies of a simulation


@dataclass(frozen=True)
class TreeSettings:
    """Settings of the search."""

    algorithm: str = "puct"  # or gumbel
    exploration: float = 1.2  # c = exploration + growth * log(1 + N / 500)
    growth: float = 0.4
    fpu_reduction: float = 0.2  # how far the value of a move without visits starts below its parent's
    noise: float = 0.0  # share of Dirichlet noise in the root's priors
    alpha: float = 10.0  # concentration of that noise, summed over all moves
    forced: float = 0.0  # forced playouts at the root: a visited move gets at least sqrt(forced * prior * N) visits
    prune: int = 0  # number of most probable moves to keep in each node; 0: all
    leaves: int = 1  # leaves of each tree that are evaluated together
    symmetries: str = "none"  # none; one: a random one for each evaluation; all: the mean
    outcome: str = "win"  # value of a result: win: 1, 0, -1; score: its share of the game's score range
    check_ends: bool = True  # expansion marks moves that end the game as proved
    proofs: bool = False  # an infinite logit marks a proved move (see `Forest.expand`)
    considered: int = 16  # gumbel: root moves that are searched
    offset: float = 50.0  # gumbel: sigma(q) = (offset + max visits) * scale * q
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("algorithm", ("puct", "gumbel")), ("symmetries", ("none", "one", "all")), ("outcome", ("win", "score")),
        ):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise HansuError(
                    "{name}={value} is unknown", "one of: {names}", name=name, value=getattr(self, name),
                    names=", ".join(allowed),
                )  # fmt: skip


def packed(states: Iterable[State]) -> Any:
    """States as int64[states, words]."""
    return np.array([flat(s) for s in states], np.int64)


def bonus_scales(exploration: float, growth: float) -> Any:
    """The scale of the exploration bonus by the parent's visits, float64[TABLED_VISITS]."""
    n = np.arange(TABLED_VISITS)
    return (exploration + growth * np.log(1.0 + n / GROWTH_VISITS)) * np.sqrt(n)


@dataclass(frozen=True)
class Branch:
    """A child of a node in one tree. The value is from player 0's side."""

    slot: int
    action: Action
    prior: float
    visits: int
    value: float | None
    proved: bool


class Trees:
    """The arrays of `trees` trees. `unit` is the game score that corresponds to a value of 1."""

    def __init__(
        self, position: Position, trees: int, simulations: int, settings: TreeSettings, *, actions: int, words: int,
        rows: int, max_nodes: int, threads: int, seed: int, interpreted: bool,
    ) -> None:  # fmt: skip
        self.position, self.trees, self.simulations, self.settings = position, trees, simulations, settings
        self.actions, self.words, self.max_nodes = actions, words, max(max_nodes, actions + 2)
        self.leaves, self.rows = settings.leaves, rows  # leaves of a tree in the batch; rows of the batch for a leaf
        self.threads = max(1, min(threads, trees))
        self.interpreted = interpreted
        game = position.game
        self.unit = game.score_range if settings.outcome == "score" else 1.0
        symmetry_mode = {"none": 0, "one": 1, "all": 2}[settings.symmetries] if game.symmetries > 1 else 0
        s = settings
        self._settings_column = np.array([
            s.exploration, s.growth, s.fpu_reduction, s.forced, game.score_range, s.outcome == "win", s.prune,
            s.leaves, symmetry_mode, game.symmetries, rows, s.noise, s.alpha, s.considered, s.offset, s.scale,
            s.check_ends, s.proofs,
        ], np.float64)  # fmt: skip
        assert len(self._settings_column) == SETTINGS_COUNT
        self.gumbel = int(settings.algorithm == "gumbel")
        self.edges = np.array([trees * i // self.threads for i in range(self.threads + 1)])
        self.shares = list(pairwise(self.edges.tolist()))
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._allocate(seed)
        self.begin(None)
        self._run(results.plant)

    def _allocate(self, seed: int) -> None:
        """Allocate the arrays. Their first axis is the tree; a row of `_words` holds the addresses of one tree."""
        trees, leaves, words = self.trees, self.leaves, self.words
        depth = min(MAX_DEPTH, self.simulations + 2)
        self.slots = slots(trees, self.max_nodes)
        self._bonus_scales = bonus_scales(self.settings.exploration, self.settings.growth)
        self.paths = np.zeros((trees, leaves * depth), np.int32)
        self.used = np.ones((trees, 1), np.int32)
        self.counts = np.zeros((trees, 3), np.int32)
        self.draws = np.zeros((trees, 2), np.float32)
        self.seeds = np.array([[mix((seed, g))] for g in range(trees)], np.int64)
        self.roots = np.zeros((trees, words), np.int64)
        self.states = np.zeros((trees, leaves, words), np.int64)
        self.leaf_table = np.zeros((trees, leaves, kernels.LEAF_FIELDS), np.int32)
        self.noisy_priors = np.zeros((trees, self.actions), np.float32)  # of the root: log prior + Gumbel noise
        self.evaluations = np.zeros(2, np.int64)  # the addresses of the evaluator's policy and value
        shared = (self._bonus_scales, self._settings_column, self.evaluations)
        columns: list[Any] = [
            self.max_nodes, self._bonus_scales, self.paths, depth, self.used, *self.slots.values(),
            self._settings_column, self.noisy_priors, self.seeds, self.roots, self.states, self.leaf_table, self.counts,
            self.draws, self.evaluations, words, self.actions,
        ]  # fmt: skip
        self._words = np.zeros((trees, kernels.TREE_WORDS), np.int64)
        for i, column in enumerate(columns):
            self._words[:, i] = column if isinstance(column, int) else column.ctypes.data
            if not isinstance(column, int) and not any(column is one for one in shared):
                self._words[:, i] += column.strides[0] * np.arange(trees)
        self.handle = int(self._words.ctypes.data)

    def _run(self, kernel: Any, *arguments: Any) -> None:
        """Run a small kernel over all trees. For a few trees plain Python is faster than compiling or loading it."""
        work = kernel.plain if self.trees <= FEW_TREES or self.interpreted else kernel
        if self._pool is None:
            work(self.handle, *arguments, 0, self.trees)
        else:
            list(self._pool.map(lambda share: work(self.handle, *arguments, *share), self.shares))

    def begin(self, simulations: Any) -> None:
        """Reset the counts for a new search of `simulations` simulations (an int, or int[trees])."""
        self.counts[:, kernels.REQUESTED] = self.simulations if simulations is None else simulations
        self.counts[:, [kernels.DONE, kernels.PENDING]] = 0
        self.draws[:] = 0

    def request(self, simulations: Any) -> None:
        """Set the total number of simulations of this search (an int, or int[trees])."""
        self.counts[:, kernels.REQUESTED] = simulations

    def request_more(self, simulations: int) -> None:
        """Add simulations to those done so far in each tree."""
        self.request(self.counts[:, kernels.DONE] + simulations)

    def clear(self, simulations: Any = None) -> None:
        """Remove everything but the roots and begin a new search."""
        self.begin(simulations)
        self._run(results.plant)

    def keep_subtrees(self, actions: Any, simulations: Any = None) -> None:
        """Make the child of an action, int[trees], the root of its tree, with the subtree below it."""
        actions = np.ascontiguousarray(actions, np.int64)
        keep = results.keep_subtrees.plain if self.interpreted else results.keep_subtrees  # a tree may be large
        for lo, hi in self.shares:
            keep(self.handle, actions, np.empty(self.max_nodes, np.int32), lo, hi)
        self._run(results.add_noise_to_roots, self.gumbel)
        self.begin(simulations)

    # Results.

    def _root_numbers(self, what: int) -> Any:
        out = np.empty((self.trees, self.actions), np.float32)
        column = np.array([out.ctypes.data], np.int64)
        self._run(results.read_roots, self.gumbel, what, int(column.ctypes.data))
        return out

    def visits(self) -> Any:
        """Visits of each root move, float32[trees, actions]."""
        return self._root_numbers(results.ROOT_VISITS)

    def priors(self) -> Any:
        """Prior of each root move, including noise, float32[trees, actions]."""
        return self._root_numbers(results.ROOT_PRIORS)

    def policy(self) -> Any:
        """The policy target: shares of the visits, or Gumbel's improved policy; float32[trees, actions]."""
        return self._root_numbers(results.ROOT_POLICY)

    def values(self) -> Any:
        """Value of each root from player 0's side, -1 to 1, float32[trees]."""
        return self.slots["mean"][:, 0].copy()

    def root_evaluations(self) -> Any:
        """The evaluator's value of each root before any search, from player 0's side, float32[trees]."""
        return self.slots["value"][:, 0].copy()

    def draw_rates(self) -> Any:
        """Mean probability of a draw at the ends of this search's simulations, float32[trees]."""
        return self.draws[:, 0] / np.maximum(self.draws[:, 1], 1)

    def proved(self) -> Any:
        """Whether the value of each root is proved, bool[trees]."""
        return self.slots["first"][:, 0] < 0

    def done(self) -> Any:
        """Simulations of this search, int32[trees]."""
        return self.counts[:, kernels.DONE].copy()

    def deepest(self, tree: int = 0) -> int:
        """The length of the longest searched line of a tree, in plies."""
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
        """The action to play in each tree, int64[trees]; -1 where the game is over.

        At temperature 0 this is the best action. Otherwise it is sampled by visits ** (1 / temperature).
        `temperature` is a number, or one for each tree.
        """
        temperatures = np.full(self.trees, temperature, np.float64)
        chosen = np.empty(self.trees, np.int64)
        self._run(results.choose, self.gumbel, temperatures, chosen)
        return chosen

    def branches(self, slot: int = 0, tree: int = 0) -> list[Branch]:
        """The children of a node of one tree, in the game's order."""
        first = int(self.slots["first"][tree, slot])
        if first in (0, FINISHED):
            return []
        start, end = abs(first), abs(first) + abs(int(self.slots["count"][tree, slot]))
        names = ("action", "prior", "visits", "mean", "sign", "first")
        columns = (self.slots[name][tree, start:end].tolist() for name in names)  # far faster than one by one
        return [
            Branch(child, action, prior, visits, None if mean == UNVISITED else sign * mean * self.unit, first < 0)
            for child, (action, prior, visits, mean, sign, first) in enumerate(zip(*columns, strict=True), start)
        ]

    def line(self, tree: int = 0, max_plies: int = 16) -> tuple[Action, ...]:
        """The principal variation of one tree: the move to play, then the best searched moves."""
        chosen = int(self.best()[tree])
        branch = next((branch for branch in self.branches(0, tree) if branch.action == chosen), None)
        line: list[Action] = []
        while branch is not None and len(line) < max_plies:
            line.append(branch.action)
            branch = self._best_branch(branch.slot, tree)
        return tuple(line)

    def _best_branch(self, slot: int, tree: int) -> Branch | None:
        """The most visited child; at a proved node, the child that proves its value."""
        valued = [branch for branch in self.branches(slot, tree) if branch.value is not None]
        proved = bool(self.slots["first"][tree, slot] < 0)
        sign = float(self.slots["sign"][tree, valued[0].slot]) if valued else 1.0  # the same for all of them

        def order(branch: Branch) -> tuple[float, int]:
            own = sign * (branch.value or 0.0) if branch.proved else -math.inf
            return own if proved else 0.0, branch.visits

        return max(valued, key=order, default=None)


def compiled_for(function: Callable[..., Any], trees: Trees) -> Any:
    """A kernel compiled for the game of these trees, or its plain source."""
    return function if trees.interpreted else compiled(function, type(trees.position.state))
