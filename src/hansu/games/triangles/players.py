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

from hansu.core import Control, Decision, Limit, Player, Position, Report, Said, Value, option, said, table
from hansu.core.control import NODE_LIMIT
from hansu.games.triangles.drawing import Drawing, Net, drawing_of
from hansu.games.triangles.engine import END_FROM, Searcher, lead_of
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

SEARCH_SHARE = 0.35  # of the time or nodes, where a plan is looked for as well ...
EARLY_SHARE = 0.1  # ... and where the end is out of reach
EVIDENCE = 2  # foreseen moves of the opponent before a plan is preferred to a proved draw


@dataclass
class Rule(Player):
    """The course report's player."""

    kind: ClassVar[str] = "rule"
    about: ClassVar[str] = said(
        "the course report's player: takes triangles, runs for saturation, then looks 6 plies ahead",
        "보고서의 플레이어: 삼각형을 차지하고, 포화까지 달린 뒤 여섯 수를 읽습니다",
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    careful: ClassVar[bool] = False

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        net, drawing = drawing_of(position.state)
        work = new_work(net)
        triangle_move.prepare(net, drawing, self.careful)
        safe_move.prepare(net, drawing, work)
        look_ahead.prepare(net, drawing, work[3:])
        chain_length.prepare(net, drawing, 0)
        started = time.perf_counter()
        e = int(triangle_move(net, drawing, self.careful))
        if e >= 0:
            why = self._taking(net, drawing, e)
        elif (e := int(safe_move(net, drawing, work))) >= 0:
            kept = int(work[2, 0]) - 1
            why = said(
                f"keeps {kept} safe segment{'' if kept == 1 else 's'}, {'odd' if kept % 2 else 'even'}",
                f"안전한 선분 {kept}개를 남깁니다 ({'홀수' if kept % 2 else '짝수'})",
            )
        else:
            value = look_ahead(net, drawing, work[3:])
            e = int(work[3, CHOSEN])
            why = said(
                f"no segment is safe: {value:+d} in the report's points, {PLIES} plies ahead",
                f"안전한 선분이 없습니다: {PLIES}수 앞에서 보고서의 점수로 {value:+d}",
            )
        report = Report(line=(e,), seconds=time.perf_counter() - started)
        return Decision(action=e, why=why, report=report)

    def _taking(self, net: Net, drawing: Drawing, e: int) -> Said:
        gain = drawing.gain[e]
        return said(f"takes {gain} triangle{'s' if gain > 1 else ''}", f"삼각형 {gain}개를 차지합니다")


@dataclass
class Parity(Rule):
    """`rule` that looks at a gift before it takes it."""

    kind: ClassVar[str] = "parity"
    about: ClassVar[str] = said(
        "rule, but takes a triangle only where that leaves the opponent nothing, or an odd chain",
        "rule과 같지만, 상대에게 남는 것이 없거나 홀수 사슬일 때만 삼각형을 차지합니다",
    )
    careful: ClassVar[bool] = True

    def _taking(self, net: Net, drawing: Drawing, e: int) -> Said:
        length = chain_length(net, drawing, e)
        end = said(f"the chain of {length} is odd", f"길이 {length}의 사슬이 홀수입니다")
        if length == 1:
            end = said("opens none", "상대에게 열어 주는 것이 없습니다")
        taking = super()._taking(net, drawing, e)
        return said(f"{taking}: {end}", f"{taking.ko}: {end.ko}")


@dataclass
class Engine(EnginePlayer[Searcher]):
    """Everything hansu knows of the game."""

    about: ClassVar[str] = said(
        "alpha-beta that proves results near the end; plans against players it can foresee",
        "끝내기의 결과를 증명하는 알파-베타, 내다볼 수 있는 상대에게는 계획을 세웁니다",
    )
    depth: int | None = option(None, said("plies to look ahead at most", "최대 몇 수 앞까지 읽을지"), low=1, high=200)
    slots: int = option(
        1 << 20, said("positions that its table holds", "표에 담을 국면의 수"), low=2, high=1 << 28, bytes_each=32
    )
    model: str = option(
        "report",
        said(
            "plan against the report's players where the opponent plays like one",
            "상대가 보고서의 플레이어처럼 두면 그에 맞춰 계획하기",
        ),
        choices=("report", "none"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._followed: Plan | None = None  # the plan that the last decision follows

    def needs(self, position: Position) -> object:
        return table(position.state.board)

    def new_searcher(self, position: Position) -> Searcher:
        return Searcher(table(position.state.board), self.slots)

    def think(self, searcher: Searcher, position: Position, limit: Limit, control: Control) -> Report:
        started = time.perf_counter()
        s, planner, words = position.state, searcher.planner, control.words
        control.clear()
        planner.watch(position)
        foreseen, share = {}, 1.0
        if self.model == "report" and (limit.time or limit.nodes):
            foreseen = planner.foreseen(position)
        if foreseen:
            share = SEARCH_SHARE if searcher.moves_left(s) <= END_FROM else EARLY_SHARE
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

    def why(self, position: Position, searcher: Searcher, report: Report) -> Said:
        plan = self._followed
        if plan is not None:
            model, outcome = Parity.kind if plan.careful else Rule.kind, _outcome(lead_of(position.state) + plan.gain)
            return said(
                f"{outcome} if the opponent plays like {model}{', as it did so far' if plan.evidence else ''}",
                f"상대가 {'지금까지처럼 ' if plan.evidence else ''}{model} 플레이어같이 둔다면 {outcome.ko}",
            )
        if report.value is None:
            move = position.move_text(report.line[0])
            return said(f"{move} is a likely move; there was no time", f"{move}: 시간이 없어 그럴듯한 수를 둡니다")
        end = report.value.to(position.team)
        if report.proved:
            return said(f"proved: {_outcome(end)}", f"증명됨: {_outcome(end).ko}")
        return said(f"{end:+.3g} triangles {report.depth} plies ahead", f"{report.depth}수 앞에서 삼각형 {end:+.3g}개")


def _better(plan: Plan, s: Triangles, report: Report) -> bool:
    """Is a plan preferred to what the search found?"""
    end = lead_of(s) + plan.gain
    if report.value is not None and report.proved:
        proved_end = report.value.to(s.turn)
        return end > proved_end and (proved_end < 0 or plan.evidence >= EVIDENCE)
    # With the last move in hand right play is likely to win, so only a sure plan is preferred to it.
    return end > 0 or len(plan.line) % 2 == 0


def _outcome(end: float) -> Said:
    """A final lead in words."""
    if end == 0:
        return said("a draw", "비깁니다")
    verb = said("wins", "이깁니다") if end > 0 else said("loses", "집니다")
    return said(f"{verb} by {abs(end):g}", f"{abs(end):g}점 차로 {verb.ko}")
