"""`random`: any legal move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core.control import Control
from hansu.core.limit import Limit
from hansu.core.message import Phrase
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position


@dataclass
class Random(Player):
    """Any legal move."""

    kind: ClassVar[str] = "random"
    title: ClassVar[str] = Phrase("Random")
    about: ClassVar[str] = Phrase("plays any legal move")
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    seed: int | None = option(None, Phrase("makes its choices repeatable"), title=Phrase("seed of chance"))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        why = Phrase("any move is as good as another to it")
        return Decision(action=self._chance.choice(position.actions), why=why)
