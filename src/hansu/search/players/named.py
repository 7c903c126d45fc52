"""Players by name: `alphabeta:depth=4`, or a game's own `solver`."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.options import did_you_mean, split_spec
from hansu.core.player import Player
from hansu.search.players import GENERAL


def kinds(game: Game) -> dict[str, type[Player]]:
    """Every kind of player of a game: the general ones, then its own."""
    return {**GENERAL, **game.players()}


def checked(player: Player, game: Game) -> Player:
    """The player, after a test search if it needs a file or program: problems show before a clock starts."""
    has_network = any(o.name == "network" and getattr(player, o.name) != o.default for o in player.options())
    if has_network or not player.ready_for(game):
        player.decide(game.first, Limit(nodes=1))
    return player


def player_named(spec: str, game: Game) -> Player:
    """The player for a specification such as `alphabeta:depth=4`."""
    name, settings = split_spec(spec)
    known = kinds(game)
    if name == "human":
        raise HansuError("human is not a player here", "use `hansu play` to play yourself")
    if name not in known:
        raise HansuError(
            "{game} has no player {name!r}", did_you_mean(name, known, "players"), game=game.name, name=name
        )
    return known[name].from_settings(settings)
