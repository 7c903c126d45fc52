"""How an algorithm tells what it is doing.

The last argument of every algorithm is a `watch`. Compiled, it is the words of a `Control` and these functions count
and note; interpreted, it is a `Watch`, which can also keep the whole visited tree (`Trace` below).
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

CLOCK_NODES = 256  # a compiled search looks at the clock once in so many nodes


class Watch:
    """The interpreted side: counts, the best line, the values of the root's moves."""

    def __init__(self, control: Control, node_limit: int | None = None) -> None:
        self.control = control
        self.node_limit = node_limit
        self.nodes = 0
        self.evaluations = 0
        self.deepest = 0
        self.ply = 0  # of the call of V that began last
        self.last_guess: float | None = None
        self.root_moves: list[tuple[Action, float]] = []
        self.lines: dict[int, tuple[Action, ...]] = {}
        self.trace: Trace | None = None

    def report(self, value: float) -> Report:
        """What a run that ended with this value left behind."""
        return _report(value, self.nodes, self.evaluations, self.deepest, self.root_moves, self.lines.get(0, ()))

    @property
    def halted(self) -> bool:
        return self.control.stopped or (self.node_limit is not None and self.nodes >= self.node_limit)


@compiled_as("hansu.compile.intrinsics:word")
def word(address: int, i: int) -> int:
    raise HansuError("only compiled code reads a Control's words")


@compiled_as("hansu.compile.intrinsics:set_word")
def set_word(address: int, i: int, value: int) -> None:
    raise HansuError("only compiled code writes a Control's words")


@compiled_as("hansu.compile.intrinsics:raised")
def raised(address: int) -> bool:
    raise HansuError("only compiled code reads a Control's words")


@compiled_as("hansu.compile.intrinsics:float_bits")
def float_bits(value: float) -> int:
    raise HansuError("only compiled code keeps values as bits")


def _enter_words(words: int, s: State, ply: int) -> None:
    set_word(words, NODES, word(words, NODES) + 1)
    if ply > word(words, DEEPEST):
        set_word(words, DEEPEST, ply)
    if ply < LINE_ROOM:
        set_word(words, LINES + ply * (LINE_ROOM + 1), 0)


@compiled_as(_enter_words)
def enter(watch: Watch, s: State, ply: int) -> None:
    """A call of V begins."""
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
    """A call of V ends with this value."""
    if watch.trace is not None:
        watch.trace.leave(value)
    return value


def _guess_words(words: int, s: State) -> float:
    set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
    return float(evaluate(s))


@compiled_as(_guess_words)
def guess(watch: Watch, s: State) -> float:
    """The evaluation of a position that is not over; counted, since a search without guesses is a proof."""
    watch.evaluations += 1
    if watch.control.stopped and watch.ply > 1 and watch.last_guess is not None:
        return watch.last_guess  # what is left of a branch that was broken off: on large boards it would take seconds
    watch.last_guess = float(evaluate(s))
    return watch.last_guess


def _halted_words(words: int) -> bool:
    if raised(words) or 0 < word(words, NODE_LIMIT) <= word(words, NODES):
        return True
    if word(words, NODES) % CLOCK_NODES == 0 and 0 < word(words, DEADLINE) < monotonic_ns():
        set_word(words, STOP, 1)
        return True
    return False


@compiled_as(_halted_words)
def halted(watch: Watch) -> bool:
    """Must the search end now?"""
    return watch.halted


def _learn_words(words: int, ply: int, a: Action, value: float) -> None:
    if ply == 0 and word(words, ROOT_MOVES) < ROOT_ROOM:
        at = ROOT + 2 * word(words, ROOT_MOVES)
        set_word(words, at, a)
        set_word(words, at + 1, float_bits(value))
        set_word(words, ROOT_MOVES, word(words, ROOT_MOVES) + 1)


@compiled_as(_learn_words)
def learn(watch: Watch, ply: int, a: Action, value: float) -> None:
    """Action `a` was found to be worth `value`; kept for the root's moves."""
    if ply == 0:
        watch.root_moves.append((a, value))
    if watch.trace is not None:
        watch.trace.name_last(a)


def _prefer_words(words: int, ply: int, a: Action) -> None:
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


@compiled_as(_prefer_words)
def prefer(watch: Watch, ply: int, a: Action) -> None:
    """Action `a` is the best so far at this ply: the best line is `a` and then the best line from the next ply."""
    watch.lines[ply] = (a, *watch.lines.get(ply + 1, ()))


def _bounds_words(words: int, alpha: float, beta: float) -> None:
    return


@compiled_as(_bounds_words)
def bounds(watch: Watch, alpha: float, beta: float) -> None:
    """The window that the node in hand was called with."""
    if watch.trace is not None:
        watch.trace.open[-1].window = (alpha, beta)


def _cut_words(words: int, s: State, a: Action) -> None:
    return


@compiled_as(_cut_words)
def cut(watch: Watch, s: State, a: Action) -> None:
    """The actions after `a` need not be looked at."""
    if watch.trace is not None:
        watch.trace.cut(s, a)


def read_words(words: Any, value: float) -> Report:
    """What a compiled run that ended with this value left in its words."""
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
    """A value without a guess in it is proved, if the search was not halted; the caller knows that."""
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
    """One call of V, as it was made."""

    state: State
    entered: int  # at which step of the search
    left: int = -1
    action: Action = None
    value: float | None = None
    window: tuple[float, float] | None = None
    shares: tuple[float, ...] = ()  # what it is worth to each agent, where everybody plays for the own good
    children: list[TraceNode] = field(default_factory=list)
    cut: list[Action] = field(default_factory=list)


class Trace:
    """The visited tree in the order of visiting. `most` keeps a picture from becoming a flood."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._step = 0
        self.root: TraceNode | None = None
        self.open: list[TraceNode] = []

    def enter(self, s: State) -> None:
        if self.count >= self.most:
            raise HansuError(
                "the search visits more than {most} nodes",
                "look less deep, as --player alphabeta:depth=2, or draw more: --most N",
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
        node = self.open.pop()
        node.value, node.left = value, self._step
        self._step += 1

    def name_last(self, a: Action) -> None:
        self.open[-1].children[-1].action = a

    def cut(self, s: State, a: Action) -> None:
        rest = list(actions(s))
        self.open[-1].cut = rest[rest.index(a) + 1 :]
