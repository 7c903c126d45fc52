"""Minds without any sense of the game, for tests of the Gomocup protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import ClassVar

from hansu.core import Control, Limit
from hansu.protocols.gomocup import serve
from hansu.protocols.gomocup_mind import Situation
from hansu.protocols.uai import Info


class NearMind:
    """Plays the free cell nearest to the last stone, thinks as `think` says, and remembers what it was asked."""

    name = "near"
    version = "1"
    author = "the tests"
    blocked: ClassVar[tuple[int, ...]] = ()  # what it calls forbidden

    def __init__(self, think: str = "at once") -> None:
        self.think = think
        self.asked: list[tuple[Situation, Limit, float | None]] = []
        self.settings: list[tuple[int, str, int | None]] = []
        self.prepared = 0
        self.games = 0
        self.size = 0

    def configure(self, size: int, rule: str, memory: int | None) -> None:
        self.size = size
        self.settings.append((size, rule, memory))

    def prepare(self) -> None:
        self.prepared += 1

    def new_game(self) -> None:
        self.games += 1

    def _nearest(self, board: bytes, to: int) -> int:
        def distance(cell: int) -> int:
            return (cell % self.size - to % self.size) ** 2 + (cell // self.size - to // self.size) ** 2

        return min((cell for cell in range(len(board)) if not board[cell]), key=distance)

    def search(
        self, situation: Situation, limit: Limit, soft: float | None, control: Control, tell: Callable[[Info], None]
    ) -> int:
        self.asked.append((situation, limit, soft))
        last = situation.moves[-1] if situation.moves else self.size * self.size // 2
        best = self._nearest(situation.board, last)
        began = time.perf_counter()
        if self.think == "at once":
            return best
        if self.think == "fail":
            raise RuntimeError("lost\nmy way")
        if self.think == "nonsense":
            return 10_000
        if self.think == "nothing":
            return -1
        tell(Info(1, 2, 30, None, 0.001, 10, 0, (best,)))
        if self.think == "oversleep":
            time.sleep(0.5)
            return self._nearest(situation.board, 0)
        with control.deadline(limit.time):
            while not control.stopped:
                time.sleep(0.001)
        tell(Info(2, 2, 30, 3, time.perf_counter() - began, 20, 0, (best,)))
        return best

    def forbidden(self, board: bytes) -> Iterable[int]:
        return [cell for cell in self.blocked if not board[cell]]

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        return {0: (7, 8, 9), 3: (20, 21), 5: ()}[len(stones)]


if __name__ == "__main__":
    serve(NearMind(sys.argv[1] if len(sys.argv) > 1 else "at once"))
