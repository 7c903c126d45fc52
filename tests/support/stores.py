"""A store with an event and two players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hansu import Limit
from hansu.arena.contestant import Contestant
from hansu.arena.openings import Opening
from hansu.arena.store import Store

A, B = Contestant("a", "random:seed=1"), Contestant("b", "mcts", Limit(nodes=20), "0.1")


def told(outcome: int | None = 1, moves: str = "1 2 1 2 1 2 1", **more: Any) -> dict[str, Any]:
    """A game as a record tells it."""
    return {
        "game": "connect_four", "start": "start", "first": "a", "second": "b", "opening": [], "moves": moves.split(),
        "outcome": outcome, "score": None, "fault": "", "resigned": None, "seconds": [0.5, 0.25], "thoughts": [],
        **more,
    }  # fmt: skip


class Filled:
    """A store with an event, two players and the start."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path, make=True)
        self.event = self.store.event("connect_four", "round robin", {"seed": 1})
        self.a, self.b = self.store.player(A), self.store.player(B)
        self.start = self.store.opening("connect_four", Opening())

    def add(self, slot: int, outcome: int | None = 1, swapped: bool = False, **more: Any) -> bool:
        first, second = (self.b, self.a) if swapped else (self.a, self.b)
        return self.store.add(self.event, slot, first, second, self.start, told(outcome, **more)) is not None
