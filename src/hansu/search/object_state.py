"""Lets algorithms that store actions in integer arrays run on a state class with actions of any kind.

An `ObjectState` wraps a state that is not a NamedTuple. Each action gets a number from an `ActionTable`, which one
search owns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansu.core import generic
from hansu.core.bits import MASK
from hansu.core.generic import Action, State
from hansu.core.rules import rules


class ActionTable:
    """Numbers for actions, in the order in which they first appear."""

    def __init__(self) -> None:
        self.actions: list[Action] = []
        self._numbers: dict[Action, int] = {}

    def number(self, action: Action) -> int:
        """The number of an action; a new action gets the next number."""
        if action not in self._numbers:
            self._numbers[action] = len(self.actions)
            self.actions.append(action)
        return self._numbers[action]


class ObjectState:
    """A state whose actions are the numbers of a table."""

    def __init__(self, inner: State, table: ActionTable) -> None:
        self.inner = inner
        self.table = table


def _actions(s: ObjectState) -> Iterator[int]:
    for a in generic.actions(s.inner):
        yield s.table.number(a)


def _play(s: ObjectState, a: int) -> ObjectState:
    return ObjectState(generic.play(s.inner, s.table.actions[a]), s.table)


def _legal(s: ObjectState, a: int) -> bool:
    return generic.legal(s.inner, s.table.actions[a])


def _probability(s: ObjectState, a: int) -> float:
    return generic.probability(s.inner, s.table.actions[a])


def _key(s: ObjectState) -> int:
    if generic.rules_of(type(s.inner)).words["key"] is generic.key_of_fields:
        return hash(s.inner) & MASK
    return generic.key(s.inner)


def _over(s: ObjectState) -> bool:
    return generic.over(s.inner)


def _score(s: ObjectState) -> float:
    return generic.score(s.inner)


def _mover(s: ObjectState) -> int:
    return generic.mover(s.inner)


def _team(s: ObjectState) -> int:
    return generic.team(s.inner)


def _evaluate(s: ObjectState) -> float:
    return generic.evaluate(s.inner)


def _agents(s: ObjectState) -> int:
    return generic.agents(s.inner)


rules(
    ObjectState, actions=_actions, play=_play, legal=_legal, probability=_probability, key=_key,
    over=_over, score=_score, mover=_mover, evaluate=_evaluate, agents=_agents, team=_team,
)  # fmt: skip


def needs_object_state(state: Any) -> bool:
    """Whether a state is not a NamedTuple, so that its rules can only run interpreted."""
    return not (isinstance(state, tuple) and hasattr(state, "_fields"))
