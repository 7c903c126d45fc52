"""Variations of a game, and the tree that they form with the main line (brackets in SGF, parentheses in PGN)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from hansu.core.types import Action

MOST_VARIATIONS = 30  # per game


class Variation(NamedTuple):
    """A line: all its actions from the game's start position, and its name."""

    actions: tuple[Action, ...]
    name: str = ""


@dataclass
class Fork:
    """An action and its possible continuations, the main line first. The root has no action."""

    action: Action = None
    name: str = ""
    following: list[Fork] = field(default_factory=list)


def joined(main: tuple[Action, ...], variations: Iterable[Variation]) -> Fork:
    """The tree of a game and its variations, which share their common moves.

    The name of a variation is attached to the first action that belongs to it alone.

    >>> tree = joined((1, 2, 3), [Variation((1, 4), "another"), Variation((1, 2))])
    >>> [(fork.action, fork.name) for fork in tree.following[0].following]
    [(2, ''), (4, 'another')]
    """
    root = Fork()
    for actions, name in [Variation(main), *variations]:
        node, branched = root, False
        for action in actions:
            child = next((fork for fork in node.following if fork.action == action), None)
            if child is None:
                child = Fork(action, "" if branched else name)
                node.following.append(child)
                branched = True
            node = child
    return root
