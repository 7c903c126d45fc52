"""The engine as Python sees it: a table, a record of memory, and iterations that can be watched and stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from hansu.core import Control, Limit
from hansu.games.ataxx.evaluation import read_weights
from hansu.games.ataxx.rules import Ataxx, empties, start
from hansu.games.ataxx.search import MAX_DEPTH, NO_ACTION, begin, deepen, judge, new_memory
from hansu.search.principal import new_table, plies_to_end

MARGIN = 0.001  # seconds kept back for waking the timer and for returning
TRUSTED_PLIES = 30  # a win that is farther away may have met the clock's draw on the way to another position


class Report(NamedTuple):
    """What a search found, after its last complete iteration. The score is the mover's, in hundredths of a piece."""

    action: int
    score: int
    depth: int
    seldepth: int
    nodes: int
    line: tuple[int, ...]
    seconds: float = 0.0

    @property
    def plies_to_end(self) -> int | None:
        return plies_to_end(self.score)

    @property
    def proved(self) -> bool:
        plies = self.plies_to_end
        return plies is not None and abs(plies) <= TRUSTED_PLIES


class Searcher:
    """One searching thread with its table."""

    def __init__(self, learned: bool = True, megabytes: int = 16) -> None:
        self.learned = learned
        self.megabytes = megabytes
        self.memory = new_memory(read_weights() if learned else None)
        self.table = new_table(megabytes)

    def new_game(self) -> None:
        self.table[:] = 0
        self.memory["history"] = 0

    def prepare(self) -> None:
        """Compile, or load what was compiled, so that a clock can start afterwards."""
        begin.prepare(self.memory, start())
        deepen.prepare(self.memory, self.table, start(), 1)

    def report(self) -> Report:
        """The last completed iteration."""
        memory, completed = self.memory, int(self.memory["completed"])
        depth, seldepth, _, score = map(int, memory["report"][completed - 1]) if completed else (0, 0, 0, 0)
        line = memory["lines"][completed - 1].tolist() if completed else [NO_ACTION]
        line = line[: line.index(NO_ACTION)]
        best = int(memory["best"])
        if not line or line[0] != best:  # an iteration that was stopped had found a better move already
            line = [best]
        return Report(best, score, depth, seldepth, int(memory["nodes"]), tuple(line))

    def hashfull(self) -> int:
        """How full the table is with entries of this search, in thousandths, judged by a sample."""
        data = self.table[1:2000:2]
        return int(((data != 0) & (data >> 20 & 63 == int(self.memory["age"]) & 63)).sum()) * 1000 // max(len(data), 1)

    def search(
        self, s: Ataxx, limit: Limit, control: Control, tell: Callable[[Report], None] | None = None,
        soft: float | None = None,
    ) -> Report:  # fmt: skip
        """Think about a position that is not over. No iteration begins after `soft` seconds."""
        started = time.perf_counter()
        memory = self.memory
        memory["flag"] = control.address
        memory["stop"], memory["node_limit"] = 0, limit.nodes or 1 << 62
        with control.deadline(None if limit.time is None else max(limit.time - MARGIN, 0.0)):
            begin(memory, s)
            for depth in range(1, min(limit.depth or MAX_DEPTH, MAX_DEPTH) + 1):
                goes_on = deepen(memory, self.table, s, depth)
                spent = time.perf_counter() - started
                if tell is not None and int(memory["completed"]) == depth:
                    tell(self.report()._replace(seconds=spent))
                if not goes_on or (soft is not None and spent > soft):
                    break
        return self.report()._replace(seconds=time.perf_counter() - started)

    def evaluation(self, s: Ataxx) -> int:
        """The evaluation alone, for the mover, in hundredths of a piece."""
        self.memory["gaps"] = s.gaps
        return int(judge(self.memory, s.mine, s.theirs, empties(s)))
