"""The course's players `rule` and `parity`, and `engine`.

`engine` chooses its move as follows:

1.  It searches (see `engine.py`) and plays a proven win.
2.  If no win is proven and the opponent has played exactly like one of the course's players, it spends the rest of the
    time on plans against that player (see `planner`).
3.  Otherwise it plays the best move of the search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Message, Player, Position, Report, Value, option, table
from hansu.core.control import NODE_LIMIT
from hansu.games.triangles.engine import END_FROM, TrianglesSearcher, lead_of
from hansu.games.triangles.planner import Plan
from hansu.games.triangles.rule_moves import (
    CHOSEN,
    PLIES,
    chain_length,
    look_ahead,
    new_work,
    safe_move,
    triangle_move,
)
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search_board import BoardGraph, SearchBoard, search_board_of
from hansu.search.engine import EnginePlayer
from hansu.search.players.explanations import value_text

SMALL, SMALL_SHARE = 16, 0.9  # with so few moves left, the search can prove the end (0.07 s at 13, 0.4 s at 16)
SEARCH_SHARE = 0.35  # share of the time or nodes for the search, if the planner runs too ...
EARLY_SHARE = 0.1  # ... and if the end is out of reach
EVIDENCE = 2  # predicted moves of the opponent before a plan is preferred to a proven draw


@dataclass
class TrianglesRulePlayer(Player):
    """The player of the course report."""

    kind: ClassVar[str] = "rule"
    title: ClassVar[str] = Message("Rules of thumb")
    about: ClassVar[str] = Message("takes triangles, heads for saturation, then searches 6 plies")
    heeds: ClassVar[frozenset[str]] = frozenset()
    careful: ClassVar[bool] = False

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        graph, board = search_board_of(position.state)
        work = new_work(graph)
        triangle_move.precompile(graph, board, self.careful)
        safe_move.precompile(graph, board, work)
        look_ahead.precompile(graph, board, work[3:])
        chain_length.precompile(graph, board, 0)
        started = time.perf_counter()
        e = int(triangle_move(graph, board, self.careful))
        if e >= 0:
            why = self._explain_triangle(graph, board, e)
        elif (e := int(safe_move(graph, board, work))) >= 0:
            count = int(work[2, 0]) - 1
            if count == 1:
                why = Message("leaves 1 safe segment: odd")
            elif count % 2:
                why = Message("leaves {count} safe segments: odd", count=count)
            else:
                why = Message("leaves {count} safe segments: even", count=count)
        else:
            value = look_ahead(graph, board, work[3:])
            e = int(work[3, CHOSEN])
            why = Message(
                "no safe segment: {value:+d} in the report's points, {plies} plies deep", value=value, plies=PLIES
            )
        report = Report(line=(e,), seconds=time.perf_counter() - started)
        return Decision(action=e, why=why, report=report)

    def _explain_triangle(self, graph: BoardGraph, board: SearchBoard, e: int) -> Message:
        gain = board.gain[e]
        return Message("takes {gain} triangles", gain=gain) if gain > 1 else Message("takes 1 triangle")


@dataclass
class Parity(TrianglesRulePlayer):
    """`rule`, but it checks what taking a triangle opens."""

    kind: ClassVar[str] = "parity"
    title: ClassVar[str] = Message("Parity")
    about: ClassVar[str] = Message("as rule, but takes a triangle only if that opens nothing or an odd chain")
    careful: ClassVar[bool] = True

    def _explain_triangle(self, graph: BoardGraph, board: SearchBoard, e: int) -> Message:
        length = chain_length(graph, board, e)
        end = Message("the chain of {length} is odd", length=length)
        if length == 1:
            end = Message("opens nothing")
        triangles = super()._explain_triangle(graph, board, e)
        return Message("{triangles}: {end}", triangles=triangles, end=end)


@dataclass
class TrianglesEnginePlayer(EnginePlayer[TrianglesSearcher]):
    """Search, and plans against simple opponents."""

    about: ClassVar[str] = Message("alpha-beta that proves endings and exploits simple opponents")
    compile_seconds: ClassVar[float] = 13.0
    depth: int | None = option(
        None, Message("plies to look ahead at most"), title=Message("look-ahead"), low=1, high=200
    )
    slots: int = option(
        1 << 20,
        Message("entries of the transposition table"),
        title=Message("table size"),
        low=2,
        high=1 << 28,
        bytes_each=32,
    )
    opponent_model: str = option(
        "report",
        Message("plan against rule or parity while the opponent plays like it"),
        title=Message("opponent model"),
        choices=("report", "none"),
        choice_titles=(Message("yes"), Message("no")),
        old="model",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._followed: Plan | None = None  # the plan of the last decision

    def needs(self, position: Position) -> object:
        return table(position.state.board)

    def new_searcher(self, position: Position) -> TrianglesSearcher:
        return TrianglesSearcher(table(position.state.board), self.slots)

    def think(self, searcher: TrianglesSearcher, position: Position, limit: Limit, control: Control) -> Report:
        started = time.perf_counter()
        s, planner, words = position.state, searcher.planner, control.words
        control.clear()
        planner.observe(position)
        models, share = {}, 1.0
        if self.opponent_model == "report" and (limit.time or limit.nodes):
            models = planner.matching_models(position)
        if models:
            left = searcher.moves_left(s)
            share = SMALL_SHARE if left <= SMALL else SEARCH_SHARE if left <= END_FROM else EARLY_SHARE
        with control.deadline(limit.time):
            words[NODE_LIMIT] = max(round(limit.nodes * share), 1) if limit.nodes else 0
            with control.phase(limit.time and limit.time * share):
                report = searcher.search(s, limit.depth, control, control.tell)
            words[NODE_LIMIT] = limit.nodes or 0
            value = report.value
            plan = None
            if models and not (report.proved and value is not None and value.to(s.turn) > 0):
                plan = planner.best(position, models, 1 - lead_of(s), control)
            if value is not None and value.proved:
                report = replace(report, line=searcher.best_line(s, value, control) or report.line)
        self._followed = plan if plan is not None and _better(plan, s, report) else None
        if self._followed is not None:  # the value remains the search's: the plan's is for one opponent only
            report = replace(report, value=None if value is None else Value(value), line=self._followed.line)
        return replace(report, nodes=control.nodes, seconds=time.perf_counter() - started)

    def why(self, position: Position, searcher: TrianglesSearcher, report: Report) -> Message:
        plan = self._followed
        if plan is not None:
            model, outcome = (
                Parity.kind if plan.careful else TrianglesRulePlayer.kind,
                _outcome(lead_of(position.state) + plan.gain),
            )
            if plan.evidence:
                return Message(
                    "{outcome} if the opponent plays like {model}, as it did so far (the value assumes best play)",
                    outcome=outcome,
                    model=model,
                )
            return Message(
                "{outcome} if the opponent plays like {model} (the value assumes best play)",
                outcome=outcome,
                model=model,
            )
        if report.value is None:
            move = position.move_text(report.line[0])
            return Message("{move} is the most promising move (no time to search)", move=move)
        if report.proved:
            return value_text(position, report.value)
        return Message("{value}, {depth} plies deep", value=value_text(position, report.value), depth=report.depth)


def _better(plan: Plan, s: Triangles, report: Report) -> bool:
    """Is a plan better than the result of the search?"""
    end = lead_of(s) + plan.gain
    if report.value is not None and report.proved:
        proved_end = report.value.to(s.turn)
        return end > proved_end and (proved_end < 0 or plan.evidence >= EVIDENCE)
    # The side with the last move usually wins with best play, so only a winning plan is better then.
    return end > 0 or len(plan.line) % 2 == 0


def _outcome(end: float) -> Message:
    """A final lead in words."""
    if end == 0:
        return Message("a draw")
    return Message("wins by {points:g}", points=end) if end > 0 else Message("loses by {points:g}", points=-end)
