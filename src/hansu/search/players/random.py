"""`random`: any legal move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core.control import Control
from hansu.core.limit import Limit
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.said import said


@dataclass
class Random(Player):
    """Any legal move."""

    kind: ClassVar[str] = "random"
    about: ClassVar[str] = said("plays any legal move", "둘 수 있는 수 가운데 아무거나 둡니다")
    heeds: ClassVar[frozenset[str]] = frozenset()
    seed: int | None = option(None, said("makes its choices repeatable", "같은 번호면 같은 수를 고릅니다"))

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        why = said("any move is as good as another to it", "어느 수나 똑같다고 봅니다")
        return Decision(action=self._chance.choice(position.actions), why=why)
