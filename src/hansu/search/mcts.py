"""UCT: Monte-Carlo tree search with random playouts (Kocsis and Szepesvári 2006), over the tree of `tree`."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from hansu.core.bits import compiled_as
from hansu.core.control import DEEPEST, NODES
from hansu.core.generic import CHANCE, State, over, play, score, team
from hansu.search.playout import playout
from hansu.search.tree import FINISHED, PATH_ROOM, SPREAD_ROOM, Tree, chance_child, expand, slots
from hansu.search.watch import Watch, halted, set_word, word


def new_tree(room: int) -> Tree:
    """An empty tree for UCT."""
    import numpy as np

    return Tree(room, np.sqrt(np.log(np.arange(SPREAD_ROOM).clip(1))))


def best_child(node: int, tree: int, exploration: float) -> Any:
    """The child with the highest upper confidence bound; one never visited comes first."""
    t = slots(tree)
    start = t.first[node]
    end = start + t.count[node]
    if t.visits[node] <= t.count[node]:  # until here some child may be without a visit
        for child in range(start, end):
            if t.visits[child] == 0:
                return child
    n = t.visits[node]
    spread = exploration * (t.spread[n] if n < SPREAD_ROOM else sqrt(log(n)))
    best = start
    best_bound = -1e300
    for child in range(start, end):
        bound = float(t.mean[child]) + spread * float(t.bonus[child])
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def simulate(root: State, tree: int, exploration: float, unit: float, most: int, seed: Any) -> int:
    """One simulation: down the tree, one new node, a random playout, the result back up. Gives the depth reached."""
    t = slots(tree)
    s = root
    node = 0
    length = 1
    t.path[0] = 0

    # 1. Down, as long as there are children.
    while t.first[node] > 0 and length < PATH_ROOM:
        node = chance_child(s, node, tree, seed) if team(s) == CHANCE else best_child(node, tree, exploration)
        s = play(s, int(t.action[node]))
        t.path[length] = node
        length += 1

    # 2. A node that was visited before grows children, and one of them is tried.
    if t.first[node] == 0:
        if over(s):
            t.first[node] = FINISHED
        elif (t.visits[node] > 0 or node == 0) and length < PATH_ROOM and expand(s, node, tree):
            node = t.first[node]
            s = play(s, int(t.action[node]))
            t.path[length] = node
            length += 1

    # 3. The result, from player 0's side.
    value = float(score(s)) if t.first[node] == FINISHED else playout(s, seed, most)
    value /= unit

    # 4. Back up.
    for i in range(length):
        node = t.path[i]
        n = t.visits[node] + 1
        t.visits[node] = n
        t.bonus[node] = 1.0 / sqrt(n)
        mean = 0.0 if n == 1 else float(t.mean[node])
        t.mean[node] = mean + (float(t.sign[node]) * value - mean) / n
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
    while slots(tree).visits[0] < simulations and not halted(watch):
        simulated(watch, simulate(s, tree, exploration, unit, most, seed))
