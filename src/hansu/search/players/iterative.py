"""`iterative`: alpha-beta, deeper and deeper, with a table."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar

from hansu.compile import compiled
from hansu.core.control import Control
from hansu.core.generic import State
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import Report, Value
from hansu.search.iterative import IterativeMemory, deepen, new_memory
from hansu.search.object_state import Numbered, ObjectTable, is_foreign
from hansu.search.players.alphabeta import with_bounds
from hansu.search.players.explanations import TO_THE_END, ahead, looked, no_time, value_text
from hansu.search.players.repetition import minding_repetition
from hansu.search.watch import Watch, read_words


@dataclass
class Iterative(Player):
    """Alpha-beta, deeper and deeper, with a memory."""

    kind: ClassVar[str] = "iterative"
    title: ClassVar[str] = Message("Iterative deepening")
    about: ClassVar[str] = Message("alpha-beta, one ply deeper each time, with a table of known positions")
    depth: int | None = option(
        None, Message("plies to look ahead at most"), title=Message("look-ahead"), low=1, high=10_000
    )
    slots: int = option(
        1 << 18,
        Message("positions that the table holds"),
        title=Message("table size"),
        low=2,
        high=1 << 28,
        bytes_each=32,
    )
    interpreted: bool = option(False, Message("run as plain Python"), title=Message("plain Python"))
    _memory: IterativeMemory | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)
    _book: ObjectTable = field(
        default_factory=ObjectTable, init=False, repr=False, compare=False
    )  # the table's actions, by number

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def new_game(self) -> None:
        self._memory = None

    def _memory_for(self, position: Position) -> IterativeMemory:
        """The table, emptied when the board is another: a position's key does not tell boards apart."""
        board = (position.game.spec, position.tables)
        if self._memory is None or self._board != board:
            self._memory, self._board, self._book = new_memory(self.slots), board, ObjectTable()
        return self._memory

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        unlimited = limit == Limit() and self.depth is None
        asked = [d for d in (self.depth, limit.depth) if d is not None]
        deepest = min(asked, default=position.game.default_depth if unlimited and not position.game.small else 10_000)
        memory = self._memory_for(position)
        s, book = position.state, None
        if is_foreign(s):
            book = self._book
            s = Numbered(s, book)
        elif not self.interpreted:
            compiled(deepen, type(s)).precompile(s, 1, -inf, inf, 0, memory, control.address)
        started = time.perf_counter()
        best: Report | None = None
        spent = 0
        with control.deadline(limit.time):
            for depth in range(1, deepest + 1):
                left = None if limit.nodes is None else max(limit.nodes - spent, 1)
                found = self._named(self._search(s, depth, memory, control, left), book)
                spent += found.nodes
                stopped = control.stopped or (left is not None and found.nodes >= left)
                # The best move so far is searched first, so an unfinished iteration that judged it is an improvement.
                if found.line:
                    best = replace(found, depth=depth - stopped)
                if not stopped:
                    control.tell(replace(found, depth=depth, nodes=spent))
                if stopped or found.proved:
                    break
        seconds = time.perf_counter() - started
        if best is None:
            action = position.actions[0]
            report = Report(line=(action,), nodes=spent, seconds=seconds)
            return Decision(action=action, why=no_time(position, action), report=report)
        assert best.value is not None
        value = Value(best.value, proved=best.proved and not stopped)
        how_far = TO_THE_END if value.proved else ahead(best.depth)
        decision = Decision(
            action=best.line[0],
            why=looked(position.move_text(best.line[0]), how_far, value_text(position, value)),
            report=replace(
                best, value=value, moves=with_bounds(position.team, best.moves), nodes=spent, seconds=seconds
            ),
        )
        return minding_repetition(position, decision)

    def _search(
        self, s: State, depth: int, memory: IterativeMemory, control: Control, node_limit: int | None
    ) -> Report:
        if self.interpreted or is_foreign(s):
            watch = Watch(control, node_limit)
            return watch.report(deepen(s, depth, -inf, inf, 0, memory, watch))
        control.clear(node_limit)
        value = compiled(deepen, type(s))(s, depth, -inf, inf, 0, memory, control.address)
        return read_words(control.words, float(value))

    @staticmethod
    def _named(found: Report, book: ObjectTable | None) -> Report:
        """The report with a foreign game's own actions."""
        if book is None:
            return found
        line = tuple(book.actions[a] for a in found.line)
        return replace(found, line=line, moves=tuple(replace(m, action=book.actions[m.action]) for m in found.moves))
