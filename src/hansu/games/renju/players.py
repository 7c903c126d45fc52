"""The players that only make sense here: `rule`, `engine`, and `gomocup` for an outside engine."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Player, Position, Report, Value, option, said
from hansu.games.renju.engine.evaluation import SCALE, handmade
from hansu.games.renju.engine.memory import point_of
from hansu.games.renju.engine.searcher import Report as Found
from hansu.games.renju.engine.searcher import Searcher
from hansu.games.renju.opening_sense import OpeningSense
from hansu.games.renju.state import RULES, colour, rule_of, size_of, step_of
from hansu.games.renju.tactics import REASONS, Tactics, played_stones

DEFAULT_SECONDS = 1.0
NO_POINT = said("no point is legal: pass", "둘 수 있는 곳이 없다: 통과")


@dataclass
class SearcherHolder(Player):
    """A player with a searcher, which is made anew when a game of another rule or size comes."""

    def __post_init__(self) -> None:
        self._searcher: Searcher | None = None

    def megabytes(self) -> int:
        return 1

    def searcher(self, position: Position) -> Searcher:
        rule, size = RULES[rule_of(position.state)], size_of(position.state)
        if self._searcher is None or (self._searcher.rule, self._searcher.size) != (rule, size):
            self._searcher = Searcher(rule, size, self.megabytes())
            self._searcher.prepare()
        return self._searcher

    def new_game(self) -> None:
        if self._searcher is not None:
            self._searcher.new_game()

    def close(self) -> None:
        self._searcher = None


@dataclass
class Rule(SearcherHolder):
    """Tactics first, then the point whose lines are worth most."""

    kind: ClassVar[str] = "rule"
    about: ClassVar[str] = said(
        "plays by rules: fives, fours, 4-3, wins by fours, open threes, then the best lines; no search",
        "규칙으로 둔다: 다섯, 사, 사삼, 연속 사 승리, 열린 삼, 그다음 모양이 가장 좋은 자리; 탐색 없음",
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    seed: int | None = option(
        None, said("a seed: chance decides between equal points", "씨앗: 같은 자리끼리는 우연으로 정한다")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._chance = random.Random(self.seed)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        searcher = self.searcher(position)
        if step_of(position.state):
            return OpeningSense(searcher, limit or Limit(), control or Control()).decide(position)
        tactics = Tactics.of(position, searcher)
        move = position.move_text
        found = tactics.override()
        if found is not None:
            cell, reason = found
            words = REASONS[reason]
            why = said(f"{move(cell)} {words}", f"{move(cell)}: {words.ko}")
            return Decision(action=cell, why=why, report=Report(line=(cell,)))
        line = tactics.win_by_fours(tactics.side, 5_000, control)
        if line:
            texts = " ".join(position.line_text(line))
            why = said(f"{move(line[0])} wins by fours: {texts}", f"{move(line[0])}: 연속 사로 이긴다: {texts}")
            value = Value.seen_from(position.team, 1.0, proved=True, plies=len(line))
            return Decision(action=line[0], why=why, report=Report(value=value, line=line))
        return self._by_lines(position, tactics, searcher)

    def _by_lines(self, position: Position, tactics: Tactics, searcher: Searcher) -> Decision:
        searcher.set_board(tactics.stones)
        _, order = handmade()
        memory, mine = searcher.memory, tactics.side
        worth = {}
        threatened = set(tactics.must_answer())
        allowed = set(tactics.fours(mine)) | self._stops(tactics, searcher, threatened) if threatened else None
        for action in position.actions:
            if action >= searcher.size**2:  # black has no point: a pass
                return Decision(action=action, why=NO_POINT)
            if allowed is not None and action not in allowed:
                continue
            point = point_of(action, searcher.size)
            own, others = memory["shapes"][mine, point], memory["shapes"][1 - mine, point]
            worth[action] = int(order[mine, 0, own] + order[mine, 1, others])
        if not worth:
            worth = dict.fromkeys(position.actions, 0)
        best = max(worth.values())
        equal = [action for action, value in worth.items() if value == best]
        middle = (searcher.size - 1) / 2
        equal.sort(key=lambda c: (c // searcher.size - middle) ** 2 + (c % searcher.size - middle) ** 2)
        cell = equal[0] if self.seed is None else self._chance.choice(equal)
        text = position.move_text(cell)
        if threatened:
            why = said(f"{text} answers the open three", f"{text}: 열린 삼에 응수한다")
        else:
            why = said(f"{text} has the best lines: worth {best}", f"{text}: 모양이 가장 좋다: {best}점")
        return Decision(action=cell, why=why, report=Report(line=(cell,)))

    @staticmethod
    def _stops(tactics: Tactics, searcher: Searcher, threatened: set[int]) -> set[int]:
        """The cells near the threats after which the other has no open four any more."""
        found = set()
        size = searcher.size
        near = {
            (y + d * dy) * size + x + d * dx
            for y, x in (divmod(cell, size) for cell in threatened)
            for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1), (1, -1))
            for d in range(-4, 5)
            if 0 <= y + d * dy < size and 0 <= x + d * dx < size
        }
        taken = {cell for cell, _ in tactics.stones}
        for cell in sorted(near - taken):
            if searcher.legal(cell, tactics.side):
                after = Tactics([*tactics.stones, (cell, tactics.side)], 1 - tactics.side, searcher)
                if not after.open_fours(1 - tactics.side):
                    found.add(cell)
                searcher.set_board(tactics.stones)
        return found


@dataclass
class Engine(SearcherHolder):
    """Principal variation search over threats, with weights learnt by self-play."""

    kind: ClassVar[str] = "engine"
    about: ClassVar[str] = said(
        "searches threats, then some million positions a second with learned weights; 1 s a move by default",
        "위협을 먼저 찾고, 학습한 가중치로 초당 백만 국면 안팎을 탐색한다; 기본은 한 수에 1초",
    )
    depth: int | None = option(None, said("plies to look ahead at most", "최대 탐색 수"), low=1, high=60)
    hash: int = option(
        32, said("megabytes of its table", "표의 크기(메가바이트)"), low=1, high=4096, bytes_each=1 << 20
    )

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def megabytes(self) -> int:
        return self.hash

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        searcher = self.searcher(position)
        if step_of(position.state):
            return OpeningSense(searcher, limit, control).decide(position)
        if position.actions[0] >= searcher.size**2:
            return Decision(action=position.actions[0], why=NO_POINT)
        depths = [d for d in (limit.depth, self.depth) if d is not None]
        seconds = limit.time
        if not depths and limit.nodes is None and seconds is None:
            seconds = DEFAULT_SECONDS
        bounds = Limit(min(depths, default=None), limit.nodes, seconds)

        def tell(found: Found) -> None:
            control.tell(report_of(position, found))

        found = searcher.search(played_stones(position), colour(position.state), bounds, control, tell)
        return Decision(action=found.cell, why=why(position, found), report=report_of(position, found))


def report_of(position: Position, found: Found) -> Report:
    """The value is the expected result, by the meaning that training gave to a score: twice the chance to win, less
    one."""
    plies = found.plies_to_end
    number = math.tanh(found.score / (2 * SCALE)) if plies is None else math.copysign(1, plies)
    value = Value.seen_from(
        position.team, number, proved=plies is not None, plies=None if plies is None else abs(plies)
    )
    return Report(
        value=value, line=found.line, depth=found.depth, seldepth=found.seldepth, nodes=found.nodes,
        seconds=found.seconds,
    )  # fmt: skip


def why(position: Position, report: Found) -> str:
    text = position.move_text(report.cell)
    plies = report.plies_to_end
    line = " ".join(position.line_text(report.line[:15]))
    if plies == 1:
        return said(f"{text} {REASONS['five']}", f"{text}: {REASONS['five'].ko}")
    if report.threats:
        by, by_ko = ("fours", "연속 사로") if report.threats == "fours" else ("fours and threes", "사와 삼의 위협으로")
        return said(f"{text} wins by {by} in {plies} plies: {line}", f"{text}: {by_ko} {plies}수 안에 이긴다: {line}")
    if plies is not None:
        if plies > 0:
            return said(f"{text} wins in {plies} plies: {line}", f"{text}: {plies}수 안에 이긴다: {line}")
        return said(
            f"{text} holds out longest: lost in {-plies} plies: {line}",
            f"{text}: 가장 오래 버틴다: {-plies}수 뒤에 진다: {line}",
        )
    if position.state.placed == 0:
        return said(f"{text}: the middle of an empty board", f"{text}: 빈 판의 한가운데")
    if not report.depth:
        return said(f"{text}: the first move; there was no time", f"{text}: 시간이 없어 첫 수를 둔다")
    chance = 1 / (1 + math.exp(-report.score / SCALE))
    return said(
        f"{text}: {chance:.0%} to win, {report.depth} plies deep: {line}",
        f"{text}: 이길 확률 {chance:.0%}, {report.depth}수 앞까지: {line}",
    )
