"""The Python side of the alpha-beta engines: searchers, and players that use them.

`pvs.py` has the compiled search. A game's `EngineSearcher` defines how a root is searched and what its scores mean.
Limits, iterations, reports, threads and multi-PV are here.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from hansu.core.control import NODES, Control
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.machine import cores
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.pvs import MAX_DEPTH, MOST_LINES, NO_ACTION, SURE, WIN, empty_memory, new_table, plies_to_end

DEFAULT_SECONDS = 1.0
HELPER = "helper"  # name of the helper threads
Tell = Callable[[Report], None]
Glance = Callable[[], Report | None]


class EngineSearcher(ABC):
    """A search with its transposition table: a main thread and optional helper threads, each with its own memory.

    Helpers search the same root and share results through the table alone ("lazy SMP"), so no thread waits for another.
    With one thread, a search is deterministic.
    """

    margin: ClassVar[float] = 0.001  # seconds reserved for the timer's latency and for returning
    scale: ClassVar[float]  # the score at which the chance of winning is 1 / (1 + 1/e)
    trusted_plies: ClassVar[int] = WIN  # a more distant win is not reported as proved
    lasting: ClassVar[frozenset[str]] = frozenset()  # memory fields that a search never changes

    def __init__(self, memory: Any, megabytes: int) -> None:
        self.memory = memory
        self._threads = 1
        self.lines = 1  # best moves to report, each with its line (multi-PV); a Control can ask for more
        self._helpers: list[Any] = []  # memories of the helper threads
        self.megabytes = megabytes
        self.table = new_table(megabytes)
        self._team = 0  # the mover's team in the last search
        self._lines = 1  # lines of the current search
        self._control = Control()
        self._started = 0.0

    @property
    def threads(self) -> int:
        """Search threads, at most one per core: more would take time from the main thread."""
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._threads = min(threads, cores())

    def new_game(self) -> None:
        """Clear the table and the history for a new game."""
        self.table[:] = 0
        self.memory["history"] = 0

    @abstractmethod
    def precompile(self) -> None:
        """Compile, or load compiled code, before a clock starts."""

    @abstractmethod
    def deepen(self, memory: Any, root: Any, depth: int) -> bool:
        """Run one iteration of the game's kernel (see `pvs.deepening`). Returns False after the last one."""

    def actions(self, line: Iterable[int]) -> tuple[Action, ...]:
        """A line of the memory, up to NO_ACTION, as the game's actions."""
        actions: list[Action] = []
        for action in line:
            if action == NO_ACTION:
                break
            actions.append(int(action))
        return tuple(actions)

    @contextmanager
    def thinking(self, team: int, limit: Limit, control: Control) -> Iterator[None]:
        """A context in which searches run for this team, within the limit, and count their nodes in the Control."""
        self._started = time.perf_counter()
        self._team, self._control = team, control
        memory = self.memory
        self._lines = min(max(self.lines, control.lines), MOST_LINES)
        memory["flag"], memory["nodes_before"] = control.address, control.nodes
        memory["node_limit"] = -(-limit.nodes // self.threads) if limit.nodes else 1 << 62  # for each thread
        try:
            with control.deadline(None if limit.time is None else max(limit.time - self.margin, 0.0)):
                yield
        finally:
            self._count()

    def _count(self) -> int:
        """The nodes of the current search; also updates the Control."""
        nodes = sum(int(memory["nodes"]) for memory in (self.memory, *self._helpers))
        self._control.words[NODES] = self.memory["nodes_before"] + nodes
        return nodes

    def iterate(
        self, root: Any, depth: int | None, tell: Tell | None, soft: float | None, glance: Glance | None = None
    ) -> Report:
        """Deepen iteratively within the limits. No iteration starts after `soft` seconds.

        If `glance` returns a report, that is the result and no iteration runs. `tell` receives the report of each
        iteration.
        """
        others: list[EngineLine] = []
        with self._helped(root):
            immediate = glance() if glance else None
            for at in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1) if immediate is None else ():
                unfinished = self.deepen(self.memory, root, at)
                if int(self.memory["completed"]) == at and self._lines > 1:
                    others = self._other_lines(root, at, others)
                if tell is not None and int(self.memory["completed"]) == at:
                    tell(self._with_lines(self.report(), others))
                if not unfinished or (soft is not None and time.perf_counter() - self._started > soft):
                    break
        if immediate is not None:
            return replace(immediate, nodes=self._count())
        return self._with_lines(self.report(), others)

    @contextmanager
    def _helped(self, root: Any) -> Iterator[None]:
        """A context in which the helper threads search the root."""
        if self.threads == 1 and not self._helpers:
            yield
            return
        memory, control = self.memory, Control()
        del self._helpers[self.threads - 1 :]
        while len(self._helpers) < self.threads - 1:
            self._helpers.append(empty_memory(memory.dtype))
            for name in self.lasting:
                self._helpers[-1][name] = memory[name]
        helpers, changed = [], [name for name in memory.dtype.names if name not in self.lasting]
        for number, helper in enumerate(self._helpers):
            for name in changed:  # the board, history and killers
                helper[name] = memory[name]
            helper["flag"], helper["nodes"] = control.address, 0
            helpers.append(
                threading.Thread(target=self._help, args=(helper, root, 1 + number % 2), name=HELPER, daemon=True)
            )
        for thread in helpers:
            thread.start()
        try:
            yield
        finally:
            control.stop()
            for thread in helpers:
                thread.join()

    def _help(self, memory: Any, root: Any, depth: int) -> None:
        while depth <= MAX_DEPTH and self.deepen(memory, root, depth):
            depth += 1

    def _other_lines(self, root: Any, depth: int, before: list[EngineLine]) -> list[EngineLine]:
        """The lines of multi-PV: each search excludes the moves of the lines before it.

        If the search is stopped, the missing lines are those of the previous depth (`before`).
        """
        memory, lines = self.memory, [self._line()]
        if not lines[0].moves:  # decided without searching the moves
            return []
        best = {name: memory[name].copy() for name in ("best", "completed", "score", "reached", "found")}
        while len(lines) < self._lines and self.has_choice(root):
            for i, line in enumerate(lines):
                memory["left_out"][i] = line.moves[0]
            previous = next((line for line in before if line.moves[0] not in [f.moves[0] for f in lines]), None)
            memory["score"] = lines[-1].score if previous is None else previous.score
            memory["completed"] = 0
            self.deepen(memory, root, depth)
            if int(memory["completed"]) != depth:
                break
            line = self._line()
            if line.moves[0] in [other.moves[0] for other in lines]:
                break  # a win or loss decided without searching the moves
            lines.append(line)
        stopped = bool(memory["stop"])
        for name, value in best.items():
            memory[name] = value
        memory["left_out"] = NO_ACTION
        if stopped:
            chosen, worst = [line.moves[0] for line in lines], lines[-1].score
            left = (line for line in before if line.moves[0] not in chosen)  # not better than the lines of this depth
            lines += [line._replace(score=min(line.score, worst)) for line in left]
        lines.sort(key=lambda line: -line.score)  # a later line may have a better score
        first = lines[0]
        memory["best"], memory["score"] = first.moves[0], first.score
        memory["found"][: len(first.moves) + 1] = [*first.moves, NO_ACTION]
        return lines[: self._lines]

    def has_choice(self, root: Any) -> bool:
        """Whether more than one move does not lose immediately."""
        return True

    def _line(self) -> EngineLine:
        moves = [int(action) for action in self.memory["found"]]
        return EngineLine(int(self.memory["score"]), moves[: moves.index(NO_ACTION)])

    def _with_lines(self, report: Report, lines: list[EngineLine]) -> Report:
        moves = []
        for line in lines:
            actions = self.actions(line.moves)
            moves.append(MoveValue(action=actions[0], value=self.value_of(line.score), line=actions))
        if moves and moves[0].action != report.line[0]:  # from a stopped iteration: no other move is better
            before = next((move.line for move in moves if move.action == report.line[0]), ())
            if len(report.line) == 1 < len(before):  # a fail high: it has no new line yet
                report = replace(report, line=before)
            best = MoveValue(action=report.line[0], value=report.value, line=report.line)
            others = (move for move in moves if move.action != best.action)
            moves = [best, *(replace(move, value=self._lesser(move.value, best.value)) for move in others)]
        return replace(report, moves=tuple(moves[: self._lines]))

    def _lesser(self, *values: Value | None) -> Value:
        """The value that is worst for the mover."""
        return min((value for value in values if value is not None), key=lambda value: value.order(self._team))

    def report(self) -> Report:
        """The report of the last completed iteration, with the best move so far."""
        memory = self.memory
        best, depth = self.actions([memory["best"]]), int(memory["completed"])
        if not depth:
            return self.found(0, best, 0, 0)
        line, score = self.actions(memory["found"]), int(memory["score"])
        if line and line[:1] != best:  # a stopped iteration found a better move
            line = self.actions(memory["expected"])
            score = max(int(memory["so_far"]), -SURE)  # a loss is proved only after all moves are searched
        return self.found(score, line or best, depth, int(memory["reached"]))

    def found(self, score: int, line: tuple[Action, ...], depth: int, seldepth: int) -> Report:
        """A report of the current search."""
        seconds = time.perf_counter() - self._started
        return Report(
            value=self.value_of(score), line=line, depth=depth, seldepth=seldepth, nodes=self._count(), seconds=seconds
        )

    def value_of(self, score: int) -> Value:
        """The value of a mover's score: the expected result, 2 * (chance of winning) - 1."""
        plies = plies_to_end(score)
        if plies is None:
            return Value.seen_from(self._team, math.tanh(score / (2 * self.scale)))
        proved = abs(plies) <= self.trusted_plies
        return Value.seen_from(self._team, math.copysign(1, plies), proved=proved, plies=abs(plies))

    def score_of(self, report: Report) -> int:
        """The mover's score in a report of the last search: the inverse of `value_of`, rounded where the chance of
        winning is close to 0 or 1."""
        if report.value is None:
            return 0
        number = report.value.to(self._team)
        if report.plies is not None:
            return WIN - report.plies if number > 0 else report.plies - WIN
        if abs(number) == 1:
            return int(math.copysign(SURE, number))
        return max(-SURE, min(SURE, round(2 * self.scale * math.atanh(number))))

    def hashfull(self) -> int:
        """The share of the table used by this search, in per mille, from a sample."""
        data = self.table[1:2000:2]
        return int(((data != 0) & (data >> 20 & 63 == int(self.memory["age"]) & 63)).sum()) * 1000 // max(len(data), 1)


class EngineLine(NamedTuple):
    """A root move with its line, in the actions of the memory."""

    score: int
    moves: list[int]


class Searcher(Protocol):
    """The search of a `SearcherPlayer`."""

    def new_game(self) -> None:
        """Clear what belongs to the last game."""

    def precompile(self) -> None:
        """Compile before a clock starts."""


S = TypeVar("S", bound=Searcher)


@dataclass
class SearcherPlayer(Player, Generic[S]):
    """A player with a searcher, which is created again when the game or its settings change."""

    def __post_init__(self) -> None:
        self._searcher: S | None = None
        self._created_for: object = None

    @abstractmethod
    def new_searcher(self, position: Position) -> S:
        """Create a searcher for the game of a position."""

    def needs(self, position: Position) -> object:
        """What a searcher for this position depends on; a change creates a new searcher."""
        return None

    def searcher(self, position: Position) -> S:
        """The searcher for a position, compiled: a clock can start."""
        if self._searcher is None or self._created_for != self.needs(position):
            self._searcher, self._created_for = self.new_searcher(position), self.needs(position)
            self._searcher.precompile()
        return self._searcher

    def new_game(self) -> None:
        if self._searcher is not None:
            self._searcher.new_game()

    def close(self) -> None:
        self._searcher = None


@dataclass
class EnginePlayer(SearcherPlayer[S]):
    """An engine: the report of its searcher is its decision."""

    kind: ClassVar[str] = "engine"
    title: ClassVar[str] = Message("Engine")
    depth: int | None = option(
        None, Message("maximum search depth in plies"), title=Message("depth"), low=1, high=MAX_DEPTH
    )

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def bounds(self, limit: Limit | None) -> Limit:
        """A limit combined with the player's own; one second if there is none at all."""
        limit = limit or Limit()
        depth = min((d for d in (limit.depth, self.depth) if d is not None), default=None)
        unlimited = depth is None and limit.nodes is None and limit.time is None
        return Limit(depth, limit.nodes, DEFAULT_SECONDS if unlimited else limit.time)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        searcher, control = self.searcher(position), control or Control()
        report = self.think(searcher, position, self.bounds(limit), control)
        return Decision(action=report.line[0], why=self.why(position, searcher, report), report=report)

    @abstractmethod
    def think(self, searcher: S, position: Position, limit: Limit, control: Control) -> Report:
        """Search a position. The control receives the report of each iteration."""

    @abstractmethod
    def why(self, position: Position, searcher: S, report: Report) -> str:
        """One sentence that explains the move, right after the search."""


P = TypeVar("P", bound=EngineSearcher)


@dataclass
class PvsPlayer(EnginePlayer[P]):
    """An engine based on `pvs.py`, with several threads and lines."""

    tells_lines: ClassVar[bool] = True
    network: str = option(
        "",
        Message("network file of a training (.npz); default: the one that comes with the engine"),
        title=Message("network"),
    )
    threads: int = option(
        1, Message("search threads, at most one per core; with 1 the search is deterministic"),
        title=Message("threads"), low=1, high=64, processors=True,
    )  # fmt: skip
    lines: int = option(
        1, Message("number of best moves to report, each with its line"), title=Message("lines"), low=1, high=MOST_LINES
    )

    @property
    def network_file(self) -> Path | None:
        """The path in the option `network`."""
        return Path(self.network).expanduser() if self.network else None

    def set_up(self, searcher: P) -> P:
        """Apply the options to a new searcher."""
        searcher.threads, searcher.lines = self.threads, self.lines
        return searcher
