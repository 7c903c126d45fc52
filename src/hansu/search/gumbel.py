"""Gumbel AlphaZero (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", 2022): a
search that improves on its priors with a handful of simulations.

At the root, the search considers the moves with the highest log prior + Gumbel noise. It gives them equal numbers of
simulations and keeps the better half after each phase (sequential halving). Below the root, and as training target,

    improved policy = softmax(log prior + sigma(q)),      sigma(q) = (OFFSET + max visits) * SCALE * q,  q from 0 to 1

where a move without visits gets the q of `mixed_value`. A simulation goes to the child whose share of the visits is
furthest below the improved policy.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

from hansu.compile.columns import double, real, set_real, whole
from hansu.search.puct_kernels import CONSIDERED, OFFSET, SCALE, SETTINGS, uniform
from hansu.search.tree import BONUS, COUNT, FIRST, MEAN, PRIOR, SIGN, UNVISITED, VALUE, VISITS

GUMBEL = SETTINGS + 1  # the next word of a tree: the column of noise + log prior for each child of the root


def sample_noise(tree: int, seed: Any) -> None:
    """Write Gumbel noise + log prior for each child of the root. `seed` is int64[1]."""
    start = whole(tree, FIRST, 0)
    for i in range(whole(tree, COUNT, 0)):
        set_real(tree, GUMBEL, i, log(max(real(tree, PRIOR, start + i), 1e-30)) - log(-log(uniform(seed))))


def mixed_value(node: int, tree: int) -> float:
    """The value of a move without visits, for the mover.

    It is the evaluator's value of the node, mixed by visits with the children's mean weighted by priors.
    """
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
    """The slope of sigma over values from -1 to 1."""
    start = whole(tree, FIRST, node)
    max_visits = 0
    for child in range(start, start + whole(tree, COUNT, node)):
        max_visits = max(max_visits, whole(tree, VISITS, child))
    return (double(tree, SETTINGS, OFFSET) + max_visits) * double(tree, SETTINGS, SCALE) / 2.0


def highest_value(node: int, tree: int, unvisited: float) -> float:
    """The highest value of the children, where moves without visits have the value `unvisited`."""
    start = whole(tree, FIRST, node)
    top = -1.0
    for child in range(start, start + whole(tree, COUNT, node)):
        mean = real(tree, MEAN, child)
        top = max(top, unvisited if mean == UNVISITED else mean)
    return top


def weight(child: int, tree: int, steep: float, top: float, rest: float) -> float:
    """prior * e^sigma(q), divided by e^sigma of the highest value `top`.

    `rest` is that factor for moves without visits. It is computed once because there are many of them.
    """
    mean = real(tree, MEAN, child)
    return max(real(tree, PRIOR, child), 1e-30) * (rest if mean == UNVISITED else exp(steep * (mean - top)))


def improve(node: int, tree: int) -> None:
    """Write the improved policy to the children's bonus."""
    start = whole(tree, FIRST, node)
    end = start + whole(tree, COUNT, node)
    steep, unvisited = steepness(node, tree), mixed_value(node, tree)
    top = highest_value(node, tree, unvisited)
    rest = exp(min(steep * (unvisited - top), 0.0))
    total = 0.0
    for child in range(start, end):
        total += weight(child, tree, steep, top, rest)
    for child in range(start, end):
        set_real(tree, BONUS, child, weight(child, tree, steep, top, rest) / total)


def lagging_child(node: int, tree: int) -> int:
    """Below the root: the child whose share of the visits is furthest below the improved policy."""
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
    """Sequential halving: how many visits a root move must have to get simulation number `turn`.

    A round is one visit for each move still considered. After each phase of rounds the better half remains, but at
    least two moves.
    """
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


def best_with_visits(tree: int, visits: int) -> int:
    """The root move with the highest noise + log prior + sigma(q) among those with `visits` visits, or -1."""
    steep, unvisited = steepness(0, tree), mixed_value(0, tree)
    start = whole(tree, FIRST, 0)
    best = -1
    best_score = -1e300
    for i in range(whole(tree, COUNT, 0)):
        if whole(tree, VISITS, start + i) == visits:
            mean = real(tree, MEAN, start + i)
            score = real(tree, GUMBEL, i) + steep * (unvisited if mean == UNVISITED else mean)
            if score > best_score:
                best_score = score
                best = start + i
    return best


def considered_child(tree: int, simulations: int, turn: int) -> int:
    """At the root: the best of the moves that sequential halving visits next."""
    start, count = whole(tree, FIRST, 0), whole(tree, COUNT, 0)
    considered = min(int(double(tree, SETTINGS, CONSIDERED)), count)
    best = best_with_visits(tree, visits_of_turn(considered, simulations, turn))
    if best < 0:  # several leaves at a time can break the plan: take the least visited move
        best = start
        for child in range(start, start + count):
            if whole(tree, VISITS, child) < whole(tree, VISITS, best):
                best = child
    return best


def chosen_child(tree: int) -> int:
    """The root move to play: the best of the most visited moves."""
    start = whole(tree, FIRST, 0)
    max_visits = 0
    for child in range(start, start + whole(tree, COUNT, 0)):
        max_visits = max(max_visits, whole(tree, VISITS, child))
    return best_with_visits(tree, max_visits)
