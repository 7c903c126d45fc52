"""The players of the system that hansu grew from: `original`, PUCT over its four networks, and `policy`, the most
probable move of these networks. (`puct` uses the newer network `renju`, as does `policy:network=renju`.)

Forced moves go first: make five, stop five, make an open four, a 4-4 or a 4-3. An open three of the opponent is
answered unless the chosen move makes a four.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hansu.core import Control, Decision, Game, Limit, Message, Player, Position
from hansu.core.player import preset
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.opening_choices import OpeningChoices
from hansu.games.renju.state import step_of
from hansu.games.renju.tactics import Tactics, searcher_for
from hansu.search.network import shipped
from hansu.search.players import Policy as GeneralPolicy
from hansu.search.players import Puct

NETWORK = "original"  # the file with the four networks
SIZE, RULE = 15, "renju"  # the games they were trained on


class WithTactics(Player):
    """Adds to a network player the choices of opening rules and the defence against open threes."""

    _searcher: RenjuSearcher | None = None

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game, NETWORK) is not None and (game.option("size"), game.option("rule")) == (SIZE, RULE)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        self._searcher = searcher = searcher_for(position, self._searcher)
        if step_of(position.state):
            return OpeningChoices(searcher, limit or Limit(), control or Control()).decide(position)
        decision = super().decide(position, limit, control)  # type: ignore[safe-super]
        if not decision.report.moves:  # a forced move
            return decision
        tactics = Tactics.of(position, searcher)
        threats = tactics.open_four_threats()
        defences = tactics.defences(threats) if threats else set()
        if not defences or decision.action in defences:
            return decision
        known = {move.action: (move.visits or 0, move.prior or 0.0) for move in decision.report.moves}
        action = max(sorted(defences), key=lambda cell: known.get(cell, (0, 0.0)))
        why = Message("{move} answers the open three", move=position.move_text(action))
        return replace(decision, action=action, why=why)


@dataclass
class Original(WithTactics, Puct):
    """The original system: PUCT over four networks with c = 1, the five most probable moves, 100 simulations."""

    kind: ClassVar[str] = "original"
    title: ClassVar[str] = Message("Original system")
    about: ClassVar[str] = Message(
        "the system hansu grew from: forced moves, else PUCT over the five most probable moves of four networks"
    )
    growth: ClassVar[float] = 0.0
    network: str = preset(Puct, "network", NETWORK)
    simulations: int | None = preset(Puct, "simulations", 100)
    exploration: float = preset(Puct, "exploration", 1.0)
    prune: int = preset(Puct, "prune", 5)
    forced_moves: bool = preset(Puct, "forced_moves", True)
    tactics: bool = preset(Puct, "tactics", False)
    batch_size: int = preset(Puct, "batch_size", 1)


@dataclass
class RenjuPolicy(WithTactics, GeneralPolicy):
    """A forced move, else the most probable move of a network (by default the original's)."""

    network: str = preset(GeneralPolicy, "network", NETWORK)
    forced_moves: bool = preset(GeneralPolicy, "forced_moves", True)
