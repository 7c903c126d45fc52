"""Watches whether the opponent draws what one of the course's players would, and plans against that player.

A plan that wins is followed for as long as the opponent does as foreseen. `rollouts` looks for plans.
"""

from __future__ import annotations

from typing import NamedTuple

from hansu.core import Control, Position
from hansu.games.triangles.board import Drawing, Net, draw, drawing_of
from hansu.games.triangles.rollouts import NOTHING, new_rollout_memory, run_rollouts
from hansu.games.triangles.rule_moves import rule_move
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import ring


class Plan(NamedTuple):
    """A line that begins with our move in `state`, at ply `at` of the game, and what it gains from there."""

    at: int
    state: Triangles
    line: tuple[int, ...]
    gain: int
    careful: bool  # against which of the two players
    evidence: int = 0  # foreseen moves of the opponent so far


class Planner:
    """For one board. A player is `careful` (`parity`) or not (`rule`)."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self.new_game()

    def new_game(self) -> None:
        self._rollouts = new_rollout_memory(self._net)
        self._plans: dict[bool, Plan] = {}
        self._seen: tuple[int, ...] | None = None  # the history at the last decision
        self._since = 0  # the ply from which on the opponent is watched

    def precompile(self, drawing: Drawing) -> None:
        run_rollouts.precompile(self._net, drawing, False, 0, self._rollouts, Control().address)
        rule_move.precompile(self._net, drawing, False, self._rollouts.work)

    def watch(self, position: Position) -> None:
        """To be told of every position in which we move."""
        if self._seen is None or position.history[: len(self._seen)] != self._seen:
            self._since = len(position.history)  # what was drawn before may be an opening that nobody chose
        self._seen = position.history

    def foreseen(self, position: Position) -> dict[bool, int]:
        """For each player that would have drawn all that the opponent drew since we play: how many moves those are."""
        net, drawing = drawing_of(position.origin.state)
        agreed = {False: 0, True: 0}
        turn = position.origin.mover
        for ply, e in enumerate(position.history):
            if ply >= self._since and turn != position.mover and len(ring(net, drawing)) > 1:
                for careful in list(agreed):
                    agreed[careful] += 1
                    if rule_move(net, drawing, careful, self._rollouts.work) != e:
                        del agreed[careful]
            draw(net, drawing, e)
            turn = 1 - turn
        return agreed

    def best(self, position: Position, foreseen: dict[bool, int], enough: int, control: Control) -> Plan | None:
        """The best plan against a player that fits. The careful one is harder to beat, so a plan that wins against it
        comes first; runs take turns between the players without a plan that gains `enough`."""
        at = len(position.history)
        for careful, plan in list(self._plans.items()):
            past = at - plan.at
            begun = _before(position, past)  # another line may have as many plies, after a take-back
            followed = position.history[plan.at :] == plan.line[:past] and past < len(plan.line)
            if careful not in foreseen or begun is None or begun.state != plan.state or not followed:
                del self._plans[careful]
            else:
                change = position.state.lead - begun.state.lead
                gain = plan.gain - (-change if position.mover else change)
                self._plans[careful] = plan._replace(at=at, state=position.state, line=plan.line[past:], gain=gain)
        net, drawing = drawing_of(position.state)
        rollouts = self._rollouts
        while not control.halted:
            planless = [c for c in foreseen if c not in self._plans or self._plans[c].gain < enough]
            if not planless:
                break
            for careful in planless:
                gain = int(run_rollouts(net, drawing, careful, enough, rollouts, control.address))
                if gain > NOTHING and (careful not in self._plans or gain > self._plans[careful].gain):
                    line = tuple(int(e) for e in rollouts.best[1 : rollouts.best[0] + 1])
                    self._plans[careful] = Plan(at, position.state, line, gain, careful)
        if not self._plans:
            return None
        careful = max(self._plans, key=lambda c: (min(self._plans[c].gain, enough), c))
        return self._plans[careful]._replace(evidence=foreseen[careful])


def _before(position: Position, plies: int) -> Position | None:
    """The position so many plies earlier; None where there is none."""
    before: Position | None = position if plies >= 0 else None
    for _ in range(plies):
        before = before.previous if before is not None else None
    return before
