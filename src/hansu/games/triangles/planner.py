"""Plans against an opponent that plays like one of the course's players.

The planner follows a winning plan while the opponent plays as predicted. `rollouts` searches for plans.
"""

from __future__ import annotations

from typing import NamedTuple

from hansu.core import Control, Position
from hansu.games.triangles.rollouts import NOTHING, new_rollout_memory, run_rollouts
from hansu.games.triangles.rule_moves import rule_move
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import ring
from hansu.games.triangles.search_board import BoardGraph, SearchBoard, draw, search_board_of


class Plan(NamedTuple):
    """A line that starts with our move in `state`, at ply `at` of the game, and its gain."""

    at: int
    state: Triangles
    line: tuple[int, ...]
    gain: int
    careful: bool  # against `parity`, not `rule`
    evidence: int = 0  # correctly predicted moves of the opponent so far


class Planner:
    """Plans for one board. The model of the opponent is `parity` (careful) or `rule` (not careful)."""

    def __init__(self, graph: BoardGraph) -> None:
        self._graph = graph
        self.new_game()

    def new_game(self) -> None:
        """Forget all plans."""
        self._rollouts = new_rollout_memory(self._graph)
        self._plans: dict[bool, Plan] = {}
        self._history: tuple[int, ...] | None = None  # the history at the last decision
        self._since = 0  # the ply from which the opponent's moves count

    def precompile(self, board: SearchBoard) -> None:
        """Compile the kernels before a clock starts."""
        run_rollouts.precompile(self._graph, board, False, 0, self._rollouts, Control().address)
        rule_move.precompile(self._graph, board, False, self._rollouts.work)

    def observe(self, position: Position) -> None:
        """Record a position in which we are to move. Must be called for each of them."""
        if self._history is None or position.history[: len(self._history)] != self._history:
            self._since = len(position.history)  # earlier moves may be a prescribed opening
        self._history = position.history

    def matching_models(self, position: Position) -> dict[bool, int]:
        """The models that predict every move of the opponent since we play, and the number of those moves."""
        graph, board = search_board_of(position.origin.state)
        matches = {False: 0, True: 0}
        turn = position.origin.mover
        for ply, e in enumerate(position.history):
            if ply >= self._since and turn != position.mover and len(ring(graph, board)) > 1:
                for careful in list(matches):
                    matches[careful] += 1
                    if rule_move(graph, board, careful, self._rollouts.work) != e:
                        del matches[careful]
            draw(graph, board, e)
            turn = 1 - turn
        return matches

    def best(self, position: Position, models: dict[bool, int], enough: int, control: Control) -> Plan | None:
        """The best plan against a matching model. Plans against the careful model come first, because it is harder to
        beat. Runs alternate between the models without a plan that gains `enough`."""
        at = len(position.history)
        for careful, plan in list(self._plans.items()):
            past = at - plan.at
            begun = _before(position, past)  # after a take-back, another line may have this many plies
            followed = position.history[plan.at :] == plan.line[:past] and past < len(plan.line)
            if careful not in models or begun is None or begun.state != plan.state or not followed:
                del self._plans[careful]
            else:
                change = position.state.lead - begun.state.lead
                gain = plan.gain - (-change if position.mover else change)
                self._plans[careful] = plan._replace(at=at, state=position.state, line=plan.line[past:], gain=gain)
        graph, board = search_board_of(position.state)
        rollouts = self._rollouts
        while not control.halted:
            without_plan = [c for c in models if c not in self._plans or self._plans[c].gain < enough]
            if not without_plan:
                break
            for careful in without_plan:
                gain = int(run_rollouts(graph, board, careful, enough, rollouts, control.address))
                if gain > NOTHING and (careful not in self._plans or gain > self._plans[careful].gain):
                    line = tuple(int(e) for e in rollouts.best[1 : rollouts.best[0] + 1])
                    self._plans[careful] = Plan(at, position.state, line, gain, careful)
        if not self._plans:
            return None
        careful = max(self._plans, key=lambda c: (min(self._plans[c].gain, enough), c))
        return self._plans[careful]._replace(evidence=models[careful])


def _before(position: Position, plies: int) -> Position | None:
    """The position this many plies earlier; None if there is none."""
    before: Position | None = position if plies >= 0 else None
    for _ in range(plies):
        before = before.previous if before is not None else None
    return before
