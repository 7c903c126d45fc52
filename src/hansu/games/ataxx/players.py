"""The players `engine`, `alphazero` and `uai` (an external engine)."""

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

HOLE_SIDES = 3  # own pieces around an empty square that make it a hole


@dataclass
class AtaxxEnginePlayer(PvsPlayer[AtaxxSearcher]):
    """Principal variation search with a learned evaluation."""

    compile_seconds: ClassVar[float] = 6.0
    about: ClassVar[str] = Message(
        "principal variation search with a learned evaluation, millions of positions a second; default limit 1 s a move"
    )
    evaluation: str = option(
        "learned",
        Message("static evaluation of a position"),
        title=Message("evaluation"),
        choices=("learned", "handmade"),
        choice_titles=(Message("learned"), Message("hand-made")),
    )
    hash: int = option(
        16,
        Message("transposition table size in MB"),
        title=Message("memory (MB)"),
        low=1,
        high=4096,
        bytes_each=1 << 20,
    )

    def new_searcher(self, position: Position) -> AtaxxSearcher:
        return self.set_up(AtaxxSearcher(self.evaluation == "learned" and (self.network_file or True), self.hash))

    def find_files(self, position: Position) -> None:
        if self.network_file is None:
            return
        if self.evaluation == "handmade":
            raise HansuError(
                "evaluation=handmade uses no network, but {path} is given",
                "remove one of the two options",
                path=self.network_file,
            )
        read_weights(self.network_file)

    def think(self, searcher: AtaxxSearcher, position: Position, limit: Limit, control: Control) -> Report:
        return searcher.search(position.state, limit, control, control.tell)

    def why(self, position: Position, searcher: AtaxxSearcher, report: Report) -> Message:
        action, plies = report.line[0], report.plies
        if report.value is None or not (report.depth or plies):
            judgement = Message("first legal move (no time to search)")
        elif plies is not None:
            judgement = value_text(position, report.value)
        else:
            value = value_text(position, report.value)
            judgement = Message("{value}, {depth} plies deep", value=value, depth=report.depth)
        move, effect = position.move_text(action), effect_text(position.state, action)
        return Message("{move} {effect}: {judgement}", move=move, effect=effect, judgement=judgement)


def effect_text(s: Ataxx, action: int) -> Message:
    """What a move does, in words. A hole is an empty square that the enemy can enter next and that has three or more of
    the mover's pieces around it."""
    if action == PASS:
        return Message("passes: no piece can move")
    mine, theirs = moved(s.mine, s.theirs, action)
    turned = popcount(s.theirs) - popcount(theirs)
    holes = 0
    entries = FULL & ~(mine | theirs | s.gaps) & reach(theirs)
    for square in range(SQUARES):
        if entries >> square & 1 and popcount(spread(1 << square) & mine) >= HOLE_SIDES:
            holes += 1
    kind = Message("clones") if action < SQUARES else Message("jumps")
    if holes == 0:
        return Message("{kind}, turns {turned}, leaves no holes", kind=kind, turned=turned)
    if holes == 1:
        return Message("{kind}, turns {turned}, leaves 1 hole", kind=kind, turned=turned)
    return Message("{kind}, turns {turned}, leaves {holes} holes", kind=kind, turned=turned, holes=holes)


class PieceCountNetwork(Network):
    """A network whose value is the mean of its own value and of the difference in pieces / 49."""

    def __call__(self, batch: Any) -> Any:
        policy, value = super().__call__(batch)
        ahead = (batch[:, 0] - batch[:, 1]).sum((1, 2)) / SQUARES
        mean = (value[:, 0] - value[:, 2] + ahead) / 2
        decided = 1.0 - value[:, 1]
        value[:, 0], value[:, 2] = (decided + mean) / 2, (decided - mean) / 2
        return policy, value


@dataclass
class AtaxxAlphaZero(Puct):
    """The player of the original report: a small network with AlphaZero tree search."""

    kind: ClassVar[str] = "alphazero"
    title: ClassVar[str] = Message("AlphaZero")
    about: ClassVar[str] = Message("the original contest player: a smaller network, AlphaZero tree search")
    network: str = preset(Puct, "network", "alphazero")
    pieces: bool = option(
        False,
        Message("evaluate by the mean of the network's value and the difference in pieces, as in the original contest"),
        title=Message("count pieces too"),
    )

    @property
    def network_class(self) -> type[Network]:
        return PieceCountNetwork if self.pieces else Network

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game, "alphazero") is not None


@dataclass
class Uai(UaiDriver):
    """An external engine that speaks UAI."""

    kind: ClassVar[str] = "uai"
    title: ClassVar[str] = Message("UAI engine")
    about: ClassVar[str] = Message("an external engine that speaks UAI: uai:cmd=path/to/engine")
