"""`policy`: plays the most probable move of a network, without search."""

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
from hansu.search.object_state import needs_object_state
from hansu.search.players.explanations import value_text

NETWORK_HELP = Message("ONNX file, or the name of a network that comes with the game; default: the game's main network")
FORCED_MOVES_HELP = Message("play the game's forced moves first, before the network is evaluated")


def network_named(name: str, position: Position, kind: type[Network] = Network) -> Network | None:
    """The network that an option names. An empty name means the game's own network, if there is one for this board."""
    if needs_object_state(position.state):
        return None
    if not name:
        return network_of(position, kind)
    path = shipped(position.game, name) if name.isidentifier() else None
    return game_network(path or Path(name).expanduser(), position, kind=kind)


def forced_decision(position: Position, forced: ForcedMove, seconds: float) -> Decision:
    """The decision for a forced move."""
    move = position.move_text(forced.action)
    value = Value.seen_from(position.team, 1.0) if forced.wins else None
    return Decision(
        action=forced.action,
        why=Message("{move} {why}", move=move, why=forced.why),
        report=Report(value=value, line=(forced.action,), seconds=seconds),
    )


def percent(share: float) -> str:
    """A share as text, `42 %`."""
    return f"{100 * share:.0f} %"


def forced_moves_of(game: Game) -> Callable[[Position], ForcedMove | None]:
    """The game's finder of forced moves."""
    if game.tactics.forced_move is None:
        raise HansuError("{name} defines no forced moves", "leave out forced_moves=true", name=game.name)
    return game.tactics.forced_move()


@dataclass
class Policy(Player):
    """The most probable move of a network."""

    kind: ClassVar[str] = "policy"
    title: ClassVar[str] = Message("Network alone")
    about: ClassVar[str] = Message("the most probable move of a network, without search")
    heeds: ClassVar[frozenset[str]] = frozenset()
    network: str = option("", NETWORK_HELP, title=Message("network"))
    temperature: float = option(
        0.0,
        Message("0: the most probable move; 1: sampled from the network's probabilities"),
        title=Message("temperature"),
        low=0,
        high=100,
    )
    forced_moves: bool = option(False, FORCED_MOVES_HELP, title=Message("forced moves first"), old="overrides")
    symmetries: str = option(
        "none",
        Message("none; all: the mean over all symmetries of the board"),
        title=Message("board symmetries"),
        choices=("none", "all"),
        choice_titles=(Message("none"), Message("all")),
    )
    seed: int | None = option(
        None, Message("random seed; the same seed repeats the same moves"), title=Message("random seed")
    )
    _network: Network | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game) is not None

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._forced_move: Callable[[Position], ForcedMove | None] | None = None

    def find_files(self, position: Position) -> None:
        self._network_for(position)

    def _network_for(self, position: Position) -> Network:
        if self._network is None or self._board != position.game.spec:
            self._network, self._board = network_named(self.network, position), position.game.spec
        if self._network is None:
            game = position.game.spec
            raise HansuError(
                "{game} comes without a network", "name a network file: policy:network=FILE.onnx", game=game
            )
        return self._network

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        network = self._network_for(position)
        started = time.perf_counter()
        if self.forced_moves:
            self._forced_move = self._forced_move or forced_moves_of(position.game)
            forced = self._forced_move(position)
            if forced is not None:
                return forced_decision(position, forced, time.perf_counter() - started)
        symmetries = range(position.game.symmetries if self.symmetries == "all" else 1)
        batch = np.zeros((len(symmetries), *plane_shape(position.game, position.state)), np.float32)
        for k in symmetries:
            planes(symmetric(position.state, k), batch[k])
        policy, value = network(batch)
        if not (np.isfinite(policy).all() and np.isfinite(value).all()):
            raise HansuError(
                "{path} returns NaN or infinite numbers", "train the network again, or name another", path=network.path
            )
        actions = [[symmetric_action(position.state, a, k) for a in position.actions] for k in symmetries]
        logits = np.take_along_axis(policy, np.array(actions), 1).astype(float)
        shares = np.exp(logits - logits.max(1, keepdims=True))
        chances = (shares / shares.sum(1, keepdims=True)).mean(0)
        action = position.actions[int(chances.argmax())]
        if self.temperature > 0:
            weights = (chances / chances.max()) ** (1 / self.temperature)
            action = self._chance.choices(position.actions, weights.tolist())[0]
        win, draw, loss = (float(x) for x in value.mean(0)[:: 1 if position.team == 0 else -1])
        share = float(chances[position.actions.index(action)])
        move, worth = position.move_text(action), value_text(position, Value(win - loss))
        why = Message("{move}: the network's choice ({share}); {worth}", move=move, share=percent(share), worth=worth)
        moves = tuple(
            MoveValue(action=a, prior=float(chance)) for a, chance in zip(position.actions, chances, strict=True)
        )
        report = Report(
            value=Value(win - loss), line=(action,), moves=moves, chances=(win, draw, loss), nodes=len(symmetries),
            seconds=time.perf_counter() - started,
        )  # fmt: skip
        return Decision(action=action, why=why, report=report)
