"""hansu (한 수, "one move"): game AI that anyone can read, run, play and train.

import hansu
position = hansu.game("tictactoe").position("1 5")
hansu.player("minimax", position.game).decide(position).why
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hansu.arena.roster import player
    from hansu.core import Control, Decision, Game, HansuError, Limit, Player, Position, Record, Report, Value
    from hansu.games import batch, environment, game

__all__ = [
    "Control", "Decision", "Game", "HansuError", "Limit", "Player", "Position", "Record", "Report", "Value", "batch",
    "environment", "game", "player",
]  # fmt: skip

_HOMES = dict.fromkeys(("batch", "environment", "game"), "hansu.games") | {"player": "hansu.arena.roster"}


def __getattr__(name: str) -> Any:
    """Loaded when first asked for, so that `import hansu` costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'hansu' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "hansu.core")), name)
