"""The players that only make sense here: `engine`, and `uai` for an outside engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Limit, Position, Report, Said, option, popcount, said
from hansu.games.ataxx.engine import Searcher
from hansu.games.ataxx.rules import FULL, PASS, SQUARES, Ataxx, moved, reach, spread
from hansu.protocols.uai_driver import UaiDriver
from hansu.search.engine import EnginePlayer

HOLE_SIDES = 3  # so many pieces of ours around an empty square make a hole


@dataclass
class Engine(EnginePlayer[Searcher]):
    """Principal variation search with a learned evaluation."""

    about: ClassVar[str] = said(
        "searches some million positions a second with a learned evaluation; 1 s a move by default",
        "학습된 평가로 1초에 수백만 국면을 읽습니다, 기본은 한 수에 1초",
    )
    evaluation: str = option(
        "learned", said("what it thinks of a position", "국면을 판단하는 방법"), choices=("learned", "handmade")
    )
    hash: int = option(
        16, said("megabytes of its table", "표의 크기 (메가바이트)"), low=1, high=4096, bytes_each=1 << 20
    )

    def new_searcher(self, position: Position) -> Searcher:
        return Searcher(self.evaluation == "learned", self.hash)

    def think(self, searcher: Searcher, position: Position, limit: Limit, control: Control) -> Report:
        return searcher.search(position.state, limit, control, control.tell)

    def why(self, position: Position, searcher: Searcher, report: Report) -> Said:
        action, plies = report.line[0], report.plies
        score = searcher.score_of(report)
        if plies is not None and score > 0:
            judgement = said(f"wins in {plies} plies", f"{plies}수 안에 이깁니다")
        elif plies is not None:
            judgement = said(f"loses in {plies} plies", f"{plies}수 뒤에 집니다")
        elif report.depth:
            pieces, seat = f"{score / 100:+.1f}", "xo"[position.mover]
            judgement = said(
                f"worth {pieces} pieces to {seat} {report.depth} plies deep",
                f"{report.depth}수 앞에서 {seat} 쪽에 말 {pieces}개의 가치",
            )
        else:
            judgement = said("the first move; there was no time", "시간이 없어 처음 보이는 수를 둡니다")
        move, what = position.move_text(action), deed(position.state, action)
        return said(f"{move} {what}: {judgement}", f"{move}: {what.ko}. {judgement.ko}")


def deed(s: Ataxx, action: int) -> Said:
    """What a move does, in words. A hole is an empty square that the enemy can enter next, between three or more of
    the mover's pieces."""
    if action == PASS:
        return said("passes, since no piece can move", "움직일 수 있는 말이 없어 쉽니다")
    mine, theirs = moved(s.mine, s.theirs, action)
    turned = popcount(s.theirs) - popcount(theirs)
    holes = 0
    entries = FULL & ~(mine | theirs | s.gaps) & reach(theirs)
    for square in range(SQUARES):
        if entries >> square & 1 and popcount(spread(1 << square) & mine) >= HOLE_SIDES:
            holes += 1
    what = said("clones", "복제") if action < SQUARES else said("jumps", "점프")
    return said(
        f"{what}, turns {turned}, leaves {holes or 'no'} hole{'' if holes == 1 else 's'}",
        f"{what.ko}, {turned}개 뒤집음, {f'빈틈 {holes}개를 남김' if holes else '빈틈 없음'}",
    )


@dataclass
class Uai(UaiDriver):
    """Any engine that speaks UAI."""

    kind: ClassVar[str] = "uai"
    about: ClassVar[str] = said(
        "an outside engine that speaks UAI: uai:cmd=path/to/engine", "UAI를 쓰는 외부 엔진: uai:cmd=path/to/engine"
    )
