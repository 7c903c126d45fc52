"""Splits of rows into a training part and a held-out part, without leaks between them."""

from __future__ import annotations

from typing import Any


def split(groups: Any, share: float, seed: int) -> tuple[Any, Any]:
    """The shuffled row numbers of the first part and of the second part, which has about `share` of the rows. Rows of
    one group (a position and its mirror image) stay together; `groups` is int[n]."""
    import numpy as np

    chance = np.random.default_rng(seed)
    numbers, group_of = np.unique(groups, return_inverse=True)
    second = np.zeros(len(numbers), bool)
    second[chance.permutation(len(numbers))[: round(share * len(numbers))]] = True
    order = chance.permutation(len(group_of))
    return order[~second[group_of[order]]], order[second[group_of[order]]]
