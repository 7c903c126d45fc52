"""Commands that games add. Those of a kind share a group: `hansu solve triangles`, `hansu solve connect_four`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from hansu.commands._panels import ENGINES, LEARN, PLAY

GROUPS = {
    "solve": (LEARN, "Compute exact values of positions, for games that can be solved."),
    "data": (LEARN, "Generate training data from the rules."),
    "book": (ENGINES, "Build opening books by search."),
    "engine": (ENGINES, "Run an engine for tournament managers, in the protocol of the game."),
    "pgn": (ENGINES, "Check, count and convert files of games."),
    "export": (ENGINES, "Export games and players as files that run without hansu."),
    "export kaggle": (ENGINES, "Export a player as a single file for Kaggle's competitions."),
}
"""Panel and help of each group."""


class GameCommands:
    """The argument of a game's `commands` hook (see `hansu.core.game.Commands`)."""

    def __init__(self, app: typer.Typer) -> None:
        self._app = app
        self._groups: dict[str, typer.Typer] = {}

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Add a command: `solve triangles` to the group `solve`, `pacman` to `hansu` itself."""
        group, _, own = name.rpartition(" ")
        (self._group(group) if group else self._app).command(own, rich_help_panel=None if group else PLAY)(function)

    def _group(self, name: str) -> typer.Typer:
        """A group, created for the first game that needs it. `export kaggle` is a group in the group `export`."""
        if name not in self._groups:
            outer, _, own = name.rpartition(" ")
            panel, help = GROUPS.get(name, (ENGINES, ""))
            group = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help=help)
            parent = self._group(outer) if outer else self._app
            parent.add_typer(group, name=own, rich_help_panel=None if outer else panel)
            self._groups[name] = group
        return self._groups[name]
