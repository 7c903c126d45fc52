"""A tree of simulations in flat arrays: UCT's, PUCT's, one of its own or one of thousands in a `Forest`.

An entry is a *slot*: a move that was found legal, and the position it leads to. A node's children are neighbours and
lie behind it; slot 0 is the root. States are not stored: each simulation plays its way down from the root again, which
the rules do faster than memory would.

    first     where the children begin; 0: none yet; below 0: the value is known, FINISHED where the game is over (or
              as good as over), else the children begin at minus that
    count     number of children; below 0 while the node waits for its evaluator's answer
    action    that led here
    sign      +1 if player 0's team chose that action, or chance; else -1
    visits    simulations through here
    mean      of their results, in units of the game's score range, from the side of whoever moved to get here
    bonus     what makes it worth trying, before it is scaled by what was spent on the parent: 1 / sqrt(visits) in UCT,
              prior / (1 + visits) in PUCT; kept because the selection needs it far more often than it changes
    prior     the evaluator's probability of the move; at a chance node the game's own
    seen      the sum of the priors of the children that were visited
    value     the evaluator's own word on the position, from player 0's side

What the selection reads of every child (mean, bonus) lies together, and so does the rest of a slot, in half a line of
memory: thousands of trees are far more than a cache holds, and waiting for memory was most of their time.

Compiled code is handed a tree as `core.columns`. (With the arrays as arguments UCT ran at two thirds of the speed.)
"""

from __future__ import annotations

from typing import Any

from hansu.compile.columns import aligned, apart, set_real, set_whole, whole, word
from hansu.core.bits import next_random
from hansu.core.generic import State, actions, probability, team

# The words of a tree: sizes, and where its columns lie.
ROOM, SPREAD, PATH, PATH_LENGTH, USED = range(5)
PAIR = {"mean": "float32", "bonus": "float32"}  # fields of the records of a slot
REST = {
    "first": "int32", "count": "int32", "action": "int32", "sign": "float32", "visits": "int32", "prior": "float32",
    "seen": "float32", "value": "float32",
}  # fmt: skip
MEAN, BONUS = (apart(column, len(PAIR)) for column in range(5, 7))
FIRST, COUNT, ACTION, SIGN, VISITS, PRIOR, SEEN, VALUE = (apart(column, len(REST)) for column in range(7, 15))
WORDS = 15
FINISHED = -(1 << 31)
UNSEEN = -1e9  # the mean of a slot without a visit
SPREAD_ROOM = 4096
PATH_ROOM = 1024
MOST_VISITS = 2_000_000_000  # visits are int32


def slots(trees: int, room: int) -> dict[str, Any]:
    """The columns of so many trees' slots, [trees, room] each, in the order of their numbers."""
    records = [aligned(trees, room + room % 2, fields) for fields in (PAIR, REST)]  # every tree begins a line
    return {name: record[name] for record in records for name in record.dtype.names}


def expand(s: State, node: int, tree: int) -> bool:
    """Give a node its children; False where the arrays are full."""
    start = whole(tree, USED, 0)
    end = start
    sign = 1.0 if team(s) <= 0 else -1.0
    for a in actions(s):
        if end >= word(tree, ROOM):
            return False
        set_whole(tree, FIRST, end, 0)
        set_whole(tree, ACTION, end, a)
        set_real(tree, SIGN, end, sign)
        set_whole(tree, VISITS, end, 0)
        set_real(tree, MEAN, end, UNSEEN)
        end += 1
    set_whole(tree, USED, 0, end)
    set_whole(tree, FIRST, node, start)
    set_whole(tree, COUNT, node, end - start)
    return True


def chance_child(s: State, node: int, tree: int, seed: Any) -> int:
    """A child drawn with the probability of its action."""
    start, count = whole(tree, FIRST, node), whole(tree, COUNT, node)
    left = next_random(seed) / 2147483648.0
    for child in range(start, start + count):
        left -= probability(s, whole(tree, ACTION, child))
        if left < 0.0:
            return child
    return start + count - 1


class Tree:
    """The owner of the columns of one tree. `handle` is what kernels are called with."""

    def __init__(self, room: int, spread: Any) -> None:
        import numpy as np

        columns = [column[0] for column in slots(1, room).values()]
        self.mean, self.bonus = columns[:2]
        self.first, self.count, self.action, self.sign, self.visits, self.prior, self.seen, self.value = columns[2:]
        self.spread = spread  # float64[SPREAD_ROOM], the scale of the bonus by the parent's visits
        self.path = np.zeros(PATH_ROOM, np.int32)  # the slots of the simulation in hand
        self.used = np.ones(1, np.int32)  # slots
        words = (room, self.spread, self.path, PATH_ROOM, self.used, *columns)
        self._words = np.array([w if isinstance(w, int) else w.ctypes.data for w in words], np.int64)
        self.handle = int(self._words.ctypes.data)
        self.clear()

    def clear(self) -> None:
        """Nothing but a root."""
        self.used[0], self.sign[0] = 1, 1.0
        for name in ("first", "count", "visits", "mean", "seen"):
            getattr(self, name)[0] = 0
