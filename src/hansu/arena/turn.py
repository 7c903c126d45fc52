"""One turn: get a player's decision and check it. Shared by matches, the terminal and the browser."""

from __future__ import annotations

from collections.abc import Sequence

from hansu.core.control import Control
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.generic import CHANCE
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player
from hansu.core.position import Position


def begin(player: Player) -> None:
    """Call the player's `new_game`. Errors are handled as in `ask`."""
    try:
        player.new_game()
    except HansuError:
        raise
    except Exception as error:
        raise _raised(player, error) from error


def ask(player: Player, position: Position, limit: Limit, control: Control | None = None) -> Decision:
    """A legal decision of a player. A crash or an illegal move raises PlayerFault. HansuError means that the request
    was wrong: a limit that the player does not support, or a game that it does not play."""
    try:
        decision = player.decide(position, limit, control)
        legal = decision.action in position.actions
    except HansuError:
        raise
    except Exception as error:
        raise _raised(player, error) from error
    if not legal:
        raise PlayerFault("{name} chose {move!r}, which is not legal", name=player.name, move=decision.action)
    return decision


def _raised(player: Player, error: Exception) -> PlayerFault:
    return PlayerFault(Message("{name} raised {kind}: {what}", name=player.name, kind=type(error).__name__, what=error))


def take_back(position: Position, people: Sequence[bool]) -> Position | None:
    """The last earlier position in which a person was to move. `people`: whether a person has each seat; if none has,
    the position one move earlier. None: there is nothing to take back."""
    before = position.previous
    while before is not None and (before.team == CHANCE or (any(people) and not people[before.team])):
        before = before.previous
    return before
