"""What can be trained, a module a game. It has `read(path)` for its data, and `RECIPES` by name, each a function
(rows, output, seed, tell, **settings) that trains, measures and writes a model."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.options import did_you_mean


def recipes(game: str) -> Any:
    """The module of a game."""
    known = {module.name for module in pkgutil.iter_modules(__path__)}
    if game not in known:
        raise HansuError(f"there is nothing to train for {game!r}", did_you_mean(game, known, "games"))
    return importlib.import_module(f"{__name__}.{game}")
