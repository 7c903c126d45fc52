"""`level:1` to `level:10`: ten strengths for human opponents (docs/guide/levels.md).

A level is an alias for another player with a limit: low levels are `casual`, high ones the game's own players. Limits
are nodes or plies, never time, so a level has the same strength on every machine.
"""

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
"""The levels of a game that does not define its own."""


@dataclass
class Level(Player):
    """Ten strengths for human opponents."""

    kind: ClassVar[str] = "level"
    title: ClassVar[str] = Message("Level")
    about: ClassVar[str] = Message("ten strengths, from level:1 (beginner) to level:10 (strongest)")
    heeds: ClassVar[frozenset[str]] = frozenset()
    main_option: ClassVar[str] = "strength"
    strength: int = option(3, Message("1 (beginner) to 10 (strongest)"), title=Message("strength"), low=1, high=LEVELS)
    seed: int | None = option(
        None, Message("random seed; the same seed repeats the same moves"), title=Message("random seed")
    )
    _current: tuple[str, Player, Limit] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The short form, `level:3`."""
        return f"{self.kind}:{self.strength}" + ("" if self.seed is None else f",seed={self.seed}")

    @property
    def called(self) -> str:
        """The name for people."""
        return Message("Level {strength}", strength=self.strength)

    def acting(self, game: Game) -> Player:
        return self._player(game)[0]

    def drawn_as(self, game: Game) -> Player | None:
        return self.acting(game).drawn_as(game)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        player, bound = self._player(position.game)
        return player.decide(position, bound, control)

    def _player(self, game: Game) -> tuple[Player, Limit]:
        """The player behind the level and its limit, kept until the game changes."""
        if self._current is None or self._current[0] != game.spec:
            self.close()
            self._current = (game.spec, *rung(game, self.strength, self.seed))
        return self._current[1:]

    def new_game(self) -> None:
        if self._current is not None:
            self._current[1].new_game()

    def close(self) -> None:
        if self._current is not None:
            self._current[1].close()
            self._current = None


def ladder(game: Game) -> tuple[str, ...]:
    """The players behind a game's levels, the weakest first."""
    return game.levels or LADDER


def rung(game: Game, strength: int, seed: int | None = None) -> tuple[Player, Limit]:
    """The player behind a level, and its limit."""
    from hansu.search.players.named import player_named  # a cyclic import at module level

    spec, _, limit = ladder(game)[strength - 1].partition("@")
    player = player_named(spec, game)
    if isinstance(player, Level):
        raise HansuError(
            "{game}: a level cannot stand for another level", "name another player in Game(levels=...)", game=game.name
        )
    if isinstance(player, Casual) and seed is not None:
        player = replace(player, seed=seed)
    return player, Limit.read(limit)
