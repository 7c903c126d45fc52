"""The players that only make sense here: the course's `rule` and `parity`, and `engine`.

`engine` knows everything that hansu knows of the game:

1.  It searches (see `engine.py`). A proved win is played.
2.  Where no win is proved and the opponent has so far drawn just what one of the course's players would, the rest of
    the time goes into plans against that player (see `planner`).
3.  Else the proved or the deepest value decides.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Message, Player, Position, Report, Value, option, table
from hansu.core.control import NODE_LIMIT
from hansu.games.triangles.board import Drawing, Net, drawing_of
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
from hansu.search.engine import EnginePlayer
from hansu.search.players.explanations import value_text

SMALL, SMALL_SHARE = 16, 0.9  # with so few moves left the end can be proved (0.07 s at 13, 0.4 s at 16): that first
SEARCH_SHARE = 0.35  # of the time or nodes, where a plan is looked for as well ...
EARLY_SHARE = 0.1  # ... and where the end is out of reach
EVIDENCE = 2  # foreseen moves of the opponent before a plan is preferred to a proved draw


@dataclass
class TrianglesRulePlayer(Player):
    """The course report's player."""

    kind: ClassVar[str] = "rule"
    title: ClassVar[str] = Message("Rules of thumb")
    about: ClassVar[str] = Message("takes triangles, runs for saturation, then looks 6 plies ahead")
    heeds: ClassVar[frozenset[str]] = frozenset()
    careful: ClassVar[bool] = False

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        net, drawing = drawing_of(position.state)
        work = new_work(net)
        triangle_move.precompile(net, drawing, self.careful)
        safe_move.precompile(net, drawing, work)
        look_ahead.precompile(net, drawing, work[3:])
        chain_length.precompile(net, drawing, 0)
        started = time.perf_counter()
        e = int(triangle_move(net, drawing, self.careful))
        if e >= 0:
            why = self._taking(net, drawing, e)
        elif (e := int(safe_move(net, drawing, work))) >= 0:
            kept = int(work[2, 0]) - 1
            if kept == 1:
                why = Message("keeps 1 safe segment, odd")
            elif kept % 2:
                why = Message("keeps {kept} safe segments, odd", kept=kept)
            else:
                why = Message("keeps {kept} safe segments, even", kept=kept)
        else:
            value = look_ahead(net, drawing, work[3:])
            e = int(work[3, CHOSEN])
            why = Message(
                "no segment is safe: {value:+d} in the report's points, {plies} plies ahead", value=value, plies=PLIES
            )
        report = Report(line=(e,), seconds=time.perf_counter() - started)
        return Decision(action=e, why=why, report=report)

    def _taking(self, net: Net, drawing: Drawing, e: int) -> Message:
        gain = drawing.gain[e]
        return Message("takes {gain} triangles", gain=gain) if gain > 1 else Message("takes 1 triangle")


@dataclass
class Parity(TrianglesRulePlayer):
    """`rule` that looks at a gift before it takes it."""

    kind: ClassVar[str] = "parity"
    title: ClassVar[str] = Message("Parity")
    about: ClassVar[str] = Message(
        "rule, but takes a triangle only where that leaves the opponent nothing, or an odd chain"
    )
    careful: ClassVar[bool] = True

    def _taking(self, net: Net, drawing: Drawing, e: int) -> Message:
        length = chain_length(net, drawing, e)
        end = Message("the chain of {length} is odd", length=length)
        if length == 1:
            end = Message("opens none")
        taking = super()._taking(net, drawing, e)
        return Message("{taking}: {end}", taking=taking, end=end)


@dataclass
class TrianglesEnginePlayer(EnginePlayer[TrianglesSearcher]):
    """Everything hansu knows of the game."""

    about: ClassVar[str] = Message("alpha-beta that proves results near the end; plans against players it can foresee")
    compile_seconds: ClassVar[float] = 13.0
    depth: int | None = option(
        None, Message("plies to look ahead at most"), title=Message("look-ahead"), low=1, high=200
    )
    slots: int = option(
        1 << 20,
        Message("positions that its table holds"),
        title=Message("table size"),
        low=2,
        high=1 << 28,
        bytes_each=32,
    )
    opponent_model: str = option(
        "report",
        Message("plan against simple players where the opponent plays like one"),
        title=Message("foresee the opponent"),
        choices=("report", "none"),
        choice_titles=(Message("yes"), Message("no")),
        old="model",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._followed: Plan | None = None  # the plan that the last decision follows

    def needs(self, position: Position) -> object:
        return table(position.state.board)

    def new_searcher(self, position: Position) -> TrianglesSearcher:
        return TrianglesSearcher(table(position.state.board), self.slots)

    def think(self, searcher: TrianglesSearcher, position: Position, limit: Limit, control: Control) -> Report:
        started = time.perf_counter()
        s, planner, words = position.state, searcher.planner, control.words
        control.clear()
        planner.watch(position)
        foreseen, share = {}, 1.0
        if self.opponent_model == "report" and (limit.time or limit.nodes):
            foreseen = planner.foreseen(position)
        if foreseen:
            left = searcher.moves_left(s)
            share = SMALL_SHARE if left <= SMALL else SEARCH_SHARE if left <= END_FROM else EARLY_SHARE
        with control.deadline(limit.time):
            words[NODE_LIMIT] = max(round(limit.nodes * share), 1) if limit.nodes else 0
            with control.phase(limit.time and limit.time * share):
                report = searcher.search(s, limit.depth, control, control.tell)
            words[NODE_LIMIT] = limit.nodes or 0
            value = report.value
            plan = None
            if foreseen and not (report.proved and value is not None and value.to(s.turn) > 0):
                plan = planner.best(position, foreseen, 1 - lead_of(s), control)
            if value is not None and value.proved:
                report = replace(report, line=searcher.best_line(s, value, control) or report.line)
        self._followed = plan if plan is not None and _better(plan, s, report) else None
        if self._followed is not None:  # the value stays that of the search: the plan's is for one opponent only
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
                    "{outcome} if the opponent plays like {model}, as it did so far (the value supposes best play)",
                    outcome=outcome,
                    model=model,
                )
            return Message(
                "{outcome} if the opponent plays like {model} (the value supposes best play)",
                outcome=outcome,
                model=model,
            )
        if report.value is None:
            move = position.move_text(report.line[0])
            return Message("{move} is a likely move; there was no time", move=move)
        if report.proved:
            return value_text(position, report.value)
        return Message("{worth}, {depth} plies deep", worth=value_text(position, report.value), depth=report.depth)


def _better(plan: Plan, s: Triangles, report: Report) -> bool:
    """Is a plan preferred to what the search found?"""
    end = lead_of(s) + plan.gain
    if report.value is not None and report.proved:
        proved_end = report.value.to(s.turn)
        return end > proved_end and (proved_end < 0 or plan.evidence >= EVIDENCE)
    # With the last move in hand right play is likely to win, so only a sure plan is preferred to it.
    return end > 0 or len(plan.line) % 2 == 0


def _outcome(end: float) -> Message:
    """A final lead in words."""
    if end == 0:
        return Message("a draw")
    return Message("wins by {points:g}", points=end) if end > 0 else Message("loses by {points:g}", points=-end)
