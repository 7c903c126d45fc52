"""What the players minimax, expectimax, alpha-beta and max^n share: depth, deepening under a limit, explanations."""

from __future__ import annotations

import random
import time
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hansu.compile import compiled
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.generic import CHANCE, Action, State
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import LIMITS, Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import Report, Value
from hansu.search.object_state import needs_object_state
from hansu.search.players.explanations import TO_THE_END, UNTIL_STOPPED, ahead, looked, no_time, value_text
from hansu.search.players.repetition import apply_repetition
from hansu.search.watch import Trace, Watch, read_words


@dataclass
class TreeSearch(Player):
    """Subclasses provide the algorithm."""

    traced_as: ClassVar[str] = "bounds"

    depth: int | None = option(None, Message("search depth in plies"), title=Message("depth"), low=1, high=10_000)
    rounds: int | None = option(
        None,
        Message("search depth in rounds, in which every agent moves once; instead of depth"),
        title=Message("depth in rounds"),
        low=1,
        high=10_000,
    )
    seed: int | None = option(
        None,
        Message("random seed for the choice among equally good moves; default: the first one"),
        title=Message("random seed"),
    )
    interpreted: bool = option(False, Message("run as plain Python (slow)"), title=Message("plain Python"))

    def __post_init__(self) -> None:
        if self.depth is not None and self.rounds is not None:
            raise HansuError("{kind}: set depth or rounds, not both", kind=self.kind)
        if self.rounds is not None:
            self.heeds = LIMITS - {"depth"}  # type: ignore[misc]  # a depth limit counts plies

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    @abstractmethod
    def _run(self, search: Any, s: State, depth: int, watch: Any) -> float:
        """Call the algorithm's function (compiled or not) on the root."""

    @property
    @abstractmethod
    def _algorithm(self) -> Any: ...

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if position.mover == CHANCE:
            raise HansuError("no player chooses the move of a chance node", "play it with Position.play_random")
        depth, why_depth = self._depth(position, limit)
        self.precompile(position, control)
        started = time.perf_counter()
        with control.deadline(limit.time):
            at_once = limit.time is None and limit.nodes is None
            if at_once:
                report, reached = self.search(position, depth, control), depth
            else:
                report, reached = self._deepen(position, depth, limit, control)
        assert report.value is not None
        # Expectimax has no best line for random opponents, and a halted search proves nothing.
        proved = report.proved and not control.stopped and bool(report.line)
        report = replace(report, value=Value(report.value, proved=proved))
        action, chosen = self._choice(position, report)
        if at_once and control.stopped:
            how_far = UNTIL_STOPPED
        elif proved or reached < 0:
            how_far = TO_THE_END
        elif self.rounds is not None:
            how_far = Message("{reached} rounds ahead", reached=reached)
        else:
            how_far = Message("{ahead}{why_depth}", ahead=ahead(reached), why_depth=why_depth)
        seconds = time.perf_counter() - started
        decision = Decision(
            action=action,
            why=looked(chosen, how_far, self._value_text(position, report)),
            report=replace(report, line=report.line or (action,), seconds=seconds),
        )
        return apply_repetition(position, decision)

    def precompile(self, position: Position, control: Control) -> None:
        """Compile before the clock starts."""
        if not (self.interpreted or needs_object_state(position.state)):
            search = compiled(self._algorithm, type(position.state)).precompile
            self._run(search, position.state, 1, control.address)

    def _depth(self, position: Position, limit: Limit) -> tuple[int, str]:
        """The depth to search (-1: no limit), and a remark about it."""
        if self.rounds is not None and limit.depth is not None:
            raise HansuError(
                "{name} counts rounds, but a depth limit counts plies", "limit time or nodes instead", name=self.name
            )
        depths = [d for d in (self.depth, self.rounds, limit.depth) if d is not None]
        if depths:
            return min(depths), ""
        if position.game.small or limit.time is not None or limit.nodes is not None:
            return -1, ""
        return position.game.default_depth, Message(" (the game's default)")

    def _deepen(self, position: Position, depth: int, limit: Limit, control: Control) -> tuple[Report, int]:
        """Search to depth 1, 2, ... until the limit. Returns the last completed search with the nodes of all."""
        completed: tuple[Report, int] | None = None
        spent = 0
        reached = 0
        while depth < 0 or reached < depth:
            reached += 1
            left = None if limit.nodes is None else max(limit.nodes - spent, 1)
            report = self.search(position, reached, control, node_limit=left)
            spent += report.nodes
            stopped = control.stopped or (left is not None and report.nodes >= left)
            if stopped and completed is not None:
                break
            completed = report, reached
            control.tell(replace(report, nodes=spent, depth=reached))
            if stopped or report.proved:
                break
        assert completed is not None
        return replace(completed[0], nodes=spent), completed[1]

    def search(
        self, position: Position, depth: int, control: Control, node_limit: int | None = None,
        trace: Trace | None = None,
    ) -> Report:  # fmt: skip
        """One run of the algorithm from this position."""
        s = position.state
        if self.interpreted or trace is not None or needs_object_state(s):
            watch = Watch(control, node_limit)
            watch.trace = trace
            try:
                report = watch.report(self._run(self._algorithm, s, depth, watch))
            except RecursionError:
                raise HansuError(
                    "the game is too long for Python's recursion limit", "set a depth, such as {kind}:depth=4",
                    kind=self.kind,
                ) from None  # fmt: skip
        else:
            control.clear(node_limit)
            value = self._run(compiled(self._algorithm, type(s)), s, depth, control.address)
            report = read_words(control.words, float(value))
        return self._annotated(position, report)

    def _annotated(self, position: Position, report: Report) -> Report:
        """The report with what this algorithm knows about the values, such as bounds."""
        return report

    def _value_text(self, position: Position, report: Report) -> Message:
        assert report.value is not None
        return value_text(position, report.value)

    def _choice(self, position: Position, report: Report) -> tuple[Action, str]:
        """The action to play, and its text for the explanation."""
        text = position.move_text
        if not report.moves:  # stopped before the first move was searched
            return position.actions[0], no_time(position, position.actions[0])
        # In expectimax the others choose at random in the tree; at the root the mover takes the lowest value.
        value = report.value if report.line else min(m.value for m in report.moves if m.value is not None)
        best = [m.action for m in report.moves if m.value == value]
        if self.seed is not None and len(best) > 1:
            action = random.Random(self.seed * 1_000_003 + len(position.history)).choice(best)
            return action, Message("{move}, one of {count} equally good moves,", move=text(action), count=len(best))
        action = report.line[0] if report.line else best[0]
        return action, text(action)
