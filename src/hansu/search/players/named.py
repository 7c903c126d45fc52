"""Players by name: `alphabeta:depth=4`, or a game's own `solver`."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.options import did_you_mean, split_spec
from hansu.core.player import Player
from hansu.search.players import GENERAL


def kinds(game: Game) -> dict[str, type[Player]]:
    """Every kind of player for a game: the general ones, then its own."""
    return {**GENERAL, **game.players()}


def checked(player: Player, game: Game) -> Player:
    """The player, asked once where it is nothing without what its settings name: better now than on a clock."""
    given = any(o.name == "network" and getattr(player, o.name) != o.default for o in player.options())
    if given or not player.ready_for(game):
        player.decide(game.first, Limit(nodes=1))
    return player


def player_named(spec: str, game: Game) -> Player:
    """The player that a text names."""
    name, settings = split_spec(spec)
    known = kinds(game)
    if name == "human":
        raise HansuError("human cannot play here", "people play with `hansu play`")
    if name not in known:
        raise HansuError(
            "{game} has no player {name!r}", did_you_mean(name, known, "players"), game=game.name, name=name
        )
    return known[name].from_settings(settings)
