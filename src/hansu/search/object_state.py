"""Lets algorithms that keep actions in arrays run on a class with actions of any kind.

A `Numbered` state wraps a foreign one; each action it meets gets a number, kept in a book that one search owns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansu.core import generic
from hansu.core.bits import MASK
from hansu.core.generic import Action, State
from hansu.core.rules import rules


class ObjectTable:
    """Actions by number."""

    def __init__(self) -> None:
        self.actions: list[Action] = []
        self._numbers: dict[Action, int] = {}

    def number(self, action: Action) -> int:
        if action not in self._numbers:
            self._numbers[action] = len(self.actions)
            self.actions.append(action)
        return self._numbers[action]


class Numbered:
    """A foreign state whose actions are numbers of its book."""

    def __init__(self, inner: State, book: ObjectTable) -> None:
        self.inner = inner
        self.book = book


def _actions(s: Numbered) -> Iterator[int]:
    for a in generic.actions(s.inner):
        yield s.book.number(a)


def _play(s: Numbered, a: int) -> Numbered:
    return Numbered(generic.play(s.inner, s.book.actions[a]), s.book)


def _legal(s: Numbered, a: int) -> bool:
    return generic.legal(s.inner, s.book.actions[a])


def _probability(s: Numbered, a: int) -> float:
    return generic.probability(s.inner, s.book.actions[a])


def _key(s: Numbered) -> int:
    if generic.rules_of(type(s.inner)).words["key"] is generic.key_of_fields:
        return hash(s.inner) & MASK
    return generic.key(s.inner)


def _over(s: Numbered) -> bool:
    return generic.over(s.inner)


def _score(s: Numbered) -> float:
    return generic.score(s.inner)


def _mover(s: Numbered) -> int:
    return generic.mover(s.inner)


def _team(s: Numbered) -> int:
    return generic.team(s.inner)


def _evaluate(s: Numbered) -> float:
    return generic.evaluate(s.inner)


def _agents(s: Numbered) -> int:
    return generic.agents(s.inner)


rules(
    Numbered, actions=_actions, play=_play, legal=_legal, probability=_probability, key=_key,
    over=_over, score=_score, mover=_mover, evaluate=_evaluate, agents=_agents, team=_team,
)  # fmt: skip


def is_foreign(state: Any) -> bool:
    """Not a NamedTuple: interpreted only."""
    return not (isinstance(state, tuple) and hasattr(state, "_fields"))
