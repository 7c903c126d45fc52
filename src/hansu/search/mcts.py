"""UCT: Monte-Carlo tree search with random playouts (Kocsis and Szepesvári 2006), on the arrays of `tree.py`."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from hansu.compile.columns import double, real, set_real, set_whole, whole
from hansu.core.bits import compiled_as
from hansu.core.control import DEEPEST, NODES
from hansu.core.generic import CHANCE, State, over, play, score, team
from hansu.search.playout import playout
from hansu.search.tree import (
    ACTION,
    BONUS,
    BONUS_SCALE,
    COUNT,
    FINISHED,
    FIRST,
    MAX_PATH,
    MEAN,
    PATH,
    SIGN,
    TABLED_VISITS,
    VISITS,
    Tree,
    chance_child,
    expand,
)  # fmt: skip
from hansu.search.watch import Watch, halted, set_word, word


def new_tree(max_nodes: int) -> Tree:
    """An empty tree for UCT."""
    import numpy as np

    return Tree(max_nodes, np.sqrt(np.log(np.arange(TABLED_VISITS).clip(1))))


def best_child(node: int, tree: int, exploration: float) -> int:
    """The child with the highest upper confidence bound; unvisited children come first."""
    start, count, n = whole(tree, FIRST, node), whole(tree, COUNT, node), whole(tree, VISITS, node)
    if n <= count:  # later every child has a visit
        for child in range(start, start + count):
            if whole(tree, VISITS, child) == 0:
                return child
    spread = exploration * (double(tree, BONUS_SCALE, n) if n < TABLED_VISITS else sqrt(log(n)))
    best = start
    best_bound = -1e300
    for child in range(start, start + count):
        bound = real(tree, MEAN, child) + spread * real(tree, BONUS, child)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def simulate(root: State, tree: int, exploration: float, unit: float, max_plies: int, seed: Any) -> int:
    """One simulation: selection, expansion, a random playout, backup. Returns the length of its path in slots.

    `unit` is the score that counts as 1, `seed` int64[1].
    """
    set_whole(tree, PATH, 0, 0)
    node = whole(tree, PATH, 0)
    length = node + 1
    s = root

    # 1. Selection: descend while there are children.
    while whole(tree, FIRST, node) > 0 and length < MAX_PATH:
        node = chance_child(s, node, tree, seed) if team(s) == CHANCE else best_child(node, tree, exploration)
        s = play(s, whole(tree, ACTION, node))
        set_whole(tree, PATH, length, node)
        length += 1

    # 2. Expansion: a node visited before gets its children, and the first is tried.
    if whole(tree, FIRST, node) == 0:
        if over(s):
            set_whole(tree, FIRST, node, FINISHED)
        elif (node == 0 or whole(tree, VISITS, node) > 0) and length < MAX_PATH and expand(s, node, tree):
            node = whole(tree, FIRST, node)
            s = play(s, whole(tree, ACTION, node))
            set_whole(tree, PATH, length, node)
            length += 1

    # 3. The result, from player 0's side.
    value = float(score(s)) if whole(tree, FIRST, node) == FINISHED else playout(s, seed, max_plies)
    value /= unit

    # 4. Backup.
    for i in range(length):
        node = whole(tree, PATH, i)
        n = whole(tree, VISITS, node) + 1
        mean = 0.0 if n == 1 else real(tree, MEAN, node)
        set_whole(tree, VISITS, node, n)
        set_real(tree, BONUS, node, 1.0 / sqrt(n))
        set_real(tree, MEAN, node, mean + (real(tree, SIGN, node) * value - mean) / n)
    return length


def _simulated_words(words: int, depth: int) -> None:
    set_word(words, NODES, word(words, NODES) + 1)
    set_word(words, DEEPEST, max(word(words, DEEPEST), depth))


@compiled_as(_simulated_words)
def simulated(watch: Watch, depth: int) -> None:
    """Count a simulation."""
    watch.nodes += 1
    watch.deepest = max(watch.deepest, depth)


def mcts(
    s: State, tree: int, simulations: int, exploration: float, unit: float, max_plies: int, seed: Any, watch: Any
) -> None:
    """Simulate until the root has this many visits or the search is stopped."""
    while whole(tree, VISITS, 0) < simulations and not halted(watch):
        simulated(watch, simulate(s, tree, exploration, unit, max_plies, seed))
