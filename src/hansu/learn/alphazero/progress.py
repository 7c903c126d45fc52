"""How far a run is: what was played and learnt, and how much of its time is over."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class RunProgress:
    """Counters of the whole run, what was before a resume included. Written by the thread that plays, read by all."""

    whole: float  # seconds that the run is to take
    most_steps: int = 0  # of the learner, after which it ends earlier; 0: never
    steps: int = 0
    games: int = 0
    positions: int = 0
    simulations: int = 0
    before: float = 0.0  # seconds that were spent before this process
    started: float = field(default_factory=time.monotonic)

    def take(self, facts: Mapping[str, Any]) -> None:
        """Go on from what a checkpoint or the log says, whichever is further."""
        self.games = max(self.games, int(facts.get("games", 0)))
        self.steps = max(self.steps, int(facts.get("steps", 0)))
        self.positions = max(self.positions, int(facts.get("positions", 0)))
        self.simulations = max(self.simulations, int(facts.get("simulations_in_all", 0)))
        self.before = max(self.before, float(facts.get("seconds", 0.0)))

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.started

    @property
    def share(self) -> float:
        """Of the run that is over, 0 to 1."""
        by_steps = self.steps / self.most_steps if self.most_steps else 0.0
        return min(max(self.seconds / self.whole, by_steps), 1.0)

    @property
    def over(self) -> bool:
        return self.share >= 1.0

    def facts(self) -> dict[str, Any]:
        return {
            "seconds": round(self.seconds, 2), "games": self.games, "positions": self.positions,
            "simulations_in_all": self.simulations,
        }  # fmt: skip
