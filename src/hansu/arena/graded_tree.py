"""The argument of a student's search: the lecture's functions over a tree, with a record of every visited successor.

    minimax(lesson, state)                    -> value, or (value, action)
    expectimax(lesson, state)                 -> as above
    alphabeta(lesson, state)                  -> as above; exactly the nodes that the cut rule leaves
    depth_limited(lesson, state, rounds)      -> minimax with lesson.evaluate(state) at depth 0
    agent(position), or a class Agent         -> a player for tic-tac-toe

The student's process (`grade_worker`) and the grader (`grader`) build the same trees independently.
"""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

from hansu.core import generic
from hansu.core.generic import Action, State
from hansu.core.message import Message
from hansu.core.registry import game


class GradedTree:
    """The lecture's functions over one game. `visited` records every successor that was computed."""

    def __init__(self) -> None:
        self.visited: list[str] = []

    def actions(self, s: State) -> list[Action]:
        return list(generic.actions(s))

    def play(self, s: State, a: Action) -> State:
        after = generic.play(s, a)
        self.visited.append(node_name(after))
        return after

    def over(self, s: State) -> bool:
        return bool(generic.over(s))

    def score(self, s: State) -> float:
        return float(generic.score(s))

    def evaluate(self, s: State) -> float:
        """The heuristic on these trees: the mean of the leaves below."""
        if generic.over(s):
            return self.score(s)
        children = [generic.play(s, a) for a in generic.actions(s)]
        return sum(self.evaluate(child) for child in children) / len(children)

    def mover(self, s: State) -> int:
        return int(generic.mover(s))

    def agents(self, s: State) -> int:
        return int(generic.agents(s))


class TreeName(NamedTuple):
    """A random tree by its seed, depth and number of players. The lecture's tree has depth 0."""

    seed: int = 0
    depth: int = 0
    players: int = 2

    @property
    def title(self) -> Message:
        return Message("random tree {seed}", seed=self.seed) if self.depth else Message("the lecture's tree")


class LectureTree(NamedTuple):
    """The root of a tree, and the table that its states refer to."""

    root: State
    table: Any


def node_name(s: State) -> str:
    return f"n{s.node}"


def tree_of(name: TreeName) -> LectureTree:
    """Build a tree: two or three branches per node and small integer values, so that ties occur and the two cut rules
    differ."""
    if not name.depth:
        first = game("tree").first
        return LectureTree(first.state, first.tables)
    chance = random.Random(name.seed)

    def grow(level: int) -> dict[str, Any]:
        if level == name.depth:
            return {"value": chance.randint(-4, 4)}
        children = [grow(level + 1) for _ in range(chance.randint(2, 3))]
        return {"player": level % name.players, "children": children}

    first = game("tree").position(json.dumps(grow(0)))
    return LectureTree(first.state, first.tables)
