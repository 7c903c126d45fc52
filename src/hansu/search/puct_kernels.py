"""Tree search that an evaluator guides: it names a probability for every move and a value for the position (Silver et
al., "Mastering the game of Go without human knowledge", 2017).

The pieces of one simulation, over the tree of `tree`: which child to go down to, how a result goes back up, what a
known value means above it. `forest_kernels` puts them together for many trees and a network.

    bound = mean + c * prior * sqrt(visits of the parent) / (1 + visits),    c = exploration + growth * log(1 + N / 500)

A child without a visit counts as the parent's value less `urgency` * sqrt(the priors already visited). A value that is
known (the game is over, or all that follows is known) is never asked for again: it has no bonus, and it becomes its
parent's where the mover could do no better or every other move is known, too (Winands, Björnsson and Saito,
"Monte-Carlo tree search solver", 2008). Moves that end the game are found when a position is expanded: a win at hand
needs no evaluator.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from hansu.compile.columns import double, real, set_real, set_whole, whole, word
from hansu.core.bits import next_random
from hansu.core.generic import CHANCE, State, actions, may_end, over, play, probability, score, team
from hansu.search.tree import (
    ACTION,
    BONUS,
    COUNT,
    FINISHED,
    FIRST,
    MEAN,
    PATH,
    PRIOR,
    ROOM,
    SEEN,
    SIGN,
    SPREAD,
    SPREAD_ROOM,
    UNSEEN,
    USED,
    VALUE,
    VISITS,
    WORDS,
)

RULE = WORDS  # one more word of a tree: a column of doubles, the numbers of its search by their places
(
    EXPLORATION, GROWTH, URGENCY, FORCED, UNIT, WINS, PRUNE, LEAVES, TURNED, SYMMETRIES, ROWS, NOISE, ALPHA,
    CONSIDERED, OFFSET, SCALE, LOOK, TOLD, NUMBERS,
) = range(19)  # fmt: skip
GROWTH_VISITS = 500.0
DRAWN = -1.0  # `seen` of a chance node, whose children are drawn, not chosen
LOSS = 1.0  # what a leaf that waits for its answer counts as meanwhile


def spread_of(n: int, tree: int) -> float:
    """The scale of the bonus where the parent has `n` visits."""
    return (double(tree, RULE, EXPLORATION) + double(tree, RULE, GROWTH) * log(1.0 + n / GROWTH_VISITS)) * sqrt(n)


def best_child(node: int, tree: int) -> int:
    """The child with the highest bound."""
    start, n = whole(tree, FIRST, node), whole(tree, VISITS, node)
    spread = double(tree, SPREAD, n) if n < SPREAD_ROOM else spread_of(n, tree)
    base = real(tree, MEAN, node) * real(tree, SIGN, node) * real(tree, SIGN, start)
    base -= double(tree, RULE, URGENCY) * sqrt(real(tree, SEEN, node))
    best = start
    best_bound = -1e300
    for child in range(start, start + whole(tree, COUNT, node)):
        mean = real(tree, MEAN, child)
        bound = (base if mean == UNSEEN else mean) + spread * real(tree, BONUS, child)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def forced_child(tree: int) -> int:
    """At a root that shall be explored: a child with fewer visits than its prior demands (KataGo's forced playouts,
    arXiv 1902.10565), or -1."""
    start = whole(tree, FIRST, 0)
    demand = double(tree, RULE, FORCED) * whole(tree, VISITS, 0)
    for child in range(start, start + whole(tree, COUNT, 0)):
        n = whole(tree, VISITS, child)
        if n > 0 and whole(tree, FIRST, child) >= 0 and n * n < demand * real(tree, PRIOR, child):
            return child
    return -1


def expand_evenly(s: State, node: int, tree: int) -> bool:
    """Give a node its children, the same prior for each, or the game's own at a chance node; False where the arrays are
    full."""
    start = whole(tree, USED, 0)
    end = start
    side = team(s)
    for a in actions(s):
        if end >= word(tree, ROOM):
            return False
        set_whole(tree, ACTION, end, a)
        end += 1
    for child in range(start, end):
        prior = probability(s, whole(tree, ACTION, child)) if side == CHANCE else 1.0 / (end - start)
        set_whole(tree, FIRST, child, 0)
        set_whole(tree, COUNT, child, 0)
        set_real(tree, SIGN, child, -1.0 if side > 0 else 1.0)
        set_whole(tree, VISITS, child, 0)
        set_real(tree, MEAN, child, UNSEEN)
        set_real(tree, BONUS, child, prior)
        set_real(tree, PRIOR, child, prior)
        set_real(tree, SEEN, child, 0.0)
    if side == CHANCE:
        set_real(tree, SEEN, node, DRAWN)
    set_whole(tree, USED, 0, end)
    set_whole(tree, FIRST, node, start)
    set_whole(tree, COUNT, node, end - start)
    return True


def known_child(child: int, tree: int, own: float) -> None:
    """Nothing below a slot need be looked at: its value, from the side of whoever moved to get there, is known."""
    set_whole(tree, FIRST, child, FINISHED)
    set_real(tree, MEAN, child, own)
    set_real(tree, BONUS, child, 0.0)


def finish(s: State, node: int, tree: int) -> None:
    """The game is over here."""
    value = float(score(s)) / double(tree, RULE, UNIT)
    if double(tree, RULE, WINS) > 0.0:
        value = 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0
    known_child(node, tree, real(tree, SIGN, node) * value)
    set_real(tree, VALUE, node, value)


def spot_ends(s: State, node: int, tree: int) -> bool:
    """Look at every move of a node that was just expanded for the end of the game. Was there one?"""
    if not may_end(s):
        return False
    start = whole(tree, FIRST, node)
    found = False
    for child in range(start, start + whole(tree, COUNT, node)):
        after = play(s, whole(tree, ACTION, child))
        if over(after):
            finish(after, child, tree)
            found = True
    return found


def conclude(node: int, tree: int) -> bool:
    """Does the value of a node follow from what is known of its children? Then it is known from here on."""
    start, count = whole(tree, FIRST, node), whole(tree, COUNT, node)
    if start <= 0 or count < 0:
        return False
    prune = double(tree, RULE, PRUNE)
    all_known = prune == 0.0 or count != prune  # pruned moves are not
    best = UNSEEN
    total = 0.0
    for child in range(start, start + count):
        if whole(tree, FIRST, child) < 0:
            best = max(best, real(tree, MEAN, child))
            total += real(tree, PRIOR, child) * real(tree, MEAN, child)
        else:
            all_known = False
    chance = real(tree, SEEN, node) == DRAWN
    if not all_known and (chance or best < 1.0):
        return False
    value = total if chance else best
    set_real(tree, MEAN, node, value * real(tree, SIGN, start) * real(tree, SIGN, node))
    set_real(tree, BONUS, node, 0.0)
    set_whole(tree, FIRST, node, -start)
    return True


def prove(tree: int, at: int, length: int) -> None:
    """The value at the end of a path is known: carry that up as far as it goes."""
    for i in range(length - 2, -1, -1):
        if not conclude(whole(tree, PATH, at + i), tree):
            return


def visit(tree: int, at: int, i: int, own: float) -> None:
    """One more visit of a path's i-th slot, with a result from the side of whoever moved to get there."""
    node = whole(tree, PATH, at + i)
    n = whole(tree, VISITS, node) + 1
    set_whole(tree, VISITS, node, n)
    if n == 1 and i > 0:
        above = whole(tree, PATH, at + i - 1)
        if real(tree, SEEN, above) != DRAWN:
            set_real(tree, SEEN, above, real(tree, SEEN, above) + real(tree, PRIOR, node))
    if whole(tree, FIRST, node) >= 0:  # else the mean is exact, and there is no bonus
        mean = 0.0 if n == 1 else real(tree, MEAN, node)
        set_real(tree, MEAN, node, mean + (own - mean) / n)
        set_real(tree, BONUS, node, real(tree, PRIOR, node) / (1.0 + n))


def back_up(tree: int, at: int, length: int, value: float) -> None:
    """A result, from player 0's side, into every slot of a path."""
    for i in range(length):
        visit(tree, at, i, real(tree, SIGN, whole(tree, PATH, at + i)) * value)


def settle(tree: int, at: int, length: int, value: float) -> None:
    """A result into a path whose visits (but for the root's) were counted as losses when the leaf was found."""
    for i in range(length):
        node = whole(tree, PATH, at + i)
        if i == 0:
            visit(tree, at, i, value)
        elif whole(tree, FIRST, node) >= 0:
            more = (real(tree, SIGN, node) * value + LOSS) / whole(tree, VISITS, node)
            set_real(tree, MEAN, node, real(tree, MEAN, node) + more)


def uniform(seed: Any) -> float:
    """A random number in (0, 1)."""
    return (next_random(seed) + 0.5) / 2147483648.0
