"""Commands that games bring: `hansu solve triangles` and `hansu solve connect_four` stand side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

GROUPS = {
    "solve": "Exact values of positions, for games that can be solved.",
    "data": "Data sets for learning, made from the rules.",
    "book": "Opening books, made by search.",
    "engine": "Engines for tournament managers, in the protocol of the game's own world.",
    "pgn": "Files of games: check, count, convert.",
    "export": "Players as files for other places, which need no hansu there.",
    "export kaggle": "For Kaggle's competitions of programs: one file to submit.",
}


class GameCommands:
    """What a game's `commands` hook is handed (see `hansu.core.game.Commands`)."""

    def __init__(self, app: typer.Typer) -> None:
        self._app = app
        self._groups: dict[str, typer.Typer] = {}

    def add(self, name: str, function: Callable[..., Any]) -> None:
        group, _, own = name.rpartition(" ")
        (self._group(group) if group else self._app).command(own)(function)

    def _group(self, name: str) -> typer.Typer:
        """Made for the first game that asks; `export kaggle` is a group of the group `export`."""
        if name not in self._groups:
            outer, _, own = name.rpartition(" ")
            made = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help=GROUPS.get(name, ""))
            (self._group(outer) if outer else self._app).add_typer(made, name=own)
            self._groups[name] = made
        return self._groups[name]
