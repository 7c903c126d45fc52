"""A Monte-Carlo search tree in flat arrays, for UCT and PUCT: a single tree, or one of thousands in a `Forest`.

An entry is a *slot*: a legal move and the position that it leads to. Slot 0 is the root. The children of a node are
adjacent and come after it. States are not stored: each simulation replays the moves from the root, which is faster
than reading states from memory.

    first           index of the first child; 0: not expanded; below 0: the value is proved. FINISHED marks the end of
                    the game (or a move that is as good as that); otherwise the children begin at -first
    count           number of children; below 0 while the node waits for its evaluation
    action          the move that led here
    sign            +1 if player 0's team or chance chose that move, else -1
    visits          simulations through this slot
    mean            of their results, in units of the game's score range, from the side of the player who moved here
    bonus           exploration bonus before scaling by the parent's visits: 1 / sqrt(visits) in UCT,
                    prior / (1 + visits) in PUCT. Stored because selection reads it far more often than it changes
    prior           the evaluator's probability of the move; at a chance node the game's own
    visited_policy  sum of the priors of the visited children
    value           the evaluator's value of the position, from player 0's side

Selection reads mean and bonus of every child, so these two lie next to each other. The rest of a slot fits into half a
cache line. Thousands of trees exceed every cache, and memory latency dominates their cost.

Compiled code receives a tree as the address of its columns (`compile.columns`), which is 1.5 times as fast as passing
the arrays.
"""

from __future__ import annotations

from typing import Any

from hansu.compile.columns import aligned, apart, set_real, set_whole, whole, word
from hansu.core.bits import next_random
from hansu.core.generic import State, actions, probability, team

# The words of a tree: sizes and the addresses of its columns.
CAPACITY, BONUS_SCALE, PATH, PATH_LENGTH, USED = range(5)
PAIR = {"mean": "float32", "bonus": "float32"}  # the two records of a slot
REST = {
    "first": "int32", "count": "int32", "action": "int32", "sign": "float32", "visits": "int32", "prior": "float32",
    "visited_policy": "float32", "value": "float32",
}  # fmt: skip
MEAN, BONUS = (apart(column, len(PAIR)) for column in range(5, 7))
FIRST, COUNT, ACTION, SIGN, VISITS, PRIOR, VISITED_POLICY, VALUE = (apart(column, len(REST)) for column in range(7, 15))
WORDS = 15
FINISHED = -(1 << 31)
UNVISITED = -1e9  # the mean of a slot without visits
TABLED_VISITS = 4096  # visits of a parent for which the scale of the bonus is precomputed
MAX_PATH = 1024  # slots
MAX_VISITS = 2_000_000_000  # visits are int32


def slots(trees: int, max_nodes: int) -> dict[str, Any]:
    """The columns of all slots, [trees, max_nodes] each, in the order of their word numbers."""
    # Every tree starts at a cache line.
    records = [aligned(trees, max_nodes + max_nodes % 2, fields) for fields in (PAIR, REST)]
    return {name: record[name] for record in records for name in record.dtype.names}


def expand(s: State, node: int, tree: int) -> bool:
    """Add the children of a node; False if the arrays are full."""
    start = whole(tree, USED, 0)
    end = start
    sign = 1.0 if team(s) <= 0 else -1.0
    for a in actions(s):
        if end >= word(tree, CAPACITY):
            return False
        set_whole(tree, FIRST, end, 0)
        set_whole(tree, ACTION, end, a)
        set_real(tree, SIGN, end, sign)
        set_whole(tree, VISITS, end, 0)
        set_real(tree, MEAN, end, UNVISITED)
        end += 1
    set_whole(tree, USED, 0, end)
    set_whole(tree, FIRST, node, start)
    set_whole(tree, COUNT, node, end - start)
    return True


def chance_child(s: State, node: int, tree: int, seed: Any) -> int:
    """A child of a chance node, sampled with the probability of its action."""
    start, count = whole(tree, FIRST, node), whole(tree, COUNT, node)
    left = next_random(seed) / 2147483648.0
    for child in range(start, start + count):
        left -= probability(s, whole(tree, ACTION, child))
        if left < 0.0:
            return child
    return start + count - 1


class Tree:
    """Owns the columns of one tree. Kernels receive its `handle`.

    `scale` is float64[TABLED_VISITS]: the scale of the exploration bonus by the parent's visits.
    """

    def __init__(self, max_nodes: int, scale: Any) -> None:
        import numpy as np

        columns = [column[0] for column in slots(1, max_nodes).values()]
        self.mean, self.bonus = columns[:2]
        self.first, self.count, self.action, self.sign, self.visits = columns[2:7]
        self.prior, self.visited_policy, self.value = columns[7:]
        self.scale = scale
        self.path = np.zeros(MAX_PATH, np.int32)  # the slots of the current simulation
        self.used = np.ones(1, np.int32)  # slots
        words = (max_nodes, self.scale, self.path, MAX_PATH, self.used, *columns)
        self._words = np.array([w if isinstance(w, int) else w.ctypes.data for w in words], np.int64)
        self.handle = int(self._words.ctypes.data)
        self.clear()

    def clear(self) -> None:
        """Remove everything but the root."""
        self.used[0], self.sign[0] = 1, 1.0
        for name in ("first", "count", "visits", "mean", "visited_policy"):
            getattr(self, name)[0] = 0
