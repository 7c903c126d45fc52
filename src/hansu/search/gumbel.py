"""Planning with Gumbel noise (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
2022): a search that improves on its priors with a handful of simulations.

At the root, the moves with the highest log prior + Gumbel noise are considered; simulations go to them in equal
numbers, and by and by the better half stays (sequential halving). Below the root, and for the policy that a network
learns from,

    improved policy = softmax(log prior + sigma(q)),      sigma(q) = (OFFSET + most visits) * SCALE * q,  q from 0 to 1

where a move without a visit gets the q of `mixed_value`. A simulation goes to the child whose share of the visits lags
furthest behind the improved policy.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

from hansu.compile.columns import double, real, set_real, whole
from hansu.search.puct_kernels import CONSIDERED, OFFSET, RULE, SCALE, uniform
from hansu.search.tree import BONUS, COUNT, FIRST, MEAN, PRIOR, SIGN, UNSEEN, VALUE, VISITS

GUMBEL = RULE + 1  # one more word of a tree: a column of noise + log prior, a number for each child of the root


def draw(tree: int, seed: Any) -> None:
    """Gumbel noise + log prior for each child of the root."""
    start = whole(tree, FIRST, 0)
    for i in range(whole(tree, COUNT, 0)):
        set_real(tree, GUMBEL, i, log(max(real(tree, PRIOR, start + i), 1e-30)) - log(-log(uniform(seed))))


def mixed_value(node: int, tree: int) -> float:
    """What a move without a visit is worth to the mover: the evaluator's value of the node, mixed by visits with the
    children's, which the priors weigh."""
    start = whole(tree, FIRST, node)
    n, mass, total = 0, 0.0, 0.0
    for child in range(start, start + whole(tree, COUNT, node)):
        if whole(tree, VISITS, child) > 0:
            n += whole(tree, VISITS, child)
            mass += real(tree, PRIOR, child)
            total += real(tree, PRIOR, child) * real(tree, MEAN, child)
    own = real(tree, VALUE, node) * real(tree, SIGN, start)
    return (own + n * total / mass) / (1.0 + n) if mass > 0.0 else own


def steepness(node: int, tree: int) -> float:
    """How much sigma grows with a value, which goes from -1 to 1."""
    start = whole(tree, FIRST, node)
    most = 0
    for child in range(start, start + whole(tree, COUNT, node)):
        most = max(most, whole(tree, VISITS, child))
    return (double(tree, RULE, OFFSET) + most) * double(tree, RULE, SCALE) / 2.0


def highest_value(node: int, tree: int, unseen: float) -> float:
    """Of the children, a move without a visit being worth `unseen`."""
    start = whole(tree, FIRST, node)
    top = -1.0
    for child in range(start, start + whole(tree, COUNT, node)):
        mean = real(tree, MEAN, child)
        top = max(top, unseen if mean == UNSEEN else mean)
    return top


def weight(child: int, tree: int, steep: float, top: float, rest: float) -> float:
    """Prior * e^sigma(q), divided by e^sigma of the highest value; `rest` is that factor for moves without a visit, so
    that the many of them cost no exponential."""
    mean = real(tree, MEAN, child)
    return max(real(tree, PRIOR, child), 1e-30) * (rest if mean == UNSEEN else exp(steep * (mean - top)))


def improve(node: int, tree: int) -> None:
    """Put the improved policy into the children's bonus."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    steep, unseen = steepness(node, tree), mixed_value(node, tree)
    top = highest_value(node, tree, unseen)
    rest = exp(min(steep * (unseen - top), 0.0))
    total = 0.0
    for child in range(start, end):
        total += weight(child, tree, steep, top, rest)
    for child in range(start, end):
        set_real(tree, BONUS, child, weight(child, tree, steep, top, rest) / total)


def lagging_child(node: int, tree: int) -> int:
    """Below the root: the child whose visits lag furthest behind the improved policy."""
    improve(node, tree)
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    visits = 0
    for child in range(start, end):
        visits += whole(tree, VISITS, child)
    best = start
    best_lag = -1e300
    for child in range(start, end):
        lag = real(tree, BONUS, child) - whole(tree, VISITS, child) / (1.0 + visits)
        if lag > best_lag:
            best_lag = lag
            best = child
    return best


def visits_of_turn(considered: int, simulations: int, turn: int) -> int:
    """Sequential halving: how many visits a root move must have to get simulation number `turn`. Rounds of one visit
    for each move that is still considered; after every phase of rounds half of them are left, two at least."""
    phases = 0
    while 1 << phases < considered:
        phases += 1
    visits = 0
    while considered > 1:
        rounds = max(1, simulations // (phases * considered))
        if turn < rounds * considered:
            return visits + turn // considered
        turn -= rounds * considered
        visits += rounds
        considered = max(2, considered // 2)
    return visits + turn


def best_at(tree: int, wanted: int) -> int:
    """The root move with the highest noise + log prior + sigma(q) among those with so many visits, or -1."""
    steep, unseen = steepness(0, tree), mixed_value(0, tree)
    start = whole(tree, FIRST, 0)
    best = -1
    best_score = -1e300
    for i in range(whole(tree, COUNT, 0)):
        if whole(tree, VISITS, start + i) == wanted:
            mean = real(tree, MEAN, start + i)
            score = real(tree, GUMBEL, i) + steep * (unseen if mean == UNSEEN else mean)
            if score > best_score:
                best_score = score
                best = start + i
    return best


def considered_child(tree: int, simulations: int, turn: int) -> int:
    """At the root: the best of the moves whose turn it is."""
    start, count = whole(tree, FIRST, 0), whole(tree, COUNT, 0)
    best = best_at(tree, visits_of_turn(min(int(double(tree, RULE, CONSIDERED)), count), simulations, turn))
    if best < 0:  # simulations that were answered out of turn have upset the count: the least visited
        best = start
        for child in range(start, start + count):
            if whole(tree, VISITS, child) < whole(tree, VISITS, best):
                best = child
    return best


def chosen_child(tree: int) -> int:
    """The root move to play: the best of the most visited ones."""
    start = whole(tree, FIRST, 0)
    most = 0
    for child in range(start, start + whole(tree, COUNT, 0)):
        most = max(most, whole(tree, VISITS, child))
    return best_at(tree, most)
