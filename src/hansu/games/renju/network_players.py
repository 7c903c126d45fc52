"""The players of the system that hansu grew from: `original`, a tree search over its four networks, and `policy`, their
first thought. (`puct` is guided by the network that came after them; `policy:network=renju` is its first thought.)

Rules of thumb go first: make five, stop five, make an open four, a 4-4 or a 4-3. An open three of the other's is
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

NETWORK = "original"  # the file of the four networks
SIZE, RULE = 15, "renju"  # of their games


class Careful(Player):
    """What both have around their network: the choices of an opening rule, and open threes."""

    _searcher: RenjuSearcher | None = None

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        return shipped(game, NETWORK) is not None and (game.option("size"), game.option("rule")) == (SIZE, RULE)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        self._searcher = searcher = searcher_for(position, self._searcher)
        if step_of(position.state):
            return OpeningChoices(searcher, limit or Limit(), control or Control()).decide(position)
        decision = super().decide(position, limit, control)  # type: ignore[safe-super]
        if not decision.report.moves:  # tactics chose it
            return decision
        tactics = Tactics.of(position, searcher)
        threatened = tactics.must_answer()
        answers = tactics.answers(threatened) if threatened else set()
        if not answers or decision.action in answers:
            return decision
        known = {move.action: (move.visits or 0, move.prior or 0.0) for move in decision.report.moves}
        action = max(sorted(answers), key=lambda cell: known.get(cell, (0, 0.0)))
        why = Message("{move} answers the open three", move=position.move_text(action))
        return replace(decision, action=action, why=why)


@dataclass
class Original(Careful, Puct):
    """PUCT over the four networks of the original, as it was: c = 1, the five most probable moves, 100 simulations."""

    kind: ClassVar[str] = "original"
    title: ClassVar[str] = Message("The original's networks")
    about: ClassVar[str] = Message(
        "the original's system: four networks learnt from games, a search of the five likeliest moves, tactics first"
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
class RenjuPolicy(Careful, GeneralPolicy):
    """A network's first thought, tactics first; the original's where no other is named."""

    network: str = preset(GeneralPolicy, "network", NETWORK)
    forced_moves: bool = preset(GeneralPolicy, "forced_moves", True)
