"""`puct`: tree search that a network guides."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hansu.core.bits import mix
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.game import Tactic
from hansu.core.generic import CHANCE
from hansu.core.limit import Limit
from hansu.core.player import LIMITS, Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import Report, Value
from hansu.core.said import Said, korean, said
from hansu.search.players.policy import NETWORK_HELP, chosen_network, percent
from hansu.search.players.words import no_time, value_text

if TYPE_CHECKING:
    from hansu.search.guided_search import GuidedSearch

DEFAULT_SIMULATIONS = 400
MOST_SIMULATIONS = 1 << 30


@dataclass
class Puct(Player):
    """PUCT or Gumbel's search with a network, or without."""

    kind: ClassVar[str] = "puct"
    about: ClassVar[str] = said(
        "tree search guided by a network (AlphaZero's way)", "신경망이 이끄는 트리 탐색 (알파제로 방식)"
    )
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    traced_as: ClassVar[str] = "visits"
    network: str = option(
        "",
        said(
            f"{NETWORK_HELP}; none: even priors, a playout or the game's evaluation as value",
            f"{NETWORK_HELP.ko}; none: 모든 수를 똑같이 보고 무작위 대국이나 평가 함수로 판단",
        ),
    )
    simulations: int | None = option(
        None,
        said(
            f"a move at most; {DEFAULT_SIMULATIONS} where nothing else limits it",
            f"한 수의 시뮬레이션 한도, 다른 제한이 없으면 {DEFAULT_SIMULATIONS}",
        ),
        low=1,
        high=MOST_SIMULATIONS,
    )
    algorithm: str = option(
        "puct",
        said(
            "puct: as in AlphaZero; gumbel: better with few simulations, and these are planned ahead",
            "puct: 알파제로처럼; gumbel: 시뮬레이션이 적을 때 낫고, 그 수를 미리 나눕니다",
        ),
        choices=("puct", "gumbel"),
    )
    prune: int = option(
        0,
        said("keep so many of the most probable moves; 0: all", "확률이 높은 수만 남길 개수, 0: 모두"),
        low=0,
        high=10_000,
    )
    overrides: bool = option(
        False, said("ask the game's tactics first, at every position", "어느 국면에서나 게임의 전술을 먼저 묻기")
    )
    leaves: int = option(
        4, said("positions that the network is asked at once", "신경망에 한 번에 물을 국면의 수"), low=1, high=4096
    )
    symmetries: str = option(
        "none",
        said(
            "none; one: the board is turned by chance for each question; all: the mean of every way to turn it",
            "none: 그대로; one: 물을 때마다 판을 무작위로 돌림; all: 돌린 판 모두의 평균",
        ),
        choices=("none", "one", "all"),
    )
    exploration: float = option(
        1.2, said("how much it tries moves that look worse", "나빠 보이는 수를 얼마나 시도할지"), low=0, high=100
    )
    playout_plies: int = option(
        2_000,
        said(
            "without a network: a playout that is longer is judged by the evaluation; 0: the evaluation alone",
            "신경망 없이 둘 때: 이보다 긴 무작위 대국은 평가 함수로 판단, 0: 평가 함수만",
        ),
        low=0,
        high=1 << 30,
    )
    seed: int = option(1, said("makes its draws repeatable", "같은 번호면 같은 무작위"), low=0, high=1 << 62)
    room: int = option(
        1 << 19,
        said("moves that the tree may have", "트리에 담을 수의 개수"),
        low=1_024,
        high=1 << 28,
        bytes_each=40,
    )
    interpreted: bool = option(False, said("run as plain Python", "순수 파이썬으로 실행"))

    def __post_init__(self) -> None:
        self._search: GuidedSearch | None = None

    def new_game(self) -> None:
        if self._search is not None:
            self._search.plant(self._search.position)

    def close(self) -> None:
        self._search = None

    @property
    def own_limit(self) -> Limit:
        return Limit(nodes=self.simulations)

    def search_for(self, position: Position) -> GuidedSearch:
        """The tree for a position: with what is known of it from the moves before, or a new one."""
        if self._search is None or self._search.board != (position.game.spec, position.tables):
            self._search = self._new_search(position)
        else:
            self._search.come_to(position)
        return self._search

    def _new_search(self, position: Position) -> GuidedSearch:
        from hansu.search.guided_search import GuidedSearch
        from hansu.search.trees import Settings

        game = position.game
        network = None if self.network == "none" else chosen_network(self.network, position)
        settings = Settings(
            self.algorithm, exploration=self.exploration, prune=self.prune, symmetries=self.symmetries,
            leaves=1 if network is None else self.leaves,
            outcome="score" if network is None else network.notes.get("outcome", "win"),
        )  # fmt: skip
        if self.overrides and game.tactics is None:
            raise HansuError(said(f"{game.name} has no tactics to ask", f"{game.name}에는 물어볼 전술이 없습니다"))
        return GuidedSearch(
            position, settings, network, room=self.room, seed=mix((self.seed, 0)),
            plies=self.playout_plies, interpreted=self.interpreted,
            tactics=game.tactics() if self.overrides and game.tactics is not None else None,
        )  # fmt: skip

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if position.mover == CHANCE:
            raise HansuError("a chance node has no player to decide for it")
        given = [n for n in (limit.nodes, self.simulations) if n is not None]
        timed = limit.time is not None and self.algorithm == "puct"  # gumbel has to know how many there will be
        simulations = min(given, default=MOST_SIMULATIONS if timed else DEFAULT_SIMULATIONS)
        search = self.search_for(position)
        search.prepare(control)
        started = time.perf_counter()
        tactic = search.tactic(position)
        if tactic is not None:
            return _by_tactic(position, tactic, time.perf_counter() - started)
        with control.deadline(limit.time):
            search.run(simulations, control)
        report = search.report(time.perf_counter() - started)
        if report.value is None:
            action = position.actions[0]
            return Decision(action=action, why=no_time(position, action), report=report)
        return Decision(action=report.line[0], why=_why(position, report), report=report)


def _why(position: Position, report: Report) -> Said:
    assert report.value is not None
    chosen = next(move for move in report.moves if move.action == report.line[0])
    total = sum(move.visits or 0 for move in report.moves)
    move = position.move_text(chosen.action)
    visits = said(f"{chosen.visits:,} of {total:,} visits", f"방문 {total:,}번 가운데 {chosen.visits:,}번")
    thought, worth = _first_thought(position, report), _worth(position, report)
    return said(f"{move}: {visits}; {thought}; {worth}", f"{move}: {visits.ko}, {thought.ko}, {worth.ko}")


def _first_thought(position: Position, report: Report) -> Said:
    if report.chances is None:
        return said("without a network", "신경망 없이")
    first = max(report.moves, key=lambda move: move.prior or 0.0)
    share, move = percent(first.prior or 0.0), position.move_text(first.action)
    if first.action == report.line[0]:
        return said(f"the network's first thought, too ({share})", f"신경망의 첫 생각도 같음 ({share})")
    return said(f"the network's first thought was {move} ({share})", f"신경망의 첫 생각은 {move} ({share})")


def _worth(position: Position, report: Report) -> Said:
    assert report.value is not None
    if report.proved or report.chances is None:
        return value_text(position, report.value)
    win, draw, loss = report.chances
    own = win if position.team == 0 else loss
    if draw < 0.005:
        return said(f"wins {percent(own)}", f"승률 {percent(own)}")
    return said(f"wins {percent(own)}, draws {percent(draw)}", f"승률 {percent(own)}, 무승부 {percent(draw)}")


def _by_tactic(position: Position, tactic: Tactic, seconds: float) -> Decision:
    move = position.move_text(tactic.action)
    value = Value.seen_from(position.team, 1.0) if tactic.wins else None
    return Decision(
        action=tactic.action,
        why=said(f"{move} {tactic.why}", f"{move}: {korean(tactic.why)}"),
        report=Report(value=value, line=(tactic.action,), seconds=seconds),
    )
