"""What minimax, expectimax and alpha-beta share as players: depth, deepening under a limit, words for the result."""

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
from hansu.search.object_state import is_foreign
from hansu.search.players.explanations import TO_THE_END, UNTIL_STOPPED, ahead, looked, no_time, value_text
from hansu.search.players.repetition import minding_repetition
from hansu.search.watch import Trace, Watch, read_words


@dataclass
class TreeSearch(Player):
    """Subclass with an algorithm."""

    traced_as: ClassVar[str] = "bounds"

    depth: int | None = option(None, Message("plies to look ahead"), title=Message("look-ahead"), low=1, high=10_000)
    rounds: int | None = option(
        None,
        Message("depth in rounds instead: every agent moves once"),
        title=Message("look-ahead in rounds"),
        low=1,
        high=10_000,
    )
    seed: int | None = option(
        None,
        Message("choose among equally good moves by chance, repeatably"),
        title=Message("seed of chance"),
    )
    interpreted: bool = option(
        False, Message("run as plain Python, as the rules are written (slow)"), title=Message("plain Python")
    )

    def __post_init__(self) -> None:
        if self.depth is not None and self.rounds is not None:
            raise HansuError("{kind}: give depth or rounds, not both", kind=self.kind)
        if self.rounds is not None:
            self.heeds = LIMITS - {"depth"}  # type: ignore[misc]  # a limit of depth counts plies

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
            raise HansuError("a chance node has no player to decide for it")
        depth, why_depth = self._depth(position, limit)
        self.precompile(position, control)
        started = time.perf_counter()
        with control.deadline(limit.time):
            at_once = limit.time is None and limit.nodes is None
            if at_once:
                found, reached = self.search(position, depth, control), depth
            else:
                found, reached = self._deepen(position, depth, limit, control)
        assert found.value is not None
        # Expectimax knows no best line for those who choose by chance, and a halted search proves nothing.
        proved = found.proved and not control.stopped and bool(found.line)
        found = replace(found, value=Value(found.value, proved=proved))
        action, chosen = self._choice(position, found)
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
            why=looked(chosen, how_far, self._worth_text(position, found)),
            report=replace(found, line=found.line or (action,), seconds=seconds),
        )
        return minding_repetition(position, decision)

    def precompile(self, position: Position, control: Control) -> None:
        """Compile before the clock starts."""
        if not (self.interpreted or is_foreign(position.state)):
            search = compiled(self._algorithm, type(position.state)).precompile
            self._run(search, position.state, 1, control.address)

    def _depth(self, position: Position, limit: Limit) -> tuple[int, str]:
        """How deep to look, -1 for no limit, and what to say of it."""
        if self.rounds is not None and limit.depth is not None:
            raise HansuError("{name} counts rounds, the limit plies", "limit it by time or nodes", name=self.name)
        asked = [d for d in (self.depth, self.rounds, limit.depth) if d is not None]
        if asked:
            return min(asked), ""
        if position.game.small or limit.time is not None or limit.nodes is not None:
            return -1, ""
        return position.game.default_depth, Message(" (the game's default)")

    def _deepen(self, position: Position, depth: int, limit: Limit, control: Control) -> tuple[Report, int]:
        """Depth 1, 2, ... until the limit; the last search that was finished counts, and the nodes of all."""
        kept: tuple[Report, int] | None = None
        spent = 0
        reached = 0
        while depth < 0 or reached < depth:
            reached += 1
            left = None if limit.nodes is None else max(limit.nodes - spent, 1)
            found = self.search(position, reached, control, node_limit=left)
            spent += found.nodes
            stopped = control.stopped or (left is not None and found.nodes >= left)
            if stopped and kept is not None:
                break
            kept = found, reached
            control.tell(replace(found, nodes=spent, depth=reached))
            if stopped or found.proved:
                break
        assert kept is not None
        return replace(kept[0], nodes=spent), kept[1]

    def search(
        self, position: Position, depth: int, control: Control, node_limit: int | None = None,
        trace: Trace | None = None,
    ) -> Report:  # fmt: skip
        """One run of the algorithm from this position."""
        s = position.state
        if self.interpreted or trace is not None or is_foreign(s):
            watch = Watch(control, node_limit)
            watch.trace = trace
            try:
                found = watch.report(self._run(self._algorithm, s, depth, watch))
            except RecursionError:
                raise HansuError("the game is too long for Python's stack", f"give {self.kind} a depth") from None
        else:
            control.clear(node_limit)
            value = self._run(compiled(self._algorithm, type(s)), s, depth, control.address)
            found = read_words(control.words, float(value))
        return self._judged(position, found)

    def _judged(self, position: Position, found: Report) -> Report:
        """What the values of the root moves mean in this algorithm."""
        return found

    def _worth_text(self, position: Position, found: Report) -> Message:
        assert found.value is not None
        return value_text(position, found.value)

    def _choice(self, position: Position, found: Report) -> tuple[Action, str]:
        text = position.move_text
        if not found.moves:  # stopped before the first move was judged
            return position.actions[0], no_time(position, position.actions[0])
        # Expectimax gives the others no choice in the tree; at the root the mover has one: the lowest value.
        wanted = found.value if found.line else min(m.value for m in found.moves if m.value is not None)
        best = [m.action for m in found.moves if m.value == wanted]
        if self.seed is not None and len(best) > 1:
            action = random.Random(self.seed * 1_000_003 + len(position.history)).choice(best)
            how_many = len(best)
            return action, Message("{move}, one of {count} equally good moves,", move=text(action), count=how_many)
        action = found.line[0] if found.line else best[0]
        return action, text(action)
