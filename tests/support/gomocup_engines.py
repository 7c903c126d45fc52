"""An engine that does not search, for tests of the Gomocup protocol."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable
from typing import ClassVar

from hansu.core import Control, Limit, Report, Value
from hansu.games.renju.gomocup.engine import Situation
from hansu.games.renju.gomocup.server import GomocupServer

STEPS = 3  # calls of `grow` until the table is complete
CORES = 8  # the cores it claims to have


class NearEngine:
    """Plays the empty cell nearest to the last stone, with a given behaviour, and records its calls."""

    name = "near"
    version = "1"
    author = "the tests"
    blocked: ClassVar[tuple[int, ...]] = ()  # the cells it reports as forbidden

    def __init__(self, behaviour: str = "at once") -> None:
        self.behaviour = behaviour
        self.searches: list[tuple[Situation, Limit, float | None]] = []
        self.done: list[str] = []  # its calls, in order
        self.allowed: list[int | None] = []
        self.configured = (0, "")
        self.size = 0
        self.table_bytes = 0
        self._to_grow = 0
        self.awake = threading.Event()  # ends an overrun

    def configure(self, size: int, rule: str) -> None:
        self.size = size
        self.configured = (size, rule)
        self.done.append(f"configure {size} {rule}")

    def use_threads(self, count: int) -> int:
        self.threads = min(count, CORES)
        return self.threads

    def allow(self, table_bytes: int | None) -> None:
        self.allowed.append(table_bytes)
        self._to_grow = STEPS
        self.done.append("allow")

    def precompile(self) -> None:
        self.done.append("precompile")

    def grow(self) -> bool:
        if self._to_grow:
            self._to_grow -= 1
            self.done.append("grow")
        return self._to_grow > 0

    def new_game(self) -> None:
        self.done.append("new game")

    def _nearest(self, board: bytes, to: int) -> int:
        def distance(cell: int) -> int:
            return (cell % self.size - to % self.size) ** 2 + (cell // self.size - to // self.size) ** 2

        return min((cell for cell in range(len(board)) if not board[cell]), key=distance)

    def search(self, situation: Situation, limit: Limit, soft: float | None, control: Control) -> Report:
        self.searches.append((situation, limit, soft))
        self.done.append("search")
        last = situation.moves[-1] if situation.moves else self.size * self.size // 2
        best = self._nearest(situation.board, last)
        began = time.perf_counter()
        if self.behaviour == "at once":
            return Report(line=(best,))
        if self.behaviour == "fail":
            raise RuntimeError("lost\nmy way")
        if self.behaviour == "nonsense":
            return Report(line=(10_000,))
        if self.behaviour == "nothing":
            return Report()
        control.tell(Report(line=(best,), depth=1, seldepth=2, nodes=10, seconds=0.001))
        if self.behaviour == "overrun":
            self.awake.wait()
            return Report(line=(self._nearest(situation.board, 0),))
        with control.deadline(limit.time):
            while not control.stopped:
                time.sleep(0.001)
        value = Value.seen_from(situation.colour - 1, 1.0, plies=5)
        return Report(value=value, line=(best,), depth=2, seldepth=2, nodes=20, seconds=time.perf_counter() - began)

    def score_of(self, report: Report) -> int:
        return 30

    def forbidden(self, board: bytes) -> Iterable[int]:
        return [cell for cell in self.blocked if not board[cell]]

    def swap2(self, stones: tuple[int, ...], limit: Limit, control: Control) -> tuple[int, ...]:
        return {0: (7, 8, 9), 3: (20, 21), 5: ()}[len(stones)]


if __name__ == "__main__":
    GomocupServer(NearEngine(sys.argv[1] if len(sys.argv) > 1 else "at once")).serve()
