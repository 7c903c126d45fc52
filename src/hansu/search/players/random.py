"""`random`: a random legal move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core.control import Control
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position


@dataclass
class Random(Player):
    """A random legal move."""

    kind: ClassVar[str] = "random"
    title: ClassVar[str] = Message("Random")
    about: ClassVar[str] = Message("plays a random legal move")
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    seed: int | None = option(
        None, Message("random seed; the same seed repeats the same moves"), title=Message("random seed")
    )

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        why = Message("chosen at random")
        return Decision(action=self._chance.choice(position.actions), why=why)
