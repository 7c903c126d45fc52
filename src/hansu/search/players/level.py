"""`level:1` to `level:10`: strengths for people (docs/guide/levels.md). A level is a name for another player of the
game,
with its limit: the lower ones are `casual`, the higher ones the game's own. Nodes and plies, never time, so a level is
the same on any machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.search.players.casual import Casual

LEVELS = 10
LADDER = (
    "casual:plies=1,temperature=2",
    "casual:plies=1,temperature=0.6",
    "casual:plies=2,temperature=0.7",
    "casual:plies=2,temperature=0.3",
    "casual:plies=3,temperature=0.3",
    "casual:plies=4,temperature=0.2",
    "casual:plies=5,temperature=0.1",
    "iterative@nodes=10000",
    "iterative@nodes=50000",
    "iterative@nodes=300000",
)
"""Of a game that does not say its own."""


@dataclass
class Level(Player):
    """Ten strengths for people."""

    kind: ClassVar[str] = "level"
    title: ClassVar[str] = Message("Level")
    about: ClassVar[str] = Message("strengths for people, level:1 to level:10, from a beginner to the strongest")
    heeds: ClassVar[frozenset[str]] = frozenset()
    main_option: ClassVar[str] = "strength"
    strength: int = option(
        3, Message("1, a beginner, to 10, the strongest"), title=Message("strength"), low=1, high=LEVELS
    )
    seed: int | None = option(None, Message("makes its choices repeatable"), title=Message("seed of chance"))
    _made: tuple[str, Player, Limit] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """As people write it: `level:3`."""
        return f"{self.kind}:{self.strength}" + ("" if self.seed is None else f",seed={self.seed}")

    @property
    def called(self) -> str:
        return Message("Level {strength}", strength=self.strength)

    def acting(self, game: Game) -> Player:
        return self._player(game)[0]

    def drawn_as(self, game: Game) -> Player | None:
        return self.acting(game).drawn_as(game)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        player, bound = self._player(position.game)
        return player.decide(position, bound, control)

    def _player(self, game: Game) -> tuple[Player, Limit]:
        """Who plays, and within what; kept while the game is the same."""
        if self._made is None or self._made[0] != game.spec:
            self.close()
            self._made = (game.spec, *rung(game, self.strength, self.seed))
        return self._made[1:]

    def new_game(self) -> None:
        if self._made is not None:
            self._made[1].new_game()

    def close(self) -> None:
        if self._made is not None:
            self._made[1].close()
            self._made = None


def ladder(game: Game) -> tuple[str, ...]:
    """The players that a game's levels are, the weakest first."""
    return game.levels or LADDER


def rung(game: Game, strength: int, seed: int | None = None) -> tuple[Player, Limit]:
    """The player that a level is, and its limit."""
    from hansu.search.players.named import player_named  # which knows levels, too

    spec, _, limit = ladder(game)[strength - 1].partition("@")
    made = player_named(spec, game)
    if isinstance(made, Level):
        raise HansuError(f"{game.name}: a level is made of other players, not of levels")
    if isinstance(made, Casual) and seed is not None:
        made = replace(made, seed=seed)
    return made, Limit.read(limit)
