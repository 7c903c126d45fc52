"""`iterative`: alpha-beta with iterative deepening and a transposition table."""

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
from hansu.search.object_state import ActionTable, ObjectState, needs_object_state
from hansu.search.players.alphabeta import with_bounds
from hansu.search.players.explanations import TO_THE_END, ahead, looked, no_time, value_text
from hansu.search.players.repetition import apply_repetition
from hansu.search.watch import Watch, read_words


@dataclass
class Iterative(Player):
    """Alpha-beta with iterative deepening and a transposition table."""

    kind: ClassVar[str] = "iterative"
    title: ClassVar[str] = Message("Iterative deepening")
    about: ClassVar[str] = Message("alpha-beta with iterative deepening and a transposition table")
    depth: int | None = option(
        None, Message("maximum search depth in plies"), title=Message("depth"), low=1, high=10_000
    )
    slots: int = option(
        1 << 18,
        Message("positions in the transposition table"),
        title=Message("table size"),
        low=2,
        high=1 << 28,
        bytes_each=32,
    )
    interpreted: bool = option(False, Message("run as plain Python (slow)"), title=Message("plain Python"))
    _memory: IterativeMemory | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)
    _actions: ActionTable = field(default_factory=ActionTable, init=False, repr=False, compare=False)

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def new_game(self) -> None:
        self._memory = None

    def _memory_for(self, position: Position) -> IterativeMemory:
        """The table, replaced when the board changes: keys do not distinguish boards."""
        board = (position.game.spec, position.tables)
        if self._memory is None or self._board != board:
            self._memory, self._board, self._actions = new_memory(self.slots), board, ActionTable()
        return self._memory

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        unlimited = limit == Limit() and self.depth is None
        depths = [d for d in (self.depth, limit.depth) if d is not None]
        max_depth = min(
            depths, default=position.game.default_depth if unlimited and not position.game.small else 10_000
        )
        memory = self._memory_for(position)
        s, table = position.state, None
        if needs_object_state(s):
            table = self._actions
            s = ObjectState(s, table)
        elif not self.interpreted:
            compiled(deepen, type(s)).precompile(s, 1, -inf, inf, 0, memory, control.address)
        started = time.perf_counter()
        best: Report | None = None
        spent = 0
        with control.deadline(limit.time):
            for depth in range(1, max_depth + 1):
                left = None if limit.nodes is None else max(limit.nodes - spent, 1)
                report = self._with_actions(self._search(s, depth, memory, control, left), table)
                spent += report.nodes
                stopped = control.stopped or (left is not None and report.nodes >= left)
                # The best move so far is searched first, so an unfinished iteration that searched it is an improvement.
                if report.line:
                    best = replace(report, depth=depth - stopped)
                if not stopped:
                    control.tell(replace(report, depth=depth, nodes=spent))
                if stopped or report.proved:
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
        return apply_repetition(position, decision)

    def _search(
        self, s: State, depth: int, memory: IterativeMemory, control: Control, node_limit: int | None
    ) -> Report:
        if self.interpreted or needs_object_state(s):
            watch = Watch(control, node_limit)
            return watch.report(deepen(s, depth, -inf, inf, 0, memory, watch))
        control.clear(node_limit)
        value = compiled(deepen, type(s))(s, depth, -inf, inf, 0, memory, control.address)
        return read_words(control.words, float(value))

    @staticmethod
    def _with_actions(report: Report, table: ActionTable | None) -> Report:
        """The report with the game's actions instead of their numbers."""
        if table is None:
            return report
        line = tuple(table.actions[a] for a in report.line)
        moves = tuple(replace(move, action=table.actions[move.action]) for move in report.moves)
        return replace(report, line=line, moves=moves)
