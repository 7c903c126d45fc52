"""Tree search that an evaluator guides: it names a probability for every move and a value for the position (Silver et
al., "Mastering the game of Go without human knowledge", 2017).

The pieces of one simulation, over the tree of `tree`: which child to go down to, what a known value means above it, and
how a result goes back up. `forest` puts them together for many trees and a network, `grow` for one tree and an evaluator
that compiled code can call.

    bound = mean + c * prior * sqrt(visits of the parent) / (1 + visits),      c = exploration + growth * log(1 + N / 500)

A child without a visit counts as the parent's value less `urgency` * sqrt(the priors already visited). A value that is
known (the game is over, or all that follows is known) is never asked for again; it has no bonus, and becomes its parent's
where the mover could do no better or every other move is known, too (Winands et al., "Monte-Carlo tree search
solver", 2008).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from hansu.core.arrays import doubles
from hansu.core.bits import next_random
from hansu.core.generic import CHANCE, State, actions, probability, score, team
from hansu.search.tree import FINISHED, SPREAD_ROOM, UNSEEN, slots

# The numbers that kernels read, by their places in an array of doubles.
(
    GUMBEL, EXPLORATION, GROWTH, URGENCY, FORCED, UNIT, WINS, PRUNE, LEAVES, TURNED, SYMMETRIES, ROWS, NOISE, ALPHA,
    CONSIDERED, OFFSET, SCALE, NUMBERS,
) = range(18)  # fmt: skip
GROWTH_VISITS = 500.0
DRAWN = -1.0  # `seen` of a chance node, whose children are drawn, not chosen
LOSS = 1.0  # what a leaf that waits for its answer counts as meanwhile


def spread_of(n: int, rule: int) -> float:
    """The scale of the bonus where the parent has `n` visits."""
    r = doubles(rule, NUMBERS)
    return float((r[EXPLORATION] + r[GROWTH] * log(1.0 + n / GROWTH_VISITS)) * sqrt(n))


def best_child(node: int, tree: int, rule: int) -> Any:
    """The child with the highest bound."""
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    start = t.first[node]
    n = int(t.visits[node])
    spread = t.spread[n] if n < SPREAD_ROOM else spread_of(n, rule)
    base = float(t.mean[node]) * float(t.sign[node]) * float(t.sign[start]) - r[URGENCY] * sqrt(float(t.seen[node]))
    best = start
    best_bound = -1e300
    for child in range(start, start + t.count[node]):
        mean = float(t.mean[child])
        if mean == UNSEEN:
            mean = base
        bound = mean + spread * float(t.bonus[child])
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def forced_child(node: int, tree: int, rule: int) -> Any:
    """At a root that shall be explored: a child with fewer visits than its prior demands (KataGo's forced playouts,
    arXiv 1902.10565), or -1."""
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    for child in range(t.first[node], t.first[node] + t.count[node]):
        n = float(t.visits[child])
        if n > 0.0 and t.first[child] >= 0 and n * n < r[FORCED] * float(t.prior[child]) * float(t.visits[node]):
            return child
    return -1


def expand_evenly(s: State, node: int, tree: int) -> bool:
    """Give a node its children, the same prior for each, or the game's own at a chance node; False where the arrays are
    full."""
    t = slots(tree)
    start = t.used[0]
    end = start
    side = team(s)
    sign = -1.0 if side > 0 else 1.0
    for a in actions(s):
        if end >= len(t.first):
            return False
        t.first[end] = 0
        t.count[end] = 0
        t.action[end] = a
        t.sign[end] = sign
        t.visits[end] = 0
        t.mean[end] = UNSEEN
        t.seen[end] = 0.0
        end += 1
    for child in range(start, end):
        t.prior[child] = probability(s, int(t.action[child])) if side == CHANCE else 1.0 / (end - start)
        t.bonus[child] = t.prior[child]
    if side == CHANCE:
        t.seen[node] = DRAWN
    t.used[0] = end
    t.first[node] = start
    t.count[node] = end - start
    return True


def finish(s: State, node: int, tree: int, rule: int) -> None:
    """The game is over here."""
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    value = float(score(s)) / r[UNIT]
    if r[WINS] > 0.0:
        value = 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0
    t.first[node] = FINISHED
    t.mean[node] = float(t.sign[node]) * value
    t.bonus[node] = 0.0
    t.value[node] = value


def known(node: int, tree: int, prune: float) -> bool:
    """Does the value of a node follow from what is known of its children? Then it is known from here on."""
    t = slots(tree)
    start = t.first[node]
    end = start + t.count[node]
    whole = prune == 0.0 or t.count[node] < prune  # are these all its moves?
    chance = t.seen[node] == DRAWN
    best = UNSEEN
    total = 0.0
    for child in range(start, end):
        if t.first[child] < 0:
            best = max(best, float(t.mean[child]))
            total += float(t.prior[child]) * float(t.mean[child])
        else:
            whole = False
    if chance:
        best = total
    if not whole and (chance or best < 1.0):
        return False
    t.mean[node] = best * float(t.sign[start]) * float(t.sign[node])
    t.first[node] = -start
    t.bonus[node] = 0.0
    return True


def prove(tree: int, at: int, length: int, rule: int) -> None:
    """The value at the end of a path is known: carry that up as far as it goes."""
    t = slots(tree)
    prune = doubles(rule, NUMBERS)[PRUNE]
    for i in range(length - 2, -1, -1):
        if t.first[t.path[at + i]] <= 0 or t.count[t.path[at + i]] < 0 or not known(t.path[at + i], tree, prune):
            break


def back_up(tree: int, at: int, length: int, value: float, waited: bool) -> None:
    """A result, from player 0's side, into every slot of a path. `waited`: the visit was counted when the leaf was found."""
    t = slots(tree)
    for i in range(length):
        node = t.path[at + i]
        own = float(t.sign[node]) * value
        if waited and i > 0:
            if t.first[node] >= 0:
                t.mean[node] = float(t.mean[node]) + (own + LOSS) / t.visits[node]
            continue
        visit(tree, at, i, own)


def visit(tree: int, at: int, i: int, own: float) -> None:
    """One more visit of a path's i-th slot, with a result from the side of whoever moved to get there."""
    t = slots(tree)
    node = t.path[at + i]
    n = t.visits[node] + 1
    t.visits[node] = n
    if n == 1 and i > 0:
        above = t.path[at + i - 1]
        if t.seen[above] != DRAWN:
            t.seen[above] = float(t.seen[above]) + float(t.prior[node])
    if t.first[node] >= 0:  # else the mean is exact, and there is no bonus
        mean = 0.0 if n == 1 else float(t.mean[node])
        t.mean[node] = mean + (own - mean) / n
        t.bonus[node] = float(t.prior[node]) / (1.0 + n)


def wait(tree: int, at: int, length: int) -> None:
    """Count the visit of a leaf that waits for its answer as a loss, so that the next simulation goes elsewhere."""
    for i in range(1, length):
        visit(tree, at, i, -LOSS)


def uniform(seed: Any) -> float:
    """A random number in (0, 1)."""
    return (next_random(seed) + 0.5) / 2147483648.0
