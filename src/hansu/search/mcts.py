"""UCT: Monte-Carlo tree search with random playouts (Kocsis and Szepesvári 2006), over the tree of `tree`."""

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
    COUNT,
    FINISHED,
    FIRST,
    MEAN,
    PATH,
    PATH_ROOM,
    SIGN,
    SPREAD,
    SPREAD_ROOM,
    VISITS,
    Tree,
    chance_child,
    expand,
)  # fmt: skip
from hansu.search.watch import Watch, halted, set_word, word


def new_tree(room: int) -> Tree:
    """An empty tree for UCT."""
    import numpy as np

    return Tree(room, np.sqrt(np.log(np.arange(SPREAD_ROOM).clip(1))))


def best_child(node: int, tree: int, exploration: float) -> int:
    """The child with the highest upper confidence bound; one never visited comes first."""
    start, count, n = whole(tree, FIRST, node), whole(tree, COUNT, node), whole(tree, VISITS, node)
    if n <= count:  # until here some child may be without a visit
        for child in range(start, start + count):
            if whole(tree, VISITS, child) == 0:
                return child
    spread = exploration * (double(tree, SPREAD, n) if n < SPREAD_ROOM else sqrt(log(n)))
    best = start
    best_bound = -1e300
    for child in range(start, start + count):
        bound = real(tree, MEAN, child) + spread * real(tree, BONUS, child)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def simulate(root: State, tree: int, exploration: float, unit: float, most: int, seed: Any) -> int:
    """One simulation: down the tree, one new node, a random playout, the result back up. Gives the depth reached."""
    set_whole(tree, PATH, 0, 0)
    node = whole(tree, PATH, 0)
    length = node + 1
    s = root

    # 1. Down, as long as there are children.
    while whole(tree, FIRST, node) > 0 and length < PATH_ROOM:
        node = chance_child(s, node, tree, seed) if team(s) == CHANCE else best_child(node, tree, exploration)
        s = play(s, whole(tree, ACTION, node))
        set_whole(tree, PATH, length, node)
        length += 1

    # 2. A node that was visited before grows children, and one of them is tried.
    if whole(tree, FIRST, node) == 0:
        if over(s):
            set_whole(tree, FIRST, node, FINISHED)
        elif (node == 0 or whole(tree, VISITS, node) > 0) and length < PATH_ROOM and expand(s, node, tree):
            node = whole(tree, FIRST, node)
            s = play(s, whole(tree, ACTION, node))
            set_whole(tree, PATH, length, node)
            length += 1

    # 3. The result, from player 0's side.
    value = float(score(s)) if whole(tree, FIRST, node) == FINISHED else playout(s, seed, most)
    value /= unit

    # 4. Back up.
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
    """One more simulation is done."""
    watch.nodes += 1
    watch.deepest = max(watch.deepest, depth)


def mcts(
    s: State, tree: int, simulations: int, exploration: float, unit: float, most: int, seed: Any, watch: Any
) -> None:
    """Run simulations until there are so many in the tree, or the search is told to stop."""
    while whole(tree, VISITS, 0) < simulations and not halted(watch):
        simulated(watch, simulate(s, tree, exploration, unit, most, seed))
