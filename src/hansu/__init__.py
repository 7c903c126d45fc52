"""hansu (한 수, "one move"): game AI that anyone can read, run, play and train.

>>> import hansu
>>> position = hansu.game("tictactoe").position("1 5")
>>> hansu.player("minimax", position.game).decide(position).why
'2 after looking to the end: a draw with best play'
>>> print(hansu.match("tictactoe", "minimax", "random:seed=1", games=2))
minimax against random:seed=1: 2 wins, 0 draws, 0 losses
>>> hansu.check("tictactoe", speed=False).flaws
()
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0.dev0"

if TYPE_CHECKING:
    from hansu.arena.match import Match, play_game
    from hansu.arena.match import play_match as match
    from hansu.arena.roster import player
    from hansu.core import (
        CHANCE,
        Control,
        Decision,
        Game,
        HansuError,
        IllegalMove,
        Limit,
        Message,
        MoveValue,
        Option,
        Player,
        Position,
        Record,
        Report,
        Value,
        option,
        rules,
    )
    from hansu.core.registry import game, names
    from hansu.scene import Scene
    from hansu.search.batch import batch
    from hansu.search.conformance.checkup import check
    from hansu.search.environment import environment

__all__ = [
    "CHANCE", "Control", "Decision", "Game", "HansuError", "IllegalMove", "Limit", "Match", "Message", "MoveValue",
    "Option", "Player", "Position", "Record", "Report", "Scene", "Value", "batch", "check", "environment", "game",
    "match", "names", "option", "play_game", "player", "rules",
]  # fmt: skip

_HOMES = {
    **dict.fromkeys(("game", "names"), "hansu.core.registry"),
    "batch": "hansu.search.batch",
    "check": "hansu.search.conformance.checkup",
    "environment": "hansu.search.environment",
    **dict.fromkeys(("Match", "match", "play_game"), "hansu.arena.match"),
    "player": "hansu.arena.roster",
    "Scene": "hansu.scene",
}
_NAMES_THERE = {"match": "play_match"}


def __getattr__(name: str) -> Any:
    """Import a name at its first use, so that `import hansu` is fast."""
    if name == "Phrase":
        warnings.warn(
            "hansu.Phrase is now hansu.Message; the old name will be removed in 0.4", DeprecationWarning, stacklevel=2
        )
        name = "Message"
    if name not in __all__:
        raise AttributeError(f"module 'hansu' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "hansu.core")), _NAMES_THERE.get(name, name))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
