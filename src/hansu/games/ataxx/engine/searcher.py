"""The Python interface of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from hansu.core import Control, Limit, Report
from hansu.games.ataxx.engine.evaluation import SCALE, read_weights
from hansu.games.ataxx.engine.evaluation import WEIGHTS as BUILT_IN
from hansu.games.ataxx.engine.search import WEIGHTS, begin, deepen, new_memory, root_score
from hansu.games.ataxx.rules import Ataxx, empties, mover, reach, start
from hansu.search import engine
from hansu.search.engine import Tell


class AtaxxSearcher(engine.EngineSearcher):
    """The search with its transposition table. Scores are in hundredths of a piece."""

    scale: ClassVar[float] = SCALE
    lasting: ClassVar[frozenset[str]] = frozenset(WEIGHTS)
    trusted_plies: ClassVar[int] = 30  # in another position, a longer win may run into the draw by the clock

    def __init__(self, learned: Path | bool = True, megabytes: int = 16) -> None:
        """`learned`: the built-in weights (True), those of a file, or the hand-made evaluation (False)."""
        weights = read_weights(BUILT_IN if learned is True else learned) if learned else None
        super().__init__(new_memory(weights), megabytes)
        self.learned = learned

    def new_game(self) -> None:
        super().new_game()
        self.memory["followed"] = 0

    def precompile(self) -> None:
        begin.precompile(self.memory, start())
        deepen.precompile(self.memory, self.table, start(), 1)

    def deepen(self, memory: Any, root: Ataxx, depth: int) -> bool:
        return bool(deepen(memory, self.table, root, depth))

    def has_choice(self, root: Ataxx) -> bool:
        return reach(root.mine) & empties(root) != 0  # else it has to pass

    def search(
        self, s: Ataxx, limit: Limit, control: Control, tell: Tell | None = None, soft: float | None = None
    ) -> Report:
        """Search a position that is not finished. No iteration starts after `soft` seconds."""
        with self.thinking(mover(s), limit, control):
            begin(self.memory, s)
            return self.iterate(s, limit.depth, tell, soft)

    def evaluation(self, s: Ataxx) -> int:
        """The static evaluation for the mover, in hundredths of a piece."""
        self.memory["gaps"] = s.gaps
        return int(root_score(self.memory, s.mine, s.theirs, empties(s)))
