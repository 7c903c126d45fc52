"""The value of every move at a position, deeper and deeper, by any player.

A player that evaluates all moves exactly (minimax, MCTS, a solver) searches the position itself with a growing limit. A
player that prunes (alpha-beta) would report only bounds: it searches the position after each move in turn, one ply
deeper in every round. If it supports several lines, half of the time goes to the best moves, which are searched
together and therefore deeper. A player without depth (a network's policy, a rule) decides once.

A position is proved when all its moves are, or when one of them certainly wins.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hansu.arena.turn import ask
from hansu.core import CHANCE, Action, Decision, HansuError, Limit, MoveValue, Position, Report, Value, probability
from hansu.core.record import thought
from hansu.core.report import EXACT
from hansu.ui.web.task import AnyTask

FIRST_NODES, MOST_NODES = 1_000, 1 << 26
DEEPEST = 1_000
LINES = 3  # best moves that are shown with an expected line
REPORT_EVERY = 0.1  # seconds; building the texts for many moves takes longer than a shallow search


@dataclass
class Analysis:
    """`run` searches until its task is stopped or nothing is left to search, and reports every step."""

    task: AnyTask
    deepest: int | None = None
    finished: bool = False
    result: dict[str, Any] = field(default_factory=dict)  # the latest report
    _nodes: int = 0
    _depth: int = 1
    _known: dict[Action, Report] = field(default_factory=dict)  # of the position after each move
    _best: tuple[MoveValue, ...] = ()  # the best moves, searched together; no other move is better
    _proof: Decision | None = None  # for the best move, if that was proved

    def __post_init__(self) -> None:
        self.position, self.player = self.task.position, self.task.player
        self._began = time.perf_counter()

    def run(self) -> Analysis:
        own = self.player.own_limit
        self._deepest = min(d for d in (self.deepest, own.depth, DEEPEST) if d is not None)
        if "depth" not in self.player.heeds and "nodes" in self.player.heeds:
            self._by_nodes(min(own.nodes or MOST_NODES, MOST_NODES))
            return self
        decision = self._ask(self.position, Limit(depth=1))
        if decision is None:
            return self
        self._keep(decision)
        report, deeper = decision.report, "depth" in self.player.heeds
        if report.value is None or (report.moves and not deeper) or (report.proved and self._has_all_values(report)):
            self._finish(decision, Limit(depth=1))
        elif self.player.judges_all:
            self._by_depth()
        else:
            self._deepest = self._deepest if deeper else 2
            self._trust(decision)
            self._move_by_move()
        return self

    def _finish(self, decision: Decision, limit: Limit) -> None:
        """A deeper search would add nothing. A proof has a line for the best move only: search the positions after
        other good moves for their lines, within a limit."""
        self.finished = True
        report, lines = decision.report, {decision.action: decision.report.line}
        if not report.proved:
            return
        for move in report.best_first(self.position.team)[:LINES]:
            after = self.position.play(move.action)
            if move.action in lines or move.line or after.over or after.mover == CHANCE:
                continue
            reply = self._ask(after, limit)
            if reply is None:
                break
            if reply.report.proved:
                lines[move.action] = (move.action, *reply.report.line)
        moves = tuple(replace(move, line=lines.get(move.action, move.line)) for move in report.moves)
        self._report(replace(decision, report=replace(report, moves=moves)))

    def _has_all_values(self, report: Report) -> bool:
        exact = [move for move in report.moves if move.value is not None and move.value.bound == EXACT]
        return self.player.judges_all or len(exact) == len(self.position.actions)

    def _trust(self, decision: Decision) -> None:
        """A proof for the position is a proof for the chosen move, too."""
        value = decision.report.value
        if value is not None and value.proved:
            after = Value(value, proved=True, plies=None if value.plies is None else max(value.plies - 1, 0))
            self._proof = decision
            self._known[decision.action] = Report(value=after, line=decision.report.line[1:])

    def _ask(self, position: Position, limit: Limit, lines: int = 1) -> Decision | None:
        """A decision that was not interrupted. (Without any other result, an interrupted one is reported.)"""
        if self.task.stopped:
            return None
        decision = ask(self.player, position, limit, self.task.control(lines))
        if not self.task.stopped:
            return decision
        if position is self.position and not self.result:
            self._keep(decision)
        return None

    def _keep(self, decision: Decision) -> None:
        self._nodes += decision.report.nodes
        self._report(decision)

    def _report(self, decision: Decision) -> None:
        seconds = time.perf_counter() - self._began
        report = replace(decision.report, nodes=self._nodes, seconds=seconds)
        self.result = thought(self.position, replace(decision, report=report))
        self.task.report(self.result)

    def _by_nodes(self, most: int) -> None:
        nodes = min(FIRST_NODES, most)
        while True:
            decision = self._ask(self.position, Limit(nodes=nodes))
            if decision is None:
                return
            self._keep(decision)
            if decision.report.proved or nodes >= most:
                self._finish(decision, Limit(nodes=most))
                return
            nodes = min(2 * nodes, most)

    def _by_depth(self) -> None:
        for depth in range(2, self._deepest + 1):
            decision = self._ask(self.position, Limit(depth=depth))
            if decision is None:
                return
            self._keep(decision)
            if decision.report.proved:
                self._finish(decision, Limit(depth=depth))
                return
        self.finished = True

    def _move_by_move(self) -> None:
        """Alternate between all moves one by one and, if supported, the best moves together, with equal time."""
        work = [self._rounds()]
        if self.player.tells_lines:
            work.append(self._best_together())
        spent, reported_at = [0.0] * len(work), 0.0
        while work and not self.task.stopped:
            began = time.perf_counter()
            at = spent.index(min(spent))
            if next(work[at], None) is None:
                del work[at], spent[at]
            else:
                spent[at] += time.perf_counter() - began
            if (self._best or self._known) and time.perf_counter() > reported_at + REPORT_EVERY:
                self._report(self._decision())
                reported_at = time.perf_counter()
        if self._best or self._known:
            self._report(self._decision())
        self.finished = not self.task.stopped

    def _rounds(self) -> Iterator[Report]:
        """The position after each move, one ply deeper in each round."""
        order = list(self.position.actions)
        for depth in range(2, self._deepest + 1):
            self._depth = max(depth, self._depth)
            for action in order:
                known = self._known.get(action)
                if known is not None and known.proved:
                    continue
                report = self._evaluate(self.position.play(action), depth - 1)
                if report is None:
                    return
                self._known[action] = report
                self._nodes += report.nodes
                yield report
            if all(report.proved for report in self._known.values()):
                return
            order = [move.action for move in self._decision().report.best_first(self.position.team)]
            order += [action for action in self.position.actions if action not in order]

    def _best_together(self) -> Iterator[Report]:
        """The best moves with their lines, one ply deeper each time, until the best move is proved."""
        for depth in range(2, self._deepest + 1):
            decision = self._ask(self.position, Limit(depth=depth), LINES)
            if decision is None:
                return
            report = decision.report
            self._nodes += report.nodes
            self._trust(decision)
            if report.proved:
                self._best = ()  # the proof covers it
                return
            self._best, self._depth = report.moves, max(depth, self._depth)
            yield report

    def _evaluate(self, after: Position, depth: int) -> Report | None:
        """The player's evaluation of a position; the mean over the outcomes if chance moves."""
        if after.over:
            return Report(value=Value(after.score, proved=True, plies=0), nodes=1)
        if after.mover == CHANCE:
            return self._mean(after, depth)
        decision = self._ask(after, Limit(depth=depth))
        return None if decision is None else decision.report

    def _mean(self, after: Position, depth: int) -> Report | None:
        total, proved, nodes = 0.0, True, 0
        for action in after.actions:
            report = self._evaluate(after.play(action), depth)
            if report is None or report.value is None:
                return None
            total += float(probability(after.state, action)) * report.value
            proved, nodes = proved and report.proved, nodes + report.nodes
        return Report(value=Value(total, proved=proved), nodes=nodes)

    def _moves(self) -> tuple[MoveValue, ...]:
        """The current values of all moves; moves that were searched one by one may be some plies behind."""
        best = tuple(move for move in self._best if not self._proved(move.action))
        together, team = {move.action for move in best}, self.position.team
        ceiling = best[-1].value if best else None
        others = []
        for action, report in self._known.items():
            value = report.value
            if action in together or value is None or value != value:
                continue
            value = Value(value, proved=value.proved, plies=_one_more(value.plies))
            if ceiling is not None and not value.proved:
                value = min(value, ceiling, key=lambda value: value.order(team))
            others.append(MoveValue(action=action, value=value, line=(action, *report.line)))
        return (*best, *others)

    def _proved(self, action: Action) -> bool:
        return action in self._known and self._known[action].proved

    def _decision(self) -> Decision:
        """The result so far."""
        position, moves, depth = self.position, self._moves(), self._depth
        if not moves:
            raise HansuError("{name} reports no values", "analyse with another player", name=self.player.name)
        report = Report(moves=moves, depth=depth)
        sure = self._sure(report)
        best = replace(report, moves=sure or moves).best_first(position.team)[0]
        assert best.value is not None
        value = Value(best.value, proved=bool(sure), plies=best.value.plies)
        line = best.line
        if self._proof is not None and self._proof.action == best.action:  # the rest of the proof's report still holds
            whole = replace(self._proof.report, moves=moves, depth=depth, value=value, line=line)
            return replace(self._proof, report=whole)
        # Without an explanation: the page describes the value in the game's unit.
        return Decision(action=best.action, report=replace(report, value=value, line=line))

    def _sure(self, report: Report) -> tuple[MoveValue, ...]:
        """The moves among which the best move certainly is; empty as long as nothing is proved."""
        position = self.position
        proved = tuple(move for move in report.moves if move.value is not None and move.value.proved)
        if len(proved) == len(position.actions):
            return proved
        most = position.game.score_range  # no value is higher, whatever the other moves are
        won = tuple(move for move in proved if move.value is not None and move.value.to(position.team) >= most)
        return won or tuple(move for move in proved if self._proof and move.action == self._proof.action)


def _one_more(plies: int | None) -> int | None:
    return None if plies is None else plies + 1
