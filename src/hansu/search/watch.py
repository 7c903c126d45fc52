"""The interface through which an algorithm reports its progress.

The last argument of every algorithm is a `watch`. In compiled code it is the address of a `Control`'s words, and the
functions below write counters there. In interpreted code it is a `Watch`, which can also record the whole search tree
(`Trace`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hansu.core.bits import compiled_as, monotonic_ns
from hansu.core.control import (
    DEADLINE,
    DEEPEST,
    EVALUATIONS,
    LINE_ROOM,
    LINES,
    NODE_LIMIT,
    NODES,
    ROOT,
    ROOT_MOVES,
    ROOT_ROOM,
    STOP,
    Control,
)
from hansu.core.errors import HansuError
from hansu.core.generic import Action, State, actions, evaluate
from hansu.core.report import MoveValue, Report, Value

CLOCK_NODES = 256  # nodes between two readings of the clock in a compiled search


class Watch:
    """The watch of an interpreted search: counts, the principal variation, the values of the root moves."""

    def __init__(self, control: Control, node_limit: int | None = None) -> None:
        self.control = control
        self.node_limit = node_limit
        self.nodes = 0
        self.evaluations = 0
        self.deepest = 0
        self.ply = 0  # of the last node entered
        self.last_estimate: float | None = None
        self.root_moves: list[tuple[Action, float]] = []
        self.lines: dict[int, tuple[Action, ...]] = {}
        self.trace: Trace | None = None

    def report(self, value: float) -> Report:
        """The report of a search that returned this value."""
        return _report(value, self.nodes, self.evaluations, self.deepest, self.root_moves, self.lines.get(0, ()))

    @property
    def halted(self) -> bool:
        """Whether the search must end now."""
        return self.control.stopped or (self.node_limit is not None and self.nodes >= self.node_limit)


@compiled_as("hansu.compile.intrinsics:word")
def word(address: int, i: int) -> int:
    """Word `i` at an address."""
    raise HansuError("only compiled code reads a Control's words")


@compiled_as("hansu.compile.intrinsics:set_word")
def set_word(address: int, i: int, value: int) -> None:
    """Write word `i` at an address."""
    raise HansuError("only compiled code writes a Control's words")


@compiled_as("hansu.compile.intrinsics:raised")
def raised(address: int) -> bool:
    """Whether the stop flag at an address is set."""
    raise HansuError("only compiled code reads a Control's words")


@compiled_as("hansu.compile.intrinsics:float_bits")
def float_bits(value: float) -> int:
    """The bits of a float64 as an int64."""
    raise HansuError("only compiled code stores values as bits")


def _enter_words(words: int, s: State, ply: int) -> None:
    set_word(words, NODES, word(words, NODES) + 1)
    if ply > word(words, DEEPEST):
        set_word(words, DEEPEST, ply)
    if ply < LINE_ROOM:
        set_word(words, LINES + ply * (LINE_ROOM + 1), 0)


@compiled_as(_enter_words)
def enter(watch: Watch, s: State, ply: int) -> None:
    """Enter a node: a call of V begins."""
    watch.nodes += 1
    watch.ply = ply
    watch.deepest = max(watch.deepest, ply)
    watch.lines[ply] = ()
    if watch.trace is not None:
        watch.trace.enter(s)


def _leave_words(words: int, value: float) -> float:
    return value


@compiled_as(_leave_words)
def leave(watch: Watch, value: float) -> float:
    """Leave a node: a call of V returns this value."""
    if watch.trace is not None:
        watch.trace.leave(value)
    return value


def _estimate_words(words: int, s: State) -> float:
    set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
    return float(evaluate(s))


@compiled_as(_estimate_words)
def estimate(watch: Watch, s: State) -> float:
    """The evaluation of a position that is not over. It is counted, because a value without estimates is exact."""
    watch.evaluations += 1
    if watch.control.stopped and watch.ply > 1 and watch.last_estimate is not None:
        return watch.last_estimate  # the search is unwinding: evaluating its remaining nodes could take seconds
    watch.last_estimate = float(evaluate(s))
    return watch.last_estimate


def _halted_words(words: int) -> bool:
    if raised(words) or 0 < word(words, NODE_LIMIT) <= word(words, NODES):
        return True
    if word(words, NODES) % CLOCK_NODES == 0 and 0 < word(words, DEADLINE) < monotonic_ns():
        set_word(words, STOP, 1)
        return True
    return False


@compiled_as(_halted_words)
def halted(watch: Watch) -> bool:
    """Whether the search must end now."""
    return watch.halted


def _record_move_words(words: int, ply: int, a: Action, value: float) -> None:
    if ply == 0 and word(words, ROOT_MOVES) < ROOT_ROOM:
        at = ROOT + 2 * word(words, ROOT_MOVES)
        set_word(words, at, a)
        set_word(words, at + 1, float_bits(value))
        set_word(words, ROOT_MOVES, word(words, ROOT_MOVES) + 1)


@compiled_as(_record_move_words)
def record_move(watch: Watch, ply: int, a: Action, value: float) -> None:
    """Record the value of action `a`. Values of root moves are kept for the report."""
    if ply == 0:
        watch.root_moves.append((a, value))
    if watch.trace is not None:
        watch.trace.name_last(a)


def _update_line_words(words: int, ply: int, a: Action) -> None:
    if ply < LINE_ROOM:
        here = LINES + ply * (LINE_ROOM + 1)
        length = 0
        if ply + 1 < LINE_ROOM:
            below = here + LINE_ROOM + 1
            length = min(word(words, below), LINE_ROOM - 1)
            for i in range(length):
                set_word(words, here + 2 + i, word(words, below + 1 + i))
        set_word(words, here, length + 1)
        set_word(words, here + 1, a)


@compiled_as(_update_line_words)
def update_line(watch: Watch, ply: int, a: Action) -> None:
    """Action `a` is the best so far at this ply: the principal variation is `a`, then that of the next ply."""
    watch.lines[ply] = (a, *watch.lines.get(ply + 1, ()))


def _bounds_words(words: int, alpha: float, beta: float) -> None:
    return


@compiled_as(_bounds_words)
def bounds(watch: Watch, alpha: float, beta: float) -> None:
    """Record the window of the current node."""
    if watch.trace is not None:
        watch.trace.open[-1].window = (alpha, beta)


def _cut_words(words: int, s: State, a: Action) -> None:
    return


@compiled_as(_cut_words)
def cut(watch: Watch, s: State, a: Action) -> None:
    """Record a cutoff: the actions after `a` are not searched."""
    if watch.trace is not None:
        watch.trace.cut(s, a)


def read_words(words: Any, value: float) -> Report:
    """The report of a compiled search that returned this value. `words` are the Control's, int64."""
    count = int(words[ROOT_MOVES])
    values = words[ROOT + 1 : ROOT + 2 * count : 2].view("float64")
    moves = [(int(words[ROOT + 2 * i]), float(values[i])) for i in range(count)]
    line = tuple(int(a) for a in words[LINES + 1 : LINES + 1 + int(words[LINES])])
    return _report(value, int(words[NODES]), int(words[EVALUATIONS]), int(words[DEEPEST]), moves, line)


def _report(
    value: float,
    nodes: int,
    evaluations: int,
    deepest: int,
    moves: list[tuple[Action, float]],
    line: tuple[Action, ...],
) -> Report:
    """The report of a search. A value without estimates is proved, unless the search was halted (the caller checks)."""
    return Report(
        value=Value(value, proved=evaluations == 0),
        line=line,
        moves=tuple(MoveValue(action=a, value=Value(v)) for a, v in moves),
        depth=deepest,
        seldepth=deepest,
        nodes=nodes,
    )


@dataclass
class TraceNode:
    """One call of V."""

    state: State
    entered: int  # the step of the search at which the call began
    left: int = -1  # the step at which it returned
    action: Action = None
    value: float | None = None
    window: tuple[float, float] | None = None
    shares: tuple[float, ...] = ()  # max^n: the value for each agent
    children: list[TraceNode] = field(default_factory=list)
    cut: list[Action] = field(default_factory=list)


class Trace:
    """The search tree in the order of the visits, with at most `most` nodes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._step = 0
        self.root: TraceNode | None = None
        self.open: list[TraceNode] = []

    def enter(self, s: State) -> None:
        """Add a node below the current one."""
        if self.count >= self.most:
            raise HansuError(
                "the search visits more than {most} nodes",
                "reduce the depth, for example --player alphabeta:depth=2, or raise the limit with --most N",
                most=self.most,
            )
        node = TraceNode(s, self._step)
        self._step += 1
        self.count += 1
        if self.open:
            self.open[-1].children.append(node)
        elif self.root is None:
            self.root = node
        self.open.append(node)

    def leave(self, value: float) -> None:
        """Close the current node."""
        node = self.open.pop()
        node.value, node.left = value, self._step
        self._step += 1

    def name_last(self, a: Action) -> None:
        """Set the action that leads to the last child of the current node."""
        self.open[-1].children[-1].action = a

    def cut(self, s: State, a: Action) -> None:
        """Record the actions after `a` as cut off."""
        rest = list(actions(s))
        self.open[-1].cut = rest[rest.index(a) + 1 :]
