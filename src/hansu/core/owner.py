"""The owner of code: a built-in game, one of hansu's general folders, or a user's file.

Kernels of one game share their compiled functions. Cached machine code is valid until a source of its owner changes. A
player that belongs to a game plays only that game.
"""

from __future__ import annotations

import sys
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
GAMES = PACKAGE / "games"


@dataclass(frozen=True)
class Owner:
    """A built-in game (`hansu.games.NAME`), a general folder (`hansu.FOLDER`), or any other module."""

    module: str

    @property
    def is_game(self) -> bool:
        return self.module.startswith("hansu.games.")

    def sources(self, file: Path) -> Set[Path]:
        """The source files that compiled code of this owner may depend on, besides core, compile and search."""
        if not file.is_relative_to(PACKAGE):  # a user's game: its neighbours, and any game that it builds on
            return _loaded_neighbours(file) | set(GAMES.rglob("*.py"))
        path = PACKAGE.joinpath(*self.module.split(".")[1:])
        own = set(path.rglob("*.py")) if path.is_dir() else {path.with_suffix(".py")}
        return own if self.is_game else own | set(GAMES.rglob("*.py"))


def owner_of(module: str) -> Owner:
    """The owner of a module's code.

    >>> owner_of("hansu.search.players.mcts").module, owner_of("my_game").module
    ('hansu.search', 'my_game')
    """
    parts = module.split(".")
    if parts[0] != "hansu":
        return Owner(module)
    return Owner(".".join(parts[:3] if parts[:2] == ["hansu", "games"] else parts[:2]))


def _loaded_neighbours(file: Path) -> set[Path]:
    """The files of loaded modules in the folder of a user's file."""
    files = {file}
    for module in list(sys.modules.values()):
        source = getattr(module, "__file__", None)
        if source and source.endswith(".py") and Path(source).is_relative_to(file.parent) and Path(source).is_file():
            files.add(Path(source))
    return files
