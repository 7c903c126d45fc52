"""The process in which a student's code runs while it is graded. It returns the results of the code; `grader` gives
the points.

    {"file": path}                                          -> {"ready": true}
    {"search": "minimax", "tree": [1, 4, 2]}                -> {"value": 3.0, "action": 1, "visited": ["n4", ...]}
    {"search": "depth_limited", "tree": ..., "rounds": 2}   -> as above
    {"moves": ["5", "1"]}                                   -> {"move": "9"}, by the student's agent
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.arena.graded_tree import GradedTree, TreeName, tree_of
from hansu.arena.guest_worker import Choose, chooser, move_of
from hansu.arena.worker import serve
from hansu.core.errors import HansuError
from hansu.core.limit import Limit
from hansu.core.registry import game, load

GRADED = ("minimax", "expectimax", "alphabeta", "depth_limited", "agent", "Agent")
MAX_VISITED = 10_000  # visited nodes in an answer; no exercise has as many


class Submission:
    """The student's file, after the first question has named it."""

    def __init__(self) -> None:
        self._module: Any = None
        self._choose: Choose | None = None

    def answer_to(self, question: dict[str, Any]) -> dict[str, Any]:
        if "file" in question:
            self._module = load(Path(question["file"]))
            if not any(hasattr(self._module, name) for name in GRADED):
                raise HansuError(
                    "{path} defines nothing that is graded",
                    "define one of {names}; see docs/guide/grading.md",
                    path=Path(question["file"]).name,
                    names=", ".join(GRADED),
                )
            return {"ready": True}
        if "moves" in question:
            return self._move(question["moves"])
        more = (question["rounds"],) if "rounds" in question else ()
        return self._search(question["search"], TreeName(*question["tree"]), more)

    def _search(self, name: str, tree_name: TreeName, more: tuple[int, ...]) -> dict[str, Any]:
        search: Callable[..., Any] | None = getattr(self._module, name, None)
        if not callable(search):
            raise HansuError("{name} is not defined", name=name)
        lesson, tree = GradedTree(), tree_of(tree_name)
        result = search(lesson, tree.root, *more)
        value, action = result if isinstance(result, tuple | list) and len(result) == 2 else (result, None)
        if isinstance(action, numbers.Integral):
            action = int(action)
        elif action is not None:
            action = repr(action)
        return {"value": float(value), "action": action, "visited": lesson.visited[:MAX_VISITED]}

    def _move(self, moves: list[str]) -> dict[str, Any]:
        if self._choose is None:
            agent = getattr(self._module, "Agent", None) or getattr(self._module, "agent", None)
            if agent is None:
                raise HansuError("neither agent(position) nor a class Agent is defined")
            self._choose = chooser(agent)
        position = game("tictactoe").position(" ".join(moves))
        return {"move": move_of(position, self._choose(position, Limit()))}


if __name__ == "__main__":
    serve(Submission().answer_to)
