"""The players that only make sense here: `engine`, and `uai` for an outside engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Player, Position, option, popcount
from hansu.games.ataxx.engine import Report, Searcher
from hansu.games.ataxx.evaluation import SCALE
from hansu.games.ataxx.rules import FULL, PASS, SQUARES, Ataxx, moved, reach, spread
from hansu.protocols.uai_driver import Driver

DEFAULT_SECONDS = 1.0
HOLE_SIDES = 3  # so many pieces of ours around an empty square make a hole


@dataclass
class Engine(Player):
    """Principal variation search with a learned evaluation."""

    kind: ClassVar[str] = "engine"
    about: ClassVar[str] = "searches some million positions a second with a learned evaluation; 1 s a move by default"
    evaluation: str = option("learned", "what it thinks of a position", choices=("learned", "handmade"))
    depth: int | None = option(None, "plies to look ahead at most", low=1, high=60)
    hash: int = option(16, "megabytes of its table", low=1, high=4096)

    def __post_init__(self) -> None:
        self._searcher: Searcher | None = None

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

        def tell(report: Report) -> None:
            control.report(report.depth, report.nodes, value_of(position.mover, report), report.line)

        found = self.searcher.search(position.state, bounds, control, tell)
        return Decision(
            found.action, value_of(position.mover, found), why(position, found), found.line, nodes=found.nodes,
            depth=found.depth, seconds=found.seconds, proved=found.proved,
        )  # fmt: skip


def value_of(mover: int, report: Report) -> float:
    """The expected result for x, by the meaning that training gave to a score: twice the chance to win, less one."""
    value = math.tanh(report.score / (2 * SCALE)) if report.plies_to_end is None else math.copysign(1, report.score)
    return -value if mover else value


def why(position: Position, report: Report) -> str:
    move = position.move_text(report.action)
    plies = report.plies_to_end
    if plies is not None:
        judgement = f"wins in {plies} plies" if plies > 0 else f"loses in {-plies} plies"
    elif report.depth:
        judgement = f"worth {report.score / 100:+.1f} pieces to {'xo'[position.mover]} {report.depth} plies deep"
    else:
        judgement = "the first move; there was no time"
    return f"{move} {deed(position.state, report.action)}: {judgement}"


def deed(s: Ataxx, action: int) -> str:
    """What a move does, in words. A hole is an empty square that the enemy can enter next, between three or more of
    the mover's pieces."""
    if action == PASS:
        return "passes, since no piece can move"
    mine, theirs = moved(s.mine, s.theirs, action)
    turned = popcount(s.theirs) - popcount(theirs)
    holes = 0
    entries = FULL & ~(mine | theirs | s.gaps) & reach(theirs)
    for square in range(SQUARES):
        if entries >> square & 1 and popcount(spread(1 << square) & mine) >= HOLE_SIDES:
            holes += 1
    what = "clones" if action < SQUARES else "jumps"
    return f"{what}, turns {turned}, leaves {holes or 'no'} hole{'' if holes == 1 else 's'}"


@dataclass
class Uai(Driver):
    """Any engine that speaks UAI."""

    kind: ClassVar[str] = "uai"
    about: ClassVar[str] = "an outside engine that speaks UAI: uai:cmd=path/to/engine"
