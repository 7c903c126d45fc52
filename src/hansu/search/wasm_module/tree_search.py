"""What a module outside Python needs of a search tree: numbers in, numbers out."""

from __future__ import annotations

from typing import Any

from hansu.compile.columns import real, set_real, set_whole, whole
from hansu.core.generic import State
from hansu.search.mcts import mcts
from hansu.search.tree import ACTION, COUNT, FIRST, MEAN, SIGN, USED, VISITED_POLICY, VISITS


def search(
    s: State, tree: int, simulations: int, exploration: float, unit: float, most: int, seed: Any, watch: Any
) -> int:
    """Run `simulations` from `s` in a fresh tree; the move that was visited most often, the first of equals."""
    set_whole(tree, USED, 0, 1)
    set_real(tree, SIGN, 0, 1.0)
    set_real(tree, MEAN, 0, 0.0)
    set_real(tree, VISITED_POLICY, 0, 0.0)
    for column in (FIRST, COUNT, VISITS):
        set_whole(tree, column, 0, 0)
    mcts(s, tree, simulations, exploration, unit, most, seed, watch)
    best, visits = -1, -1
    for i in range(child_count(tree)):
        if visits_of_child(tree, i) > visits:
            best, visits = action_of_child(tree, i), visits_of_child(tree, i)
    return best


def child_count(tree: int) -> int:
    """Moves at the root that the last search looked at."""
    return whole(tree, COUNT, 0) if whole(tree, FIRST, 0) > 0 else 0


def action_of_child(tree: int, i: int) -> int:
    return whole(tree, ACTION, whole(tree, FIRST, 0) + i)


def visits_of_child(tree: int, i: int) -> int:
    return whole(tree, VISITS, whole(tree, FIRST, 0) + i)


def value_of_child(tree: int, i: int) -> float:
    """The mean result of a move in units of the score range, for the side that makes it."""
    return real(tree, MEAN, whole(tree, FIRST, 0) + i)
