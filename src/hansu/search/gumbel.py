"""Planning with Gumbel noise (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
2022): a search that improves on its priors with a handful of simulations.

At the root, the moves with the highest log prior + Gumbel noise are considered; simulations go to them in equal numbers,
and by and by the better half stays (sequential halving). Below the root, and for the policy that a network learns from,

    improved policy = softmax(log prior + sigma(q)),      sigma(q) = (OFFSET + most visits) * SCALE * q,  q from 0 to 1

where a move without a visit gets the q of `mixed_value`. A simulation goes to the child whose share of the visits lags
furthest behind the improved policy.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

from hansu.core.arrays import doubles, floats
from hansu.search.guided import CONSIDERED, NUMBERS, OFFSET, SCALE, uniform
from hansu.search.tree import UNSEEN, slots


def draw(node: int, tree: int, noise: int, seed: Any) -> None:
    """Gumbel noise for each child of the root."""
    t = slots(tree)
    g = floats(noise, t.count[node])
    for i in range(t.count[node]):
        g[i] = -log(-log(uniform(seed)))


def mixed_value(node: int, tree: int) -> float:
    """What a move without a visit is worth to the mover: the evaluator's value of the node, mixed by visits with the
    children's, which the priors weigh."""
    t = slots(tree)
    start = t.first[node]
    visits, mass, total = 0, 0.0, 0.0
    for child in range(start, start + t.count[node]):
        if t.visits[child] > 0:
            visits += t.visits[child]
            mass += float(t.prior[child])
            total += float(t.prior[child]) * float(t.mean[child])
    own = float(t.value[node]) * float(t.sign[start])
    return (own + visits * total / mass) / (1.0 + visits) if mass > 0.0 else own


def complete(node: int, tree: int, rule: int) -> None:
    """Put log prior + sigma(q) of each child into its bonus."""
    t = slots(tree)
    r = doubles(rule, NUMBERS)
    start = t.first[node]
    end = start + t.count[node]
    most = 0
    for child in range(start, end):
        most = max(most, t.visits[child])
    unseen = mixed_value(node, tree)
    for child in range(start, end):
        q = float(t.mean[child])
        if q == UNSEEN:
            q = unseen
        t.bonus[child] = log(max(float(t.prior[child]), 1e-30)) + (r[OFFSET] + most) * r[SCALE] * (q + 1.0) / 2.0


def improve(node: int, tree: int, rule: int) -> None:
    """Put the improved policy into the children's bonus."""
    complete(node, tree, rule)
    t = slots(tree)
    start = t.first[node]
    end = start + t.count[node]
    top = float(t.bonus[start])
    for child in range(start, end):
        top = max(top, float(t.bonus[child]))
    total = 0.0
    for child in range(start, end):
        weight = exp(float(t.bonus[child]) - top)
        t.bonus[child] = weight
        total += weight
    for child in range(start, end):
        t.bonus[child] = float(t.bonus[child]) / total


def lagging_child(node: int, tree: int, rule: int) -> Any:
    """Below the root: the child whose visits lag furthest behind the improved policy."""
    improve(node, tree, rule)
    t = slots(tree)
    start = t.first[node]
    visits = 0
    for child in range(start, start + t.count[node]):
        visits += t.visits[child]
    best = start
    best_lag = -1e300
    for child in range(start, start + t.count[node]):
        lag = float(t.bonus[child]) - t.visits[child] / (1.0 + visits)
        if lag > best_lag:
            best_lag = lag
            best = child
    return best


def visits_of_turn(considered: int, simulations: int, turn: int) -> int:
    """Sequential halving: how many visits a root move must have to get simulation number `turn`. Rounds of one visit for
    each move that is still considered; after every phase of rounds half of them are left, two at least."""
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


def considered_child(tree: int, noise: int, rule: int, budget: int, turn: int) -> Any:
    """At the root: of the moves with as many visits as it is the turn of, the one with the highest noise + log prior +
    sigma(q)."""
    complete(0, tree, rule)
    t = slots(tree)
    start, count = t.first[0], t.count[0]
    g = floats(noise, count)
    wanted = visits_of_turn(int(min(doubles(rule, NUMBERS)[CONSIDERED], count)), budget, turn)
    best = -1
    best_score = -1e300
    for i in range(count):
        if t.visits[start + i] == wanted and float(g[i]) + float(t.bonus[start + i]) > best_score:
            best_score = float(g[i]) + float(t.bonus[start + i])
            best = start + i
    if best >= 0:
        return best
    best = start  # values that became known have upset the count: the least visited
    for i in range(count):
        if t.visits[start + i] < t.visits[best]:
            best = start + i
    return best


def chosen_child(tree: int, noise: int, rule: int) -> Any:
    """The root move to play: of the most visited ones, the one with the highest noise + log prior + sigma(q)."""
    complete(0, tree, rule)
    t = slots(tree)
    start, count = t.first[0], t.count[0]
    g = floats(noise, count)
    most = 0
    for i in range(count):
        most = max(most, t.visits[start + i])
    best = start
    best_score = -1e300
    for i in range(count):
        if t.visits[start + i] == most and float(g[i]) + float(t.bonus[start + i]) > best_score:
            best_score = float(g[i]) + float(t.bonus[start + i])
            best = start + i
    return best
