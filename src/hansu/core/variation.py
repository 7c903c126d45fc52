"""Other lines of a game than the one that was played, and the tree that they make together: what SGF keeps in brackets
and PGN in parentheses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from hansu.core.generic import Action

MOST_VARIATIONS = 30  # of one game


class Variation(NamedTuple):
    """A line: all its actions from where the game began, and what somebody called it."""

    actions: tuple[Action, ...]
    name: str = ""


@dataclass
class Fork:
    """An action and what may follow it, the main line first. The root has no action."""

    action: Action = None
    name: str = ""
    following: list[Fork] = field(default_factory=list)


def joined(main: tuple[Action, ...], variations: Iterable[Variation]) -> Fork:
    """The tree of a game and its variations: what they have in common stands there once. A variation's name is with the
    first action that is its own.

    >>> tree = joined((1, 2, 3), [Variation((1, 4), "another"), Variation((1, 2))])
    >>> [(fork.action, fork.name) for fork in tree.following[0].following]
    [(2, ''), (4, 'another')]
    """
    root = Fork()
    for actions, name in [Variation(main), *variations]:
        at, own = root, False
        for action in actions:
            known = next((fork for fork in at.following if fork.action == action), None)
            if known is None:
                known = Fork(action, "" if own else name)
                at.following.append(known)
                own = True
            at = known
    return root
