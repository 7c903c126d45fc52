"""The alpha-beta engines as Python sees them: a searcher thinks, an engine player asks it.

`pvs.py` has the machine itself. A game's `EngineSearcher` says how a root is searched and what its scores mean;
limits, the iterations, what is told of them and how plies to the end are counted are here.
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
HELPER = "helper"  # the name of the threads that help a search
Tell = Callable[[Report], None]
Glance = Callable[[], Report | None]


class EngineSearcher(ABC):
    """A search with its table: one thread with its memory, and others that help it.

    The helpers search the same root, each with a memory of its own; what they find reaches the first thread through the
    table alone ("lazy SMP"), so that nobody ever waits for anybody. With one thread, a search is the same every time.
    """

    margin: ClassVar[float] = 0.001  # seconds kept back for waking the timer and for returning
    scale: ClassVar[float]  # a score of so much is a chance to win of 1 / (1 + 1/e)
    trusted_plies: ClassVar[int] = WIN  # a win that is farther away is not called proved
    lasting: ClassVar[frozenset[str]] = frozenset()  # fields of the memory that no search changes

    def __init__(self, memory: Any, megabytes: int) -> None:
        self.memory = memory
        self._threads = 1
        self.lines = 1  # the best moves that are told, each with its line; more where a Control wants more
        self._helpers: list[Any] = []  # the memories of the other threads
        self.megabytes = megabytes
        self.table = new_table(megabytes)
        self._team = 0  # the mover's, in the last search
        self._wanted_lines = 1
        self._control = Control()
        self._started = 0.0

    @property
    def threads(self) -> int:
        """That search. More than there are cores are not had: they would take the first one's time, and the clock's."""
        return self._threads

    @threads.setter
    def threads(self, wanted: int) -> None:
        self._threads = min(wanted, cores())

    def new_game(self) -> None:
        """Forget what belonged to the last game."""
        self.table[:] = 0
        self.memory["history"] = 0

    @abstractmethod
    def precompile(self) -> None:
        """Compile, or load what was compiled, so that a clock can start afterwards."""

    @abstractmethod
    def deepen(self, memory: Any, root: Any, depth: int) -> bool:
        """One iteration by the game's kernel (see `pvs.deepening`). False: it was the last one."""

    def actions(self, line: Iterable[int]) -> tuple[Action, ...]:
        """A line of the memory, up to its end, as actions of the game."""
        found = []
        for action in line:
            if action == NO_ACTION:
                break
            found.append(int(action))
        return tuple(found)

    @contextmanager
    def thinking(self, team: int, limit: Limit, control: Control) -> Iterator[None]:
        """Searches in here are for the mover of this team; they heed the limits and the Control, and count there."""
        self._started = time.perf_counter()
        self._team, self._control = team, control
        memory = self.memory
        self._wanted_lines = min(max(self.lines, control.lines), MOST_LINES)
        memory["flag"], memory["nodes_before"] = control.address, control.nodes
        memory["node_limit"] = -(-limit.nodes // self.threads) if limit.nodes else 1 << 62  # each thread has its share
        try:
            with control.deadline(None if limit.time is None else max(limit.time - self.margin, 0.0)):
                yield
        finally:
            self._count()

    def _count(self) -> int:
        """The nodes of the search in hand, which the Control gets to know."""
        nodes = sum(int(memory["nodes"]) for memory in (self.memory, *self._helpers))
        self._control.words[NODES] = self.memory["nodes_before"] + nodes
        return nodes

    def iterate(
        self, root: Any, depth: int | None, tell: Tell | None, soft: float | None, glance: Glance | None = None
    ) -> Report:
        """Depth 1, 2, ... as far as the limits allow. No iteration begins after `soft` seconds; none at all where a
        `glance` before them finds the answer."""
        others: list[EngineLine] = []
        with self._helped(root):
            seen = glance() if glance else None
            for at in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1) if seen is None else ():
                goes_on = self.deepen(self.memory, root, at)
                if int(self.memory["completed"]) == at and self._wanted_lines > 1:
                    others = self._other_lines(root, at, others)
                if tell is not None and int(self.memory["completed"]) == at:
                    tell(self._with_lines(self.report(), others))
                if not goes_on or (soft is not None and time.perf_counter() - self._started > soft):
                    break
        return self._with_lines(self.report(), others) if seen is None else replace(seen, nodes=self._count())

    @contextmanager
    def _helped(self, root: Any) -> Iterator[None]:
        """Other threads search the root in here."""
        if self.threads == 1 and not self._helpers:
            yield
            return
        memory, control = self.memory, Control()
        del self._helpers[self.threads - 1 :]
        while len(self._helpers) < self.threads - 1:
            self._helpers.append(empty_memory(memory.dtype))
            for name in self.lasting:
                self._helpers[-1][name] = memory[name]
        at_work, changed = [], [name for name in memory.dtype.names if name not in self.lasting]
        for number, helper in enumerate(self._helpers):
            for name in changed:  # the board, and what was learnt so far
                helper[name] = memory[name]
            helper["flag"], helper["nodes"] = control.address, 0
            at_work.append(
                threading.Thread(target=self._help, args=(helper, root, 1 + number % 2), name=HELPER, daemon=True)
            )
        for thread in at_work:
            thread.start()
        try:
            yield
        finally:
            control.stop()
            for thread in at_work:
                thread.join()

    def _help(self, memory: Any, root: Any, depth: int) -> None:
        while depth <= MAX_DEPTH and self.deepen(memory, root, depth):
            depth += 1

    def _other_lines(self, root: Any, depth: int, before: list[EngineLine]) -> list[EngineLine]:
        """The best moves but for those before each; where the time ran out, as they stood a depth ago."""
        memory, found = self.memory, [self._line()]
        if not found[0].moves:  # nothing was looked at: the end was seen at once
            return []
        best = {name: memory[name].copy() for name in ("best", "completed", "score", "reached", "found")}
        while len(found) < self._wanted_lines and self.has_choice(root):
            for i, line in enumerate(found):
                memory["left_out"][i] = line.moves[0]
            known = next((line for line in before if line.moves[0] not in [f.moves[0] for f in found]), None)
            memory["score"] = found[-1].score if known is None else known.score
            memory["completed"] = 0
            self.deepen(memory, root, depth)
            if int(memory["completed"]) != depth:
                break
            line = self._line()
            if line.moves[0] in [other.moves[0] for other in found]:
                break  # a win or a loss that is seen without a look at the moves
            found.append(line)
        stopped = bool(memory["stop"])
        for name, value in best.items():
            memory[name] = value
        memory["left_out"] = NO_ACTION
        if stopped:
            chosen, worst = [line.moves[0] for line in found], found[-1].score
            left = (line for line in before if line.moves[0] not in chosen)  # not better, as far as one got
            found += [line._replace(score=min(line.score, worst)) for line in left]
        found.sort(key=lambda line: -line.score)  # what is looked at later may turn out better
        first = found[0]
        memory["best"], memory["score"] = first.moves[0], first.score
        memory["found"][: len(first.moves) + 1] = [*first.moves, NO_ACTION]
        return found[: self._wanted_lines]

    def has_choice(self, root: Any) -> bool:
        """Is there more than one move that does not lose at once?"""
        return True

    def _line(self) -> EngineLine:
        moves = [int(action) for action in self.memory["found"]]
        return EngineLine(int(self.memory["score"]), moves[: moves.index(NO_ACTION)])

    def _with_lines(self, report: Report, lines: list[EngineLine]) -> Report:
        moves = []
        for line in lines:
            actions = self.actions(line.moves)
            moves.append(MoveValue(action=actions[0], value=self.value_of(line.score), line=actions))
        if moves and moves[0].action != report.line[0]:  # of an iteration that was stopped: no other is better
            before = next((move.line for move in moves if move.action == report.line[0]), ())
            if len(report.line) == 1 < len(before):  # all that is known is that it is better than was thought
                report = replace(report, line=before)
            best = MoveValue(action=report.line[0], value=report.value, line=report.line)
            others = (move for move in moves if move.action != best.action)
            moves = [best, *(replace(move, value=self._lesser(move.value, best.value)) for move in others)]
        return replace(report, moves=tuple(moves[: self._wanted_lines]))

    def _lesser(self, *values: Value | None) -> Value:
        """Which of two values is worse for the mover."""
        return min((value for value in values if value is not None), key=lambda value: value.order(self._team))

    def report(self) -> Report:
        """The last completed iteration, with the best move known."""
        memory = self.memory
        best, depth = self.actions([memory["best"]]), int(memory["completed"])
        if not depth:
            return self.found(0, best, 0, 0)
        line, score = self.actions(memory["found"]), int(memory["score"])
        if line and line[:1] != best:  # an iteration that was stopped had found a better move already
            line = self.actions(memory["expected"])
            score = max(int(memory["so_far"]), -SURE)  # a loss is not proved before all moves were looked at
        return self.found(score, line or best, depth, int(memory["reached"]))

    def found(self, score: int, line: tuple[Action, ...], depth: int, seldepth: int) -> Report:
        """A report of the search in hand."""
        seconds = time.perf_counter() - self._started
        return Report(
            value=self.value_of(score), line=line, depth=depth, seldepth=seldepth, nodes=self._count(), seconds=seconds
        )

    def value_of(self, score: int) -> Value:
        """What a mover's score means: the expected result, twice the chance to win less one."""
        plies = plies_to_end(score)
        if plies is None:
            return Value.seen_from(self._team, math.tanh(score / (2 * self.scale)))
        proved = abs(plies) <= self.trusted_plies
        return Value.seen_from(self._team, math.copysign(1, plies), proved=proved, plies=abs(plies))

    def score_of(self, report: Report) -> int:
        """And back: the mover's score in a report of the last search. (Far from even, where the chance to win hardly
        changes, it is rounded.)"""
        if report.value is None:
            return 0
        number = report.value.to(self._team)
        if report.plies is not None:
            return WIN - report.plies if number > 0 else report.plies - WIN
        if abs(number) == 1:
            return int(math.copysign(SURE, number))
        return max(-SURE, min(SURE, round(2 * self.scale * math.atanh(number))))

    def hashfull(self) -> int:
        """How full the table is with entries of this search, in thousandths, judged by a sample."""
        data = self.table[1:2000:2]
        return int(((data != 0) & (data >> 20 & 63 == int(self.memory["age"]) & 63)).sum()) * 1000 // max(len(data), 1)


class EngineLine(NamedTuple):
    """A root move with what is expected after it, as the memory names actions."""

    score: int
    moves: list[int]


class Searcher(Protocol):
    """What a player can hold as its searcher."""

    def new_game(self) -> None: ...

    def precompile(self) -> None: ...


S = TypeVar("S", bound=Searcher)


@dataclass
class SearcherPlayer(Player, Generic[S]):
    """A player with a searcher, which is made anew when a game of another kind comes."""

    def __post_init__(self) -> None:
        self._searcher: S | None = None
        self._made_for: object = None

    @abstractmethod
    def new_searcher(self, position: Position) -> S: ...

    def needs(self, position: Position) -> object:
        """What a searcher for the position depends on."""
        return None

    def searcher(self, position: Position) -> S:
        """Ready for the position: a clock can start."""
        if self._searcher is None or self._made_for != self.needs(position):
            self._searcher, self._made_for = self.new_searcher(position), self.needs(position)
            self._searcher.precompile()
        return self._searcher

    def new_game(self) -> None:
        if self._searcher is not None:
            self._searcher.new_game()

    def close(self) -> None:
        self._searcher = None


@dataclass
class EnginePlayer(SearcherPlayer[S]):
    """A player that is an engine: its searcher's report is the decision."""

    kind: ClassVar[str] = "engine"
    title: ClassVar[str] = Message("Engine")
    depth: int | None = option(
        None, Message("plies to look ahead at most"), title=Message("look-ahead"), low=1, high=MAX_DEPTH
    )

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def bounds(self, limit: Limit | None) -> Limit:
        """A limit together with its own; a second where there is none at all."""
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
        """What the searcher finds; its iterations are told to the control."""

    @abstractmethod
    def why(self, position: Position, searcher: S, report: Report) -> str:
        """In a person's words, right after the search."""


P = TypeVar("P", bound=EngineSearcher)


@dataclass
class PvsPlayer(EnginePlayer[P]):
    """An engine on the machine of `pvs.py`, which can search with several threads and tell several lines."""

    tells_lines: ClassVar[bool] = True
    network: str = option(
        "",
        Message("a file that a training wrote (.npz); its own network where none is named"),
        title=Message("network"),
    )
    threads: int = option(
        1, Message("threads that search, as far as there are cores; with one it is the same every time"),
        title=Message("threads"), low=1, high=64, processors=True,
    )  # fmt: skip
    lines: int = option(
        1, Message("best moves that it tells, each with its line"), title=Message("lines"), low=1, high=MOST_LINES
    )

    @property
    def network_file(self) -> Path | None:
        """The file that was named."""
        return Path(self.network).expanduser() if self.network else None

    def set_up(self, searcher: P) -> P:
        """A new searcher as the settings want it."""
        searcher.threads, searcher.lines = self.threads, self.lines
        return searcher
