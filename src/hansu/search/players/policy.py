"""`policy`: a network's first thought, without any search."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import planes
from hansu.core.limit import Limit
from hansu.core.phrase import Phrase
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.foreign import is_foreign
from hansu.search.network import Network, game_network, network_of, plane_shape, shipped
from hansu.search.players.reasons import value_text

NETWORK_HELP = Phrase("an ONNX file; the game's own network where none is named")


def chosen_network(name: str, position: Position) -> Network | None:
    """The network that an option names; without one, the game's own, if there is one for this board."""
    if is_foreign(position.state):
        return None
    return game_network(Path(name).expanduser(), position) if name else network_of(position)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@dataclass
class Policy(Player):
    """The move that a network likes best."""

    kind: ClassVar[str] = "policy"
    title: ClassVar[str] = Phrase("Network alone")
    about: ClassVar[str] = Phrase("a network's first thought, no search")
    heeds: ClassVar[frozenset[str]] = frozenset()
    network: str = option("", NETWORK_HELP, title=Phrase("network"))
    temperature: float = option(
        0.0,
        Phrase("0: the best move; 1: drawn by the network's chances"),
        title=Phrase("temperature"),
        low=0,
        high=100,
    )
    seed: int | None = option(None, Phrase("makes its draws repeatable"), title=Phrase("seed of chance"))
    _network: Network | None = field(default=None, init=False, repr=False, compare=False)
    _board: Any = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game) is not None

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def _network_for(self, position: Position) -> Network:
        if self._network is None or self._board != position.game.spec:
            self._network, self._board = chosen_network(self.network, position), position.game.spec
        if self._network is None:
            game = position.game.spec
            raise HansuError(
                Phrase("{game} comes without a network", game=game),
                Phrase("name one: policy:network=FILE.onnx"),
            )
        return self._network

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        network = self._network_for(position)
        started = time.perf_counter()
        batch = np.zeros((1, *plane_shape(position.game, position.state)), np.float32)
        planes(position.state, batch[0])
        policy, value = network(batch)
        if not (np.isfinite(policy).all() and np.isfinite(value).all()):
            raise HansuError(Phrase("{path} answers no numbers", path=network.path))
        logits = policy[0][list(position.actions)].astype(float)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        action = position.actions[int(chances.argmax())]
        if self.temperature > 0:
            weights = np.exp((logits - logits.max()) / self.temperature)
            action = self._chance.choices(position.actions, weights.tolist())[0]
        win, draw, loss = (float(x) for x in (value[0] if position.team == 0 else value[0][::-1]))
        share = float(chances[position.actions.index(action)])
        move, worth = position.move_text(action), value_text(position, Value(win - loss))
        why = Phrase("{move}: the network's thought ({share}); {worth}", move=move, share=percent(share), worth=worth)
        moves = tuple(
            MoveValue(action=a, prior=float(chance)) for a, chance in zip(position.actions, chances, strict=True)
        )
        report = Report(
            value=Value(win - loss), line=(action,), moves=moves, chances=(win, draw, loss), nodes=1,
            seconds=time.perf_counter() - started,
        )  # fmt: skip
        return Decision(action=action, why=why, report=report)
