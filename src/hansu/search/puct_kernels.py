"""PUCT: tree search guided by an evaluator, which returns a prior for every move and a value (Silver et al., "Mastering
the game of Go without human knowledge", 2017).

These functions are the parts of a simulation on the arrays of `tree.py`: selection, expansion, backup and proofs.
`forest_kernels.py` combines them.

    bound = mean + c * prior * sqrt(visits of the parent) / (1 + visits),    c = exploration + growth * log(1 + N / 500)

- A child without visits gets the parent's value minus fpu_reduction * sqrt(visited policy).
- A proved value (the game is over, or every line below is proved) needs no more evaluation and has no bonus. It proves
  the parent where it is a win for the mover, or where all other moves are proved as well (Winands, Björnsson and Saito,
  "Monte-Carlo tree search solver", 2008).
- Expansion finds moves that end the game, so an immediate win needs no evaluation.
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
    BONUS_SCALE,
    CAPACITY,
    COUNT,
    FINISHED,
    FIRST,
    MEAN,
    PATH,
    PRIOR,
    SIGN,
    TABLED_VISITS,
    UNVISITED,
    USED,
    VALUE,
    VISITED_POLICY,
    VISITS,
    WORDS,
)

SETTINGS = WORDS  # the next word of a tree: the column of the settings, doubles in this order
(
    EXPLORATION, GROWTH, FPU_REDUCTION, FORCED_PLAYOUTS, UNIT, WIN_OUTCOME, PRUNE, LEAVES, SYMMETRY_MODE, SYMMETRIES,
    ROWS, NOISE, ALPHA, CONSIDERED, OFFSET, SCALE, CHECK_ENDS, PROOFS, SETTINGS_COUNT,
) = range(19)  # fmt: skip
GROWTH_VISITS = 500.0
SAMPLED = -1.0  # `visited_policy` of a chance node, whose children are sampled
VIRTUAL_LOSS = 1.0  # the loss that a leaf counts as while it waits for its evaluation


def bonus_scale(n: int, tree: int) -> float:
    """The scale of the exploration bonus after `n` visits of the parent."""
    c = double(tree, SETTINGS, EXPLORATION) + double(tree, SETTINGS, GROWTH) * log(1.0 + n / GROWTH_VISITS)
    return c * sqrt(n)


def best_child(node: int, tree: int) -> int:
    """The child with the highest bound."""
    start, n = whole(tree, FIRST, node), whole(tree, VISITS, node)
    scale = double(tree, BONUS_SCALE, n) if n < TABLED_VISITS else bonus_scale(n, tree)
    base = real(tree, MEAN, node) * real(tree, SIGN, node) * real(tree, SIGN, start)
    base -= double(tree, SETTINGS, FPU_REDUCTION) * sqrt(real(tree, VISITED_POLICY, node))
    best = start
    best_bound = -1e300
    for child in range(start, start + whole(tree, COUNT, node)):
        mean = real(tree, MEAN, child)
        bound = (base if mean == UNVISITED else mean) + scale * real(tree, BONUS, child)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


def forced_child(tree: int) -> int:
    """A child of the root with fewer visits than its forced playouts (KataGo, arXiv 1902.10565), or -1."""
    start = whole(tree, FIRST, 0)
    demand = double(tree, SETTINGS, FORCED_PLAYOUTS) * whole(tree, VISITS, 0)
    for child in range(start, start + whole(tree, COUNT, 0)):
        n = whole(tree, VISITS, child)
        if n > 0 and whole(tree, FIRST, child) >= 0 and n * n < demand * real(tree, PRIOR, child):
            return child
    return -1


def expand_uniform(s: State, node: int, tree: int) -> bool:
    """Add the children of a node, all with the same prior (at a chance node, with the game's probabilities).

    Returns False if the arrays are full.
    """
    start = whole(tree, USED, 0)
    end = start
    side = team(s)
    for a in actions(s):
        if end >= word(tree, CAPACITY):
            return False
        set_whole(tree, ACTION, end, a)
        end += 1
    for child in range(start, end):
        prior = probability(s, whole(tree, ACTION, child)) if side == CHANCE else 1.0 / (end - start)
        set_whole(tree, FIRST, child, 0)
        set_whole(tree, COUNT, child, 0)
        set_real(tree, SIGN, child, -1.0 if side > 0 else 1.0)
        set_whole(tree, VISITS, child, 0)
        set_real(tree, MEAN, child, UNVISITED)
        set_real(tree, BONUS, child, prior)
        set_real(tree, PRIOR, child, prior)
        set_real(tree, VISITED_POLICY, child, 0.0)
    if side == CHANCE:
        set_real(tree, VISITED_POLICY, node, SAMPLED)
    set_whole(tree, USED, 0, end)
    set_whole(tree, FIRST, node, start)
    set_whole(tree, COUNT, node, end - start)
    return True


def set_proven(child: int, tree: int, own: float) -> None:
    """Mark a slot as proved. `own` is its value from the side of the player who moved there."""
    set_whole(tree, FIRST, child, FINISHED)
    set_real(tree, MEAN, child, own)
    set_real(tree, BONUS, child, 0.0)


def set_terminal(s: State, node: int, tree: int) -> None:
    """Mark a slot as the end of the game."""
    value = float(score(s)) / double(tree, SETTINGS, UNIT)
    if double(tree, SETTINGS, WIN_OUTCOME) > 0.0:
        value = 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0
    set_proven(node, tree, real(tree, SIGN, node) * value)
    set_real(tree, VALUE, node, value)


def find_terminal_children(s: State, node: int, tree: int) -> bool:
    """Mark the children of a newly expanded node that end the game. Returns whether there are any."""
    if not may_end(s):
        return False
    start = whole(tree, FIRST, node)
    any_end = False
    for child in range(start, start + whole(tree, COUNT, node)):
        after = play(s, whole(tree, ACTION, child))
        if over(after):
            set_terminal(after, child, tree)
            any_end = True
    return any_end


def solve_node(node: int, tree: int) -> bool:
    """Mark a node as proved if its children prove its value. Returns whether they do."""
    start, count = whole(tree, FIRST, node), whole(tree, COUNT, node)
    if start <= 0 or count < 0:
        return False
    prune = double(tree, SETTINGS, PRUNE)
    all_proved = prune == 0.0 or count != prune  # pruned moves are not proved
    best = UNVISITED
    total = 0.0
    for child in range(start, start + count):
        if whole(tree, FIRST, child) < 0:
            best = max(best, real(tree, MEAN, child))
            total += real(tree, PRIOR, child) * real(tree, MEAN, child)
        else:
            all_proved = False
    chance = real(tree, VISITED_POLICY, node) == SAMPLED
    if not all_proved and (chance or best < 1.0):
        return False
    value = total if chance else best
    set_real(tree, MEAN, node, value * real(tree, SIGN, start) * real(tree, SIGN, node))
    set_real(tree, BONUS, node, 0.0)
    set_whole(tree, FIRST, node, -start)
    return True


def back_up_proof(tree: int, at: int, length: int) -> None:
    """Propagate the proved value at the end of a path up to the last node that it proves."""
    for i in range(length - 2, -1, -1):
        if not solve_node(whole(tree, PATH, at + i), tree):
            return


def add_visit(tree: int, at: int, i: int, own: float) -> None:
    """Add a visit to the i-th slot of a path. `own` is the result from the side of the player who moved there."""
    node = whole(tree, PATH, at + i)
    n = whole(tree, VISITS, node) + 1
    set_whole(tree, VISITS, node, n)
    if n == 1 and i > 0:
        above = whole(tree, PATH, at + i - 1)
        if real(tree, VISITED_POLICY, above) != SAMPLED:
            set_real(tree, VISITED_POLICY, above, real(tree, VISITED_POLICY, above) + real(tree, PRIOR, node))
    if whole(tree, FIRST, node) >= 0:  # otherwise the mean is exact and there is no bonus
        mean = 0.0 if n == 1 else real(tree, MEAN, node)
        set_real(tree, MEAN, node, mean + (own - mean) / n)
        set_real(tree, BONUS, node, real(tree, PRIOR, node) / (1.0 + n))


def back_up(tree: int, at: int, length: int, value: float) -> None:
    """Add a result, from player 0's side, to every slot of a path."""
    for i in range(length):
        add_visit(tree, at, i, real(tree, SIGN, whole(tree, PATH, at + i)) * value)


def replace_virtual_losses(tree: int, at: int, length: int, value: float) -> None:
    """Add a result to a path whose virtual losses were added at selection (to all slots except the root)."""
    for i in range(length):
        node = whole(tree, PATH, at + i)
        if i == 0:
            add_visit(tree, at, i, value)
        elif whole(tree, FIRST, node) >= 0:
            more = (real(tree, SIGN, node) * value + VIRTUAL_LOSS) / whole(tree, VISITS, node)
            set_real(tree, MEAN, node, real(tree, MEAN, node) + more)


def uniform(seed: Any) -> float:
    """A random number in (0, 1). `seed` is int64[1]."""
    return (next_random(seed) + 0.5) / 2147483648.0
