"""What the trees of a forest have found: visits, policies, the move to play; and which part of a tree lives on after it.

Kernels that know no game: they are compiled once for all.
"""

from __future__ import annotations

from math import ceil, nan
from typing import Any

from hansu.core.arrays import doubles, floats, ints, longs
from hansu.core.bits import next_random
from hansu.core.compiled import kernel
from hansu.search.forest_kernels import ACTIONS, COUNTS, DONE, NOISE_AT, PENDING, SEED, TREE_WORDS, stir
from hansu.search.guided import FORCED, GUMBEL, NUMBERS, spread_of
from hansu.search.gumbel import chosen_child, improve
from hansu.search.tree import UNSEEN, slots

VISITS, PRIORS, VALUES, POLICY = range(4)
NOTHING = nan


@kernel
def plant(trees: int, lo: int, hi: int) -> None:
    """Every tree is nothing but a root."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        t = slots(tree)
        t.used[0] = 1
        t.first[0] = t.count[0] = t.visits[0] = 0
        t.sign[0] = 1.0
        t.mean[0] = t.seen[0] = t.value[0] = 0.0
        counts = ints(longs(tree, TREE_WORDS)[COUNTS], 3)
        counts[DONE] = counts[PENDING] = 0


def child_of(tree: int, action: int) -> Any:
    """The root's child by its action, or 0."""
    t = slots(tree)
    start = abs(t.first[0])
    if t.first[0] != -1:
        for child in range(start, start + t.count[0]):
            if t.action[child] == action:
                return child
    return 0


@kernel
def keep_subtrees(trees: int, actions: Any, place: Any, lo: int, hi: int) -> None:
    """The child that an action leads to becomes the root; its subtree moves to the front. Where nothing is known of it,
    only a root is left. `place`, int32[room], is scratch."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        t = slots(tree)
        counts = ints(longs(tree, TREE_WORDS)[COUNTS], 3)
        counts[DONE] = counts[PENDING] = 0
        root = child_of(tree, actions[g])
        if root == 0 or t.first[root] in (0, -1) or t.count[root] < 0:
            t.used[0] = 1
            t.first[0] = t.count[0] = t.visits[0] = 0
            t.mean[0] = t.seen[0] = t.value[0] = 0.0
            continue
        # Children lie behind their parents, so one pass finds what stays, and where it goes never lies behind it.
        for i in range(root, t.used[0]):
            place[i] = -1
        place[root] = 0
        used = 0
        for i in range(root, t.used[0]):
            if place[i] < 0:
                continue
            place[i] = used
            start = abs(t.first[i])
            if t.first[i] != 0 and t.first[i] != -1:
                for child in range(start, start + t.count[i]):
                    place[child] = 0
            t.first[used] = t.first[i]
            t.count[used] = t.count[i]
            t.action[used] = t.action[i]
            t.sign[used] = t.sign[i]
            t.visits[used] = t.visits[i]
            t.mean[used] = t.mean[i]
            t.bonus[used] = t.bonus[i]
            t.prior[used] = t.prior[i]
            t.seen[used] = t.seen[i]
            t.value[used] = t.value[i]
            used += 1
        for i in range(used):
            if t.first[i] > 0:
                t.first[i] = place[t.first[i]]
            elif t.first[i] < -1:
                t.first[i] = -place[-t.first[i]]
        t.used[0] = used
        t.mean[0] = float(t.mean[0]) * float(t.sign[0])
        t.sign[0] = 1.0


@kernel
def stir_roots(trees: int, rule: int, lo: int, hi: int) -> None:
    """New noise for roots that have children already."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        if slots(tree).first[0] > 0:
            stir(tree, rule)


def lost(tree: int, child: int) -> bool:
    """Is this move known to lose, while others are not?"""
    t = slots(tree)
    return bool(t.first[child] < 0 and t.mean[child] <= -1.0 and t.first[0] >= 0)


def best_known(tree: int) -> Any:
    """The root's child with the highest known value, the most visited of equals; or 0."""
    t = slots(tree)
    start = abs(t.first[0])
    best = 0
    for child in range(start, start + t.count[0]):
        if t.first[child] < 0:
            if best == 0 or (t.mean[child], t.visits[child]) > (t.mean[best], t.visits[best]):
                best = child
    return best


def most_visited(tree: int, rule: int) -> Any:
    """The root's child to play: the most visited, or Gumbel's choice; or one whose known value is better."""
    t = slots(tree)
    start = abs(t.first[0])
    if t.first[0] < 0:
        return best_known(tree)
    if doubles(rule, NUMBERS)[GUMBEL] > 0.0:
        best = chosen_child(tree, longs(tree, TREE_WORDS)[NOISE_AT], rule)
    else:
        best = start
        for child in range(start, start + t.count[0]):
            if lost(tree, best) or (t.visits[child] > t.visits[best] and not lost(tree, child)):
                best = child
    sure = best_known(tree)
    return sure if sure > 0 and t.mean[sure] > t.mean[best] else best


def drawn_child(tree: int, rule: int, temperature: float) -> Any:
    """The root's child to play, drawn with the visits' shares raised to 1 / temperature."""
    t = slots(tree)
    start = abs(t.first[0])
    if temperature <= 0.0 or t.first[0] < 0:
        return most_visited(tree, rule)
    most = 0
    for child in range(start, start + t.count[0]):
        if not lost(tree, child):
            most = max(most, t.visits[child])
    total = 0.0
    for child in range(start, start + t.count[0]):
        if not lost(tree, child) and most > 0:
            total += (t.visits[child] / most) ** (1.0 / temperature)
    seed = longs(longs(tree, TREE_WORDS)[SEED], 1)
    left = next_random(seed) / 2147483648.0 * total
    for child in range(start, start + t.count[0]):
        if not lost(tree, child) and most > 0:
            left -= (t.visits[child] / most) ** (1.0 / temperature)
            if left < 0.0:
                return child
    return most_visited(tree, rule)


@kernel
def choose(trees: int, rule: int, temperatures: Any, chosen: Any, lo: int, hi: int) -> None:
    """The action to play in each tree; -1 where the root has no children."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        t = slots(tree)
        chosen[g] = t.action[drawn_child(tree, rule, temperatures[g])] if t.first[0] not in (0, -1) else -1


def wanted_visits(tree: int, child: int, best: int, rule: int) -> float:
    """The visits of a root move without those that were only forced (KataGo's policy target pruning): as few as its bound
    allows without being better than the best move's."""
    t = slots(tree)
    visits = float(t.visits[child])
    spread = spread_of(int(t.visits[0]), rule)
    bound = float(t.mean[best]) + spread * float(t.prior[best]) / (1.0 + t.visits[best])
    gap = bound - float(t.mean[child])
    if gap <= 0.0 or visits == 0.0:
        return visits
    forced = (doubles(rule, NUMBERS)[FORCED] * float(t.prior[child]) * float(t.visits[0])) ** 0.5
    needed = ceil(spread * float(t.prior[child]) / gap - 1.0)
    left = max(visits - ceil(forced), min(needed, visits))
    return left if left > 1.0 else 0.0


def root_policy(tree: int, rule: int, row: Any) -> None:
    """What a network should have said of the root."""
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    start = abs(t.first[0])
    end = start + t.count[0]
    best = most_visited(tree, rule)
    if r[GUMBEL] > 0.0 and t.first[0] > 0:
        improve(0, tree, rule)
    total = 0.0
    for child in range(start, end):
        weight = float(t.visits[child])
        if t.first[0] < 0:
            weight = weight if t.first[child] < 0 and t.mean[child] == t.mean[best] else 0.0
        elif lost(tree, child):
            weight = 0.0
        elif r[GUMBEL] > 0.0:
            weight = float(t.bonus[child])
        elif r[FORCED] > 0.0 and child != best:
            weight = wanted_visits(tree, child, best, rule)
        row[t.action[child]] = weight
        total += weight
    if total == 0.0:
        row[t.action[best]] = total = 1.0
    for child in range(start, end):
        row[t.action[child]] = float(row[t.action[child]]) / total


@kernel
def tell(trees: int, rule: int, what: int, out: int, lo: int, hi: int) -> None:
    """Something of every root move into float32[trees, actions] at an address: its visits, priors, values for the mover
    (NaN where there is none), or the policy to learn from."""
    actions = longs(trees, TREE_WORDS)[ACTIONS]
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        t = slots(tree)
        row = floats(out + 4 * actions * g, actions)
        for a in range(actions):
            row[a] = NOTHING if what == VALUES else 0.0
        if t.first[0] == 0 or t.first[0] == -1:
            continue
        if what == POLICY:
            root_policy(tree, rule, row)
            continue
        start = abs(t.first[0])
        for child in range(start, start + t.count[0]):
            if what == VISITS:
                row[t.action[child]] = t.visits[child]
            elif what == PRIORS:
                row[t.action[child]] = t.prior[child]
            elif t.mean[child] != UNSEEN:
                row[t.action[child]] = t.mean[child]
