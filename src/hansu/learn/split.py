"""Splitting rows into parts so that nothing leaks from one into the other."""

from __future__ import annotations

from typing import Any


def split(groups: Any, share: float, seed: int) -> tuple[Any, Any]:
    """Row numbers (of the first part, of the second part with about `share` of the rows), both shuffled. Rows of
    one group (a position and its mirror image) stay together."""
    import numpy as np

    chance = np.random.default_rng(seed)
    names, group_of = np.unique(groups, return_inverse=True)
    second = np.zeros(len(names), bool)
    second[chance.permutation(len(names))[: round(share * len(names))]] = True
    order = chance.permutation(len(group_of))
    return order[~second[group_of[order]]], order[second[group_of[order]]]
