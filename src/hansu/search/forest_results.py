"""The results of the trees of a forest (visits, policies, the move to play), and the reuse of subtrees after a move.

These kernels do not depend on a game and are compiled once. `gumbel` is 1 for Gumbel's search, else 0.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any

from hansu.compile import kernel
from hansu.compile.columns import double, real, set_real, set_whole, whole, word, words_at
from hansu.core.bits import next_random
from hansu.search.forest_kernels import ACTIONS, COUNTS, DONE, DRAWS, PENDING, SEED, TREE_WORDS, add_root_noise
from hansu.search.gumbel import chosen_child, improve
from hansu.search.puct_kernels import FORCED_PLAYOUTS, SETTINGS, bonus_scale
from hansu.search.tree import (
    ACTION,
    BONUS,
    COUNT,
    FINISHED,
    FIRST,
    MEAN,
    PRIOR,
    SIGN,
    USED,
    VALUE,
    VISITED_POLICY,
    VISITS,
)  # fmt: skip

ROOT_VISITS, ROOT_PRIORS, ROOT_POLICY = range(3)


def only_root(tree: int) -> None:
    """Remove everything below the root and reset the root."""
    set_whole(tree, USED, 0, 1)
    set_whole(tree, FIRST, 0, 0)
    set_whole(tree, COUNT, 0, 0)
    set_whole(tree, VISITS, 0, 0)
    set_real(tree, MEAN, 0, 0.0)
    set_real(tree, VISITED_POLICY, 0, 0.0)
    set_real(tree, VALUE, 0, 0.0)
    set_real(tree, SIGN, 0, 1.0)


def begin(tree: int) -> None:
    """Reset the counts for a new search."""
    set_whole(tree, COUNTS, DONE, 0)
    set_whole(tree, COUNTS, PENDING, 0)
    set_real(tree, DRAWS, 0, 0.0)
    set_real(tree, DRAWS, 1, 0.0)


@kernel
def plant(trees: int, lo: int, hi: int) -> None:
    """Reset every tree to an empty root."""
    for g in range(lo, hi):
        only_root(trees + 8 * TREE_WORDS * g)
        begin(trees + 8 * TREE_WORDS * g)


def start_of(node: int, tree: int) -> int:
    """The index of the first child of a node, or 0."""
    first = whole(tree, FIRST, node)
    return 0 if first == FINISHED else abs(first)


def child_of(tree: int, action: int) -> int:
    """The child of the root with this action, or 0."""
    start = start_of(0, tree)
    for child in range(start, start + whole(tree, COUNT, 0)):
        if start > 0 and whole(tree, ACTION, child) == action:
            return child
    return 0


def move_slot(tree: int, old: int, new: int) -> None:
    """Copy a slot to another place."""
    set_whole(tree, FIRST, new, whole(tree, FIRST, old))
    set_whole(tree, COUNT, new, whole(tree, COUNT, old))
    set_whole(tree, ACTION, new, whole(tree, ACTION, old))
    set_whole(tree, VISITS, new, whole(tree, VISITS, old))
    for column in (SIGN, MEAN, BONUS, PRIOR, VISITED_POLICY, VALUE):
        set_real(tree, column, new, real(tree, column, old))


def keep_subtree(tree: int, root: int, place: Any) -> None:
    """Move the subtree of a slot to the front. Children come after their parents, so one pass finds the subtree, and
    every slot moves towards the front. `place`, int32[max_nodes], is scratch."""
    end = whole(tree, USED, 0)
    for i in range(root, end):
        place[i] = -1
    place[root] = 0
    used = 0
    for i in range(root, end):
        if place[i] >= 0:
            place[i] = used
            start = start_of(i, tree)
            for child in range(start, start + abs(whole(tree, COUNT, i))):
                if start > 0:
                    place[child] = 0
            move_slot(tree, i, used)
            used += 1
    for i in range(used):
        first = whole(tree, FIRST, i)
        if first > 0:
            set_whole(tree, FIRST, i, int(place[first]))
        elif first < 0 and first != FINISHED:
            set_whole(tree, FIRST, i, -int(place[-first]))
    set_whole(tree, USED, 0, used)
    set_real(tree, MEAN, 0, real(tree, MEAN, 0) * real(tree, SIGN, 0))
    set_real(tree, SIGN, 0, 1.0)


@kernel
def keep_subtrees(trees: int, actions: Any, place: Any, lo: int, hi: int) -> None:
    """Make the child of an action, int64[trees], the root of its tree. A child without children leaves an empty root.
    `place`, int32[max_nodes], is scratch."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        begin(tree)
        root = child_of(tree, int(actions[g]))
        if root == 0 or start_of(root, tree) == 0 or whole(tree, COUNT, root) < 0:
            only_root(tree)
        else:
            keep_subtree(tree, root, place)


@kernel
def add_noise_to_roots(trees: int, gumbel: int, lo: int, hi: int) -> None:
    """Add new noise to roots that are expanded already."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        if whole(tree, FIRST, 0) > 0:
            if gumbel:
                add_root_noise(tree, True)
            else:
                add_root_noise(tree, None)


def lost(tree: int, child: int) -> bool:
    """Whether a root move is a proved loss, while the root itself is not proved."""
    return whole(tree, FIRST, child) < 0 and real(tree, MEAN, child) <= -1.0 and whole(tree, FIRST, 0) >= 0


def best_proved(tree: int) -> int:
    """The child of the root with the highest proved value (the most visited one of equals), or 0."""
    start = start_of(0, tree)
    best = 0
    for child in range(start, start + whole(tree, COUNT, 0)):
        if whole(tree, FIRST, child) < 0:
            better = real(tree, MEAN, child) - real(tree, MEAN, best)
            if best == 0 or better > 0.0 or (better == 0.0 and whole(tree, VISITS, child) > whole(tree, VISITS, best)):
                best = child
    return best


def best_move(tree: int, gumbel: int) -> int:
    """The child of the root to play: the most visited one or Gumbel's choice, unless a proved value is higher."""
    start = start_of(0, tree)
    proved = best_proved(tree)
    if whole(tree, FIRST, 0) < 0:
        return proved
    if gumbel:
        best = chosen_child(tree)
    else:
        best = start
        for child in range(start, start + whole(tree, COUNT, 0)):
            more = whole(tree, VISITS, child) - whole(tree, VISITS, best)
            if more == 0 and real(tree, PRIOR, child) > real(tree, PRIOR, best):
                more = 1
            if (more > 0 and not lost(tree, child)) or lost(tree, best):
                best = child
    return proved if proved > 0 and real(tree, MEAN, proved) > real(tree, MEAN, best) else best


def sampled_move(tree: int, gumbel: int, temperature: float) -> int:
    """The child of the root to play, sampled by visits ** (1 / temperature)."""
    start = start_of(0, tree)
    end = start + whole(tree, COUNT, 0)
    max_visits = 0
    for child in range(start, end):
        if not lost(tree, child):
            max_visits = max(max_visits, whole(tree, VISITS, child))
    if temperature <= 0.0 or whole(tree, FIRST, 0) < 0 or max_visits == 0:
        return best_move(tree, gumbel)
    total = 0.0
    for child in range(start, end):
        if not lost(tree, child):
            total += (whole(tree, VISITS, child) / max_visits) ** (1.0 / temperature)
    left = next_random(words_at(word(tree, SEED), 1)) / 2147483648.0 * total
    for child in range(start, end):
        if not lost(tree, child):
            left -= (whole(tree, VISITS, child) / max_visits) ** (1.0 / temperature)
            if left < 0.0:
                return child
    return best_move(tree, gumbel)


@kernel
def choose(trees: int, gumbel: int, temperatures: Any, chosen: Any, lo: int, hi: int) -> None:
    """Write the action to play in each tree to `chosen`, int64[trees]; -1 where the root has no children.
    `temperatures` is float64[trees]."""
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        chosen[g] = -1
        if start_of(0, tree) > 0:
            chosen[g] = whole(tree, ACTION, sampled_move(tree, gumbel, float(temperatures[g])))


def unforced_visits(tree: int, child: int, best: int) -> float:
    """The visits of a root move without forced playouts (KataGo's policy target pruning): visits are subtracted as long
    as the move's bound stays below that of the best move."""
    n, prior, mean = whole(tree, VISITS, child), real(tree, PRIOR, child), real(tree, MEAN, child)
    scale = bonus_scale(whole(tree, VISITS, 0), tree)
    bound = real(tree, MEAN, best) + scale * real(tree, PRIOR, best) / (1.0 + whole(tree, VISITS, best))
    if bound <= mean or n == 0:
        return float(n)
    forced = ceil(sqrt(double(tree, SETTINGS, FORCED_PLAYOUTS) * prior * whole(tree, VISITS, 0)))
    needed = ceil(scale * prior / (bound - mean) - 1.0)
    left = max(n - forced, min(needed, n))
    return float(left) if left > 1 else 0.0


def root_policy(tree: int, gumbel: int, out: int, at: int) -> None:
    """Write the policy target of the root to the column `out`, from `at` on."""
    start = start_of(0, tree)
    end = start + whole(tree, COUNT, 0)
    best = best_move(tree, gumbel)
    proved = whole(tree, FIRST, 0) < 0
    if gumbel and not proved:
        improve(0, tree)
    total = 0.0
    for child in range(start, end):
        weight = float(whole(tree, VISITS, child))
        if proved:
            if whole(tree, FIRST, child) >= 0 or real(tree, MEAN, child) != real(tree, MEAN, best):
                weight = 0.0
        elif lost(tree, child):
            weight = 0.0
        elif gumbel:
            weight = real(tree, BONUS, child)
        elif double(tree, SETTINGS, FORCED_PLAYOUTS) > 0.0 and child != best:
            weight = unforced_visits(tree, child, best)
        set_real(out, 0, at + whole(tree, ACTION, child), weight)
        total += weight
    if total == 0.0:
        total = 1.0
        set_real(out, 0, at + whole(tree, ACTION, best), 1.0)
    for child in range(start, end):
        place = at + whole(tree, ACTION, child)
        set_real(out, 0, place, real(out, 0, place) / total)


@kernel
def read_roots(trees: int, gumbel: int, what: int, out: int, lo: int, hi: int) -> None:
    """Write a number for every root move to the column `out`, float32[trees, actions].

    `what` selects the number: ROOT_VISITS, ROOT_PRIORS or ROOT_POLICY (the training target).
    """
    actions = word(trees, ACTIONS)
    for g in range(lo, hi):
        tree = trees + 8 * TREE_WORDS * g
        for a in range(actions):
            set_real(out, 0, actions * g + a, 0.0)
        start = start_of(0, tree)
        if start == 0:
            continue
        if what == ROOT_POLICY:
            root_policy(tree, gumbel, out, actions * g)
            continue
        for child in range(start, start + whole(tree, COUNT, 0)):
            number = real(tree, PRIOR, child)
            if what == ROOT_VISITS:
                number = float(whole(tree, VISITS, child))
            set_real(out, 0, actions * g + whole(tree, ACTION, child), number)
