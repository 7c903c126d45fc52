"""The players that only make sense here: `engine`, and `uai` for an outside engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Phrase, Player, Position, Report, Value, option, popcount
from hansu.games.ataxx.engine import Report as Found
from hansu.games.ataxx.engine import Searcher
from hansu.games.ataxx.evaluation import SCALE
from hansu.games.ataxx.rules import FULL, PASS, SQUARES, Ataxx, moved, reach, spread
from hansu.protocols.uai_driver import Driver

DEFAULT_SECONDS = 1.0
HOLE_SIDES = 3  # so many pieces of ours around an empty square make a hole


@dataclass
class Engine(Player):
    """Principal variation search with a learned evaluation."""

    kind: ClassVar[str] = "engine"
    about: ClassVar[str] = Phrase(
        "searches some million positions a second with a learned evaluation; 1 s a move by default"
    )
    evaluation: str = option("learned", Phrase("what it thinks of a position"), choices=("learned", "handmade"))
    depth: int | None = option(None, Phrase("plies to look ahead at most"), low=1, high=60)
    hash: int = option(16, Phrase("megabytes of its table"), low=1, high=4096, bytes_each=1 << 20)

    def __post_init__(self) -> None:
        self._searcher: Searcher | None = None

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    @property
    def searcher(self) -> Searcher:
        if self._searcher is None:
            self._searcher = Searcher(self.evaluation == "learned", self.hash)
        return self._searcher

    def new_game(self) -> None:
        if self._searcher is not None:
            self._searcher.new_game()

    def close(self) -> None:
        self._searcher = None

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        self.searcher.prepare()
        depths = [d for d in (limit.depth, self.depth) if d is not None]
        seconds = limit.time
        if not depths and limit.nodes is None and seconds is None:
            seconds = DEFAULT_SECONDS
        bounds = Limit(min(depths, default=None), limit.nodes, seconds)

        def tell(found: Found) -> None:
            control.tell(report_of(position.team, found))

        found = self.searcher.search(position.state, bounds, control, tell)
        return Decision(action=found.action, why=why(position, found), report=report_of(position.team, found))


def report_of(team: int, found: Found) -> Report:
    """The value is the expected result, by the meaning that training gave to a score: twice the chance to win, less
    one."""
    plies = found.plies_to_end
    number = math.tanh(found.score / (2 * SCALE)) if plies is None else math.copysign(1, plies)
    value = Value.seen_from(team, number, proved=found.proved, plies=None if plies is None else abs(plies))
    return Report(
        value=value, line=found.line, depth=found.depth, seldepth=found.seldepth, nodes=found.nodes,
        seconds=found.seconds,
    )  # fmt: skip


def why(position: Position, report: Found) -> Phrase:
    move = position.move_text(report.action)
    plies = report.plies_to_end
    if plies is not None and plies > 0:
        judgement = Phrase("wins in {plies} plies", plies=plies)
    elif plies is not None:
        judgement = Phrase("loses in {plies} plies", plies=-plies)
    elif report.depth:
        pieces, seat = f"{report.score / 100:+.1f}", "xo"[position.mover]
        judgement = Phrase(
            "worth {pieces} pieces to {seat} {depth} plies deep", pieces=pieces, seat=seat, depth=report.depth
        )
    else:
        judgement = Phrase("the first move; there was no time")
    what = deed(position.state, report.action)
    return Phrase("{move} {what}: {judgement}", move=move, what=what, judgement=judgement)


def deed(s: Ataxx, action: int) -> Phrase:
    """What a move does, in words. A hole is an empty square that the enemy can enter next, between three or more of
    the mover's pieces."""
    if action == PASS:
        return Phrase("passes, since no piece can move")
    mine, theirs = moved(s.mine, s.theirs, action)
    turned = popcount(s.theirs) - popcount(theirs)
    holes = 0
    entries = FULL & ~(mine | theirs | s.gaps) & reach(theirs)
    for square in range(SQUARES):
        if entries >> square & 1 and popcount(spread(1 << square) & mine) >= HOLE_SIDES:
            holes += 1
    what = Phrase("clones") if action < SQUARES else Phrase("jumps")
    if holes == 0:
        return Phrase("{what}, turns {turned}, leaves no holes", what=what, turned=turned)
    if holes == 1:
        return Phrase("{what}, turns {turned}, leaves 1 hole", what=what, turned=turned)
    return Phrase("{what}, turns {turned}, leaves {holes} holes", what=what, turned=turned, holes=holes)


@dataclass
class Uai(Driver):
    """Any engine that speaks UAI."""

    kind: ClassVar[str] = "uai"
    about: ClassVar[str] = Phrase("an outside engine that speaks UAI: uai:cmd=path/to/engine")
