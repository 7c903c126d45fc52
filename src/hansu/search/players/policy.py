"""`policy`: a network's first thought, without any search."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.game_extensions import ForcedMove
from hansu.core.generic import planes, symmetric, symmetric_action
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.network import Network, game_network, network_of, plane_shape, shipped
from hansu.search.object_state import is_foreign
from hansu.search.players.explanations import value_text

NETWORK_HELP = Message("an ONNX file, or the name of one that comes with the game; its own network where none is named")

OVERRIDES_HELP = Message("ask the game's tactics first, at every position")


def chosen_network(name: str, position: Position, kind: type[Network] = Network) -> Network | None:
    """The network that an option names; without one, the game's own, if there is one for this board."""
    if is_foreign(position.state):
        return None
    if not name:
        return network_of(position, kind)
    known = shipped(position.game, name) if name.isidentifier() else None
    return game_network(known or Path(name).expanduser(), position, kind=kind)


def by_tactic(position: Position, tactic: ForcedMove, seconds: float) -> Decision:
    """A move that needs no thought."""
    move = position.move_text(tactic.action)
    value = Value.seen_from(position.team, 1.0) if tactic.wins else None
    return Decision(
        action=tactic.action,
        why=Message("{move} {why}", move=move, why=tactic.why),
        report=Report(value=value, line=(tactic.action,), seconds=seconds),
    )


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def tactics_of(game: Game) -> Callable[[Position], ForcedMove | None]:
    """Who knows moves that need no thought."""
    if game.tactics.forced_move is None:
        raise HansuError("{name} has no tactics to ask", name=game.name)
    return game.tactics.forced_move()


@dataclass
class Policy(Player):
    """The move that a network likes best."""

    kind: ClassVar[str] = "policy"
    title: ClassVar[str] = Message("Network alone")
    about: ClassVar[str] = Message("a network's first thought, no search")
    heeds: ClassVar[frozenset[str]] = frozenset()
    network: str = option("", NETWORK_HELP, title=Message("network"))
    temperature: float = option(
        0.0,
        Message("0: the best move; 1: drawn by the network's chances"),
        title=Message("temperature"),
        low=0,
        high=100,
    )
    forced_moves: bool = option(False, OVERRIDES_HELP, title=Message("tactics first"), old="overrides")
    symmetries: str = option(
        "none",
        Message("none; all: the mean of every way to turn the board"),
        title=Message("turning the board"),
        choices=("none", "all"),
        choice_titles=(Message("not turned"), Message("every way")),
    )
    seed: int | None = option(None, Message("makes its draws repeatable"), title=Message("seed of chance"))
    _network: Network | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game) is not None

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._tactics: Callable[[Position], ForcedMove | None] | None = None

    def find_files(self, position: Position) -> None:
        self._network_for(position)

    def _network_for(self, position: Position) -> Network:
        if self._network is None or self._board != position.game.spec:
            self._network, self._board = chosen_network(self.network, position), position.game.spec
        if self._network is None:
            game = position.game.spec
            raise HansuError("{game} comes without a network", "name one: policy:network=FILE.onnx", game=game)
        return self._network

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        network = self._network_for(position)
        started = time.perf_counter()
        if self.forced_moves:
            self._tactics = self._tactics or tactics_of(position.game)
            tactic = self._tactics(position)
            if tactic is not None:
                return by_tactic(position, tactic, time.perf_counter() - started)
        ways = range(position.game.symmetries if self.symmetries == "all" else 1)
        batch = np.zeros((len(ways), *plane_shape(position.game, position.state)), np.float32)
        for k in ways:
            planes(symmetric(position.state, k), batch[k])
        policy, value = network(batch)
        if not (np.isfinite(policy).all() and np.isfinite(value).all()):
            raise HansuError("{path} answers no numbers", path=network.path)
        turned = [[symmetric_action(position.state, a, k) for a in position.actions] for k in ways]
        logits = np.take_along_axis(policy, np.array(turned), 1).astype(float)
        shares = np.exp(logits - logits.max(1, keepdims=True))
        chances = (shares / shares.sum(1, keepdims=True)).mean(0)
        action = position.actions[int(chances.argmax())]
        if self.temperature > 0:
            weights = (chances / chances.max()) ** (1 / self.temperature)
            action = self._chance.choices(position.actions, weights.tolist())[0]
        win, draw, loss = (float(x) for x in value.mean(0)[:: 1 if position.team == 0 else -1])
        share = float(chances[position.actions.index(action)])
        move, worth = position.move_text(action), value_text(position, Value(win - loss))
        why = Message("{move}: the network's thought ({share}); {worth}", move=move, share=percent(share), worth=worth)
        moves = tuple(
            MoveValue(action=a, prior=float(chance)) for a, chance in zip(position.actions, chances, strict=True)
        )
        report = Report(
            value=Value(win - loss), line=(action,), moves=moves, chances=(win, draw, loss), nodes=len(ways),
            seconds=time.perf_counter() - started,
        )  # fmt: skip
        return Decision(action=action, why=why, report=report)
