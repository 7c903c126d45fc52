"""How far a run is: games, positions, training steps, and the share of its time that has passed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class RunProgress:
    """Counters of the whole run, including what was done before it was resumed. One thread writes them, all read."""

    total_seconds: float
    max_steps: int = 0  # training steps after which the run ends; 0: no limit
    steps: int = 0
    games: int = 0
    positions: int = 0
    simulations: int = 0
    earlier_seconds: float = 0.0  # spent before this process
    started: float = field(default_factory=time.monotonic)

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Continue from a checkpoint or a row of the log, whichever is further."""
        self.games = max(self.games, int(facts.get("games", 0)))
        self.steps = max(self.steps, int(facts.get("steps", 0)))
        self.positions = max(self.positions, int(facts.get("positions", 0)))
        self.simulations = max(self.simulations, int(facts.get("simulations_in_all", 0)))
        self.earlier_seconds = max(self.earlier_seconds, float(facts.get("seconds", 0.0)))

    @property
    def seconds(self) -> float:
        return self.earlier_seconds + time.monotonic() - self.started

    @property
    def share(self) -> float:
        """The share of the run that is done, 0 to 1."""
        by_steps = self.steps / self.max_steps if self.max_steps else 0.0
        return min(max(self.seconds / self.total_seconds, by_steps), 1.0)

    @property
    def over(self) -> bool:
        return self.share >= 1.0

    def facts(self) -> dict[str, Any]:
        return {
            "seconds": round(self.seconds, 2), "games": self.games, "positions": self.positions,
            "simulations_in_all": self.simulations,
        }  # fmt: skip
