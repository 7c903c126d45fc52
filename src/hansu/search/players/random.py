"""`random`: any legal move."""

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
    """Any legal move."""

    kind: ClassVar[str] = "random"
    title: ClassVar[str] = Message("Random")
    about: ClassVar[str] = Message("plays any legal move")
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    seed: int | None = option(None, Message("makes its choices repeatable"), title=Message("seed of chance"))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        why = Message("any move is as good as another to it")
        return Decision(action=self._chance.choice(position.actions), why=why)
