"""The players that only make sense here: `engine`, `alphazero`, and `uai` for an outside engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core import Control, Game, HansuError, Limit, Message, Position, Report, option, popcount
from hansu.core.player import preset
from hansu.games.ataxx.engine.evaluation import read_weights
from hansu.games.ataxx.engine.searcher import AtaxxSearcher
from hansu.games.ataxx.rules import FULL, PASS, SQUARES, Ataxx, moved, reach, spread
from hansu.games.ataxx.uai.driver import UaiDriver
from hansu.search.engine import PvsPlayer
from hansu.search.network import Network, shipped
from hansu.search.players import Puct
from hansu.search.players.explanations import value_text

HOLE_SIDES = 3  # so many pieces of ours around an empty square make a hole


@dataclass
class AtaxxEnginePlayer(PvsPlayer[AtaxxSearcher]):
    """Principal variation search with a learned evaluation."""

    compile_seconds: ClassVar[float] = 6.0
    about: ClassVar[str] = Message(
        "searches some million positions a second with a learned evaluation; 1 s a move by default"
    )
    evaluation: str = option(
        "learned",
        Message("what it thinks of a position"),
        title=Message("evaluation"),
        choices=("learned", "handmade"),
        choice_titles=(Message("learned"), Message("by hand")),
    )
    hash: int = option(
        16, Message("megabytes of its table"), title=Message("memory (MB)"), low=1, high=4096, bytes_each=1 << 20
    )

    def new_searcher(self, position: Position) -> AtaxxSearcher:
        return self.set_up(AtaxxSearcher(self.evaluation == "learned" and (self.network_file or True), self.hash))

    def find_files(self, position: Position) -> None:
        if self.network_file is None:
            return
        if self.evaluation == "handmade":
            raise HansuError(
                "evaluation=handmade asks no network, and {path} was given",
                "leave one of them out",
                path=self.network_file,
            )
        read_weights(self.network_file)

    def think(self, searcher: AtaxxSearcher, position: Position, limit: Limit, control: Control) -> Report:
        return searcher.search(position.state, limit, control, control.tell)

    def why(self, position: Position, searcher: AtaxxSearcher, report: Report) -> Message:
        action, plies = report.line[0], report.plies
        if report.value is None or not (report.depth or plies):
            judgement = Message("the first move; there was no time")
        elif plies is not None:
            judgement = value_text(position, report.value)
        else:
            judgement = Message(
                "{worth}, {depth} plies deep", worth=value_text(position, report.value), depth=report.depth
            )
        move, what = position.move_text(action), deed(position.state, action)
        return Message("{move} {what}: {judgement}", move=move, what=what, judgement=judgement)


def deed(s: Ataxx, action: int) -> Message:
    """What a move does, in words. A hole is an empty square that the enemy can enter next, between three or more of
    the mover's pieces."""
    if action == PASS:
        return Message("passes, since no piece can move")
    mine, theirs = moved(s.mine, s.theirs, action)
    turned = popcount(s.theirs) - popcount(theirs)
    holes = 0
    entries = FULL & ~(mine | theirs | s.gaps) & reach(theirs)
    for square in range(SQUARES):
        if entries >> square & 1 and popcount(spread(1 << square) & mine) >= HOLE_SIDES:
            holes += 1
    what = Message("clones") if action < SQUARES else Message("jumps")
    if holes == 0:
        return Message("{what}, turns {turned}, leaves no holes", what=what, turned=turned)
    if holes == 1:
        return Message("{what}, turns {turned}, leaves 1 hole", what=what, turned=turned)
    return Message("{what}, turns {turned}, leaves {holes} holes", what=what, turned=turned, holes=holes)


class Counting(Network):
    """A network whose value is half of what it says, half the difference of the pieces, as a share of the board."""

    def __call__(self, batch: Any) -> Any:
        policy, value = super().__call__(batch)
        ahead = (batch[:, 0] - batch[:, 1]).sum((1, 2)) / SQUARES
        mean = (value[:, 0] - value[:, 2] + ahead) / 2
        decided = 1.0 - value[:, 1]
        value[:, 0], value[:, 2] = (decided + mean) / 2, (decided - mean) / 2
        return policy, value


@dataclass
class AtaxxAlphaZero(Puct):
    """The original's player: its own network, tree search as in AlphaZero."""

    kind: ClassVar[str] = "alphazero"
    title: ClassVar[str] = Message("AlphaZero")
    about: ClassVar[str] = Message("the original's player: a small network of its own, tree search as in AlphaZero")
    network: str = preset(Puct, "network", "alphazero")
    pieces: bool = option(
        False,
        Message("judge by the mean of the network's word and the pieces, as for its contest"),
        title=Message("count pieces too"),
    )

    @property
    def network_class(self) -> type[Network]:
        return Counting if self.pieces else Network

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game, "alphazero") is not None


@dataclass
class Uai(UaiDriver):
    """Any engine that speaks UAI."""

    kind: ClassVar[str] = "uai"
    title: ClassVar[str] = Message("UAI engine")
    about: ClassVar[str] = Message("an outside engine that speaks UAI: uai:cmd=path/to/engine")
