"""UCT: Monte-Carlo tree search with random playouts (Kocsis and Szepesvári 2006).

The tree lies in flat arrays, one entry a node; a node's children are neighbours. States are not stored: each simulation
plays its way down from the root again, which the rules do faster than memory would.

    first     where the children begin, 0 if not yet expanded, FINISHED if the game is over here
    count     number of children
    action    that led here
    sign      +1 if player 0's team chose that action, else -1
    visits    simulations through here
    mean      of their results, in units of the game's score range, from the side of whoever moved to get here
    slack     1 / sqrt(visits), kept because the selection needs it far more often than it changes
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

from hansu.core.bits import compiled_as, next_random
from hansu.core.control import DEEPEST, NODES
from hansu.core.generic import CHANCE, State, actions, over, play, probability, score, team
from hansu.search.playout import playout
from hansu.search.watch import Watch, halted, set_word, word

FINISHED = -1
PATH_ROOM = 1024
SPREAD_ROOM = 4096


class Tree(NamedTuple):
    first: Any  # int64[room]
    count: Any  # int64[room]
    action: Any  # int64[room]
    sign: Any  # float64[room]
    visits: Any  # float64[room]
    mean: Any  # float64[room]
    slack: Any  # float64[room]
    spread: Any  # float64[SPREAD_ROOM], sqrt(log(n)) for small n
    path: Any  # int64[PATH_ROOM], the nodes of the simulation in hand
    used: Any  # int64[1], nodes in use


def new_tree(room: int) -> Tree:
    import numpy as np

    first, count, action = (np.zeros(room, np.int64) for _ in range(3))
    sign, visits, mean, slack = (np.zeros(room) for _ in range(4))
    sign[0] = 1.0
    path, used = np.zeros(PATH_ROOM, np.int64), np.ones(1, np.int64)  # node 0 is the root
    spread = np.sqrt(np.log(np.arange(SPREAD_ROOM).clip(1)))
    return Tree(first, count, action, sign, visits, mean, slack, spread, path, used)


def expand(s: State, node: int, tree: Tree) -> bool:
    """Give a node its children; False where the arrays are full."""
    start = tree.used[0]
    end = start
    sign = 1.0 if team(s) == 0 else -1.0
    for a in actions(s):
        if end >= len(tree.first):
            return False
        tree.first[end] = 0
        tree.action[end] = a
        tree.sign[end] = sign
        tree.visits[end] = 0.0
        tree.mean[end] = 0.0
        end += 1
    tree.used[0] = end
    tree.first[node] = start
    tree.count[node] = end - start
    return True


def best_child(node: int, tree: Tree, exploration: float) -> Any:
    """The child with the highest upper confidence bound; one never visited comes first."""
    start = tree.first[node]
    end = start + tree.count[node]
    if tree.visits[node] <= tree.count[node]:  # until here some child may be without a visit
        for child in range(start, end):
            if tree.visits[child] == 0.0:
                return child
    n = int(tree.visits[node])
    spread = exploration * (tree.spread[n] if n < SPREAD_ROOM else sqrt(log(n)))
    best = start
    best_bound = -1e300
    for child in range(start, end):
        bound = tree.mean[child] + spread * tree.slack[child]
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def chance_child(s: State, node: int, tree: Tree, seed: Any) -> Any:
    """A child drawn with the probability of its action."""
    start = tree.first[node]
    left = next_random(seed) / 2147483648.0
    for child in range(start, start + tree.count[node]):
        left -= probability(s, int(tree.action[child]))
        if left < 0.0:
            return child
    return start + tree.count[node] - 1


def simulate(root: State, tree: Tree, exploration: float, unit: float, most: int, seed: Any) -> int:
    """One simulation: down the tree, one new node, a random playout, the result back up. Gives the depth reached."""
    s = root
    node = 0
    length = 1
    tree.path[0] = 0

    # 1. Down, as long as there are children.
    while tree.first[node] > 0 and length < PATH_ROOM:
        node = chance_child(s, node, tree, seed) if team(s) == CHANCE else best_child(node, tree, exploration)
        s = play(s, int(tree.action[node]))
        tree.path[length] = node
        length += 1

    # 2. A node that was visited before grows children, and one of them is tried.
    if tree.first[node] == 0:
        if over(s):
            tree.first[node] = FINISHED
        elif (tree.visits[node] > 0.0 or node == 0) and length < PATH_ROOM and expand(s, node, tree):
            node = tree.first[node]
            s = play(s, int(tree.action[node]))
            tree.path[length] = node
            length += 1

    # 3. The result, from player 0's side.
    value = float(score(s)) if tree.first[node] == FINISHED else playout(s, seed, most)
    value /= unit

    # 4. Back up.
    for i in range(length):
        node = tree.path[i]
        tree.visits[node] += 1.0
        tree.slack[node] = 1.0 / sqrt(tree.visits[node])
        tree.mean[node] += (tree.sign[node] * value - tree.mean[node]) / tree.visits[node]
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
    s: State, tree: Tree, simulations: int, exploration: float, unit: float, most: int, seed: Any, watch: Any
) -> None:
    """Run simulations until there are so many in the tree, or the search is told to stop."""
    while tree.visits[0] < simulations and not halted(watch):
        simulated(watch, simulate(s, tree, exploration, unit, most, seed))
