"""Every move's value at a position, deeper and deeper, by any player.

A player that judges all moves exactly (minimax, MCTS, a solver) is asked about the position itself, with a growing
limit. One that skips what cannot matter (alpha-beta) would only tell bounds: it is asked about each move's position
in turn, one ply deeper every round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hansu.core import CHANCE, Action, Decision, HansuError, Limit, Player, Position, probability
from hansu.core.player import MoveValue
from hansu.search.players import value_text
from hansu.ui.web.findings import Judged, chance_of, finite, number_of, of_decision, rated, speed
from hansu.ui.web.messages import Findings
from hansu.ui.web.words import words
from hansu.ui.web.workers import Search

FIRST_NODES, MOST_NODES = 1_000, 1 << 26
DEEPEST = 1_000
SAID_EVERY = 0.1  # seconds; making the words for many moves takes longer than shallow looks do


@dataclass(frozen=True)
class Opinion:
    """What one look at one move found."""

    value: float | None
    proved: bool
    nodes: int
    line: tuple[Action, ...] = ()


@dataclass
class Analysis:
    """`run` looks until it is stopped or has nothing more to learn; `tell` hears of every step."""

    position: Position
    player: Player
    search: Search[Any]
    tell: Callable[[Findings], None]
    deepest: int | None = None
    finished: bool = False
    found: Findings = field(default_factory=Findings)
    _nodes: int = 0
    _opinions: dict[Action, Opinion] = field(default_factory=dict)

    def run(self) -> Analysis:
        self._began = time.perf_counter()
        own = getattr(self.player, "depth", None)
        self._deepest = min(d for d in (self.deepest, own, DEEPEST) if d is not None)
        # A limit of depth means nothing to playouts, and another thing to a player that counts rounds.
        if hasattr(self.player, "simulations") or getattr(self.player, "rounds", None) is not None:
            self._by_nodes()
            return self
        decision = self._ask(self.position, Limit(depth=1))
        if decision is None:
            return self
        self._keep(decision)
        exact = {move.action for move in decision.moves if not move.bound}
        if decision.value is None or decision.proved:
            self.finished = True
        elif exact == set(self.position.actions):
            self._by_depth()
        else:
            self._move_by_move()
        return self

    def _ask(self, position: Position, limit: Limit) -> Decision | None:
        """A decision that was not cut short. (Where nothing else is known, one that was is better than nothing.)"""
        if self.search.stopped:
            return None
        decision = self.player.decide(position, limit, self.search.control())
        if not self.search.stopped:
            return decision
        if position is self.position and self.found.move is None:
            self._keep(decision)
        return None

    def _keep(self, decision: Decision) -> None:
        self._nodes += decision.nodes
        known = of_decision(self.position, decision)
        seconds = time.perf_counter() - self._began
        self._say(known.model_copy(update=self._counted(seconds)))

    def _counted(self, seconds: float) -> dict[str, object]:
        return {"nodes": self._nodes, "seconds": round(seconds, 2), "speed": speed(self._nodes, seconds)}

    def _say(self, found: Findings) -> None:
        self.found = found
        self.tell(found)

    def _by_nodes(self) -> None:
        nodes = FIRST_NODES
        while nodes <= MOST_NODES:
            decision = self._ask(self.position, Limit(nodes=nodes))
            if decision is None:
                return
            self._keep(decision)
            if decision.proved:
                break
            nodes *= 2
        self.finished = True

    def _by_depth(self) -> None:
        for depth in range(2, self._deepest + 1):
            decision = self._ask(self.position, Limit(depth=depth))
            if decision is None:
                return
            self._keep(decision)
            if decision.proved:
                break
        self.finished = True

    def _move_by_move(self) -> None:
        order, said_at = list(self.position.actions), 0.0
        sign = 1 if self.position.team == 0 else -1
        for depth in range(2, self._deepest + 1):
            for action in order:
                known = self._opinions.get(action)
                if known is not None and known.proved:
                    continue
                opinion = self._opinion(self.position.play(action), depth - 1)
                if opinion is None:
                    if self._opinions:
                        self._say(self._findings(depth))
                    return
                self._opinions[action] = opinion
                self._nodes += opinion.nodes
                if time.perf_counter() > said_at + SAID_EVERY:
                    self._say(self._findings(depth))
                    said_at = time.perf_counter()
            self._say(self._findings(depth))
            if all(opinion.proved for opinion in self._opinions.values()):
                break
            order.sort(key=lambda a: sign * (self._opinions[a].value or 0.0), reverse=True)
        self.finished = True

    def _opinion(self, after: Position, depth: int) -> Opinion | None:
        """What a position is worth to this player; where chance moves, the mean over what may come."""
        if after.over:
            return Opinion(after.score, True, 1)
        if after.mover == CHANCE:
            return self._mean(after, depth)
        decision = self._ask(after, Limit(depth=depth))
        if decision is None:
            return None
        return Opinion(finite(decision.value), decision.proved, decision.nodes, decision.line)

    def _mean(self, after: Position, depth: int) -> Opinion | None:
        total, proved, nodes = 0.0, True, 0
        for action in after.actions:
            opinion = self._opinion(after.play(action), depth)
            if opinion is None or opinion.value is None:
                return None
            total += float(probability(after.state, action)) * opinion.value
            proved, nodes = proved and opinion.proved, nodes + opinion.nodes
        return Opinion(total, proved, nodes)

    def _findings(self, depth: int) -> Findings:
        """All moves as they stand; some may still be a ply behind."""
        position = self.position
        sign = 1 if position.team == 0 else -1
        known = {action: opinion for action, opinion in self._opinions.items() if opinion.value is not None}
        if not known:
            raise HansuError(f"{self.player.name} gives no values", "analyse with another player")
        best = max(known, key=lambda action: sign * (known[action].value or 0.0))
        value = known[best].value
        assert value is not None
        proved = len(known) == len(position.actions) and all(opinion.proved for opinion in known.values())
        moves = rated(position, [Judged(MoveValue(a, o.value), o.proved) for a, o in known.items()], best)
        line = (best, *known[best].line)
        return Findings(
            move=position.move_text(best), action=number_of(position, best), value=value,
            chance=chance_of(position, value), proved=proved, why=words(value_text(position, value, proved)),
            line=position.line_text(line), depth=depth, moves=moves,
            **self._counted(time.perf_counter() - self._began),  # type: ignore[arg-type]
        )  # fmt: skip
