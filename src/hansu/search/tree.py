"""A tree of simulations in flat arrays: UCT's, PUCT's, one of its own or one of thousands in a `Forest`.

An entry is a *slot*: a move that was found legal, and the position it leads to. A node's children are neighbours and lie
behind it; slot 0 is the root. States are not stored: each simulation plays its way down from the root again, which the
rules do faster than memory would.

    first     where the children begin; 0: none yet; below 0: the value is known, FINISHED where the game is over, else
              the children begin at minus that
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

Compiled code gets one number, the tree's *handle*: the address of a row of words with the addresses of these arrays (see
`core.arrays`; with the arrays themselves as arguments UCT ran at two thirds of the speed). `slots(handle)` has them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.core.arrays import doubles, floats, ints, longs
from hansu.core.bits import next_random
from hansu.core.generic import State, actions, probability, team

FINISHED = -1
UNSEEN = -1e9  # the mean of a slot without a visit
SPREAD_ROOM = 4096
PATH_ROOM = 1024
MOST_VISITS = 2_000_000_000  # visits are int32
FIELDS = {
    "first": "int32", "count": "int32", "action": "int32", "sign": "float32", "visits": "int32", "mean": "float32",
    "bonus": "float32", "prior": "float32", "seen": "float32", "value": "float32",
}  # fmt: skip

# The words behind a handle.
ROOM, SPREAD, PATH, PATH_LENGTH, USED, SLOTS = range(6)
WORDS = SLOTS + len(FIELDS)


class Slots(NamedTuple):
    """The arrays of one tree."""

    first: Any  # int32[room]
    count: Any  # int32[room]
    action: Any  # int32[room]
    sign: Any  # float32[room]
    visits: Any  # int32[room]
    mean: Any  # float32[room]
    bonus: Any  # float32[room]
    prior: Any  # float32[room]
    seen: Any  # float32[room]
    value: Any  # float32[room]
    spread: Any  # float64[SPREAD_ROOM], the scale of the bonus by the parent's visits
    path: Any  # int32[path room], the slots of the simulation in hand
    used: Any  # int32[1], slots in use


def slots(tree: int) -> Slots:
    """The arrays of the tree with this handle."""
    w = longs(tree, WORDS)
    n = w[ROOM]
    return Slots(
        ints(w[SLOTS], n), ints(w[SLOTS + 1], n), ints(w[SLOTS + 2], n), floats(w[SLOTS + 3], n),
        ints(w[SLOTS + 4], n), floats(w[SLOTS + 5], n), floats(w[SLOTS + 6], n), floats(w[SLOTS + 7], n),
        floats(w[SLOTS + 8], n), floats(w[SLOTS + 9], n),
        doubles(w[SPREAD], SPREAD_ROOM), ints(w[PATH], w[PATH_LENGTH]), ints(w[USED], 1),
    )  # fmt: skip


def expand(s: State, node: int, tree: int) -> bool:
    """Give a node its children; False where the arrays are full."""
    t = slots(tree)
    start = t.used[0]
    end = start
    sign = 1.0 if team(s) <= 0 else -1.0
    for a in actions(s):
        if end >= len(t.first):
            return False
        t.first[end] = 0
        t.action[end] = a
        t.sign[end] = sign
        t.visits[end] = 0
        t.mean[end] = UNSEEN
        end += 1
    t.used[0] = end
    t.first[node] = start
    t.count[node] = end - start
    return True


def chance_child(s: State, node: int, tree: int, seed: Any) -> Any:
    """A child drawn with the probability of its action."""
    t = slots(tree)
    start = t.first[node]
    left = next_random(seed) / 2147483648.0
    for child in range(start, start + t.count[node]):
        left -= probability(s, int(t.action[child]))
        if left < 0.0:
            return child
    return start + t.count[node] - 1


class Tree:
    """The owner of the arrays of one tree, by the names of FIELDS. `handle` is what kernels are called with."""

    first: Any
    count: Any
    action: Any
    sign: Any
    visits: Any
    mean: Any
    bonus: Any
    prior: Any
    seen: Any
    value: Any

    def __init__(self, room: int, spread: Any, path_room: int = PATH_ROOM) -> None:
        import numpy as np

        for name, kind in FIELDS.items():
            setattr(self, name, np.zeros(room, kind))
        self.spread, self.path, self.used = spread, np.zeros(path_room, np.int32), np.ones(1, np.int32)
        arrays = (self.spread, self.path, None, self.used, *(getattr(self, name) for name in FIELDS))
        self._words = np.array([room, *(path_room if a is None else a.ctypes.data for a in arrays)], np.int64)
        self.handle = int(self._words.ctypes.data)
        self.clear()

    def clear(self) -> None:
        """Nothing but a root."""
        self.used[0], self.sign[0] = 1, 1.0
        for name in ("first", "count", "visits", "mean", "seen"):
            getattr(self, name)[0] = 0
