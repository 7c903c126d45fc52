"""Commands that several games share: `hansu solve triangles` and `hansu solve connect_four` stand side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

HELP = {
    "solve": "Exact values of positions, for games that can be solved.",
    "data": "Data sets for learning, made from the rules.",
    "book": "Opening books, made by search.",
    "engine": "Engines for tournament managers, in the protocol of the game's own world.",
    "pgn": "Files of games: check, count, convert.",
}


def group(app: typer.Typer, name: str) -> typer.Typer:
    """The group with this name, made for the first game that asks: `group(app, "solve").command("my_game")`."""
    import typer

    for known in app.registered_groups:
        if known.name == name and known.typer_instance is not None:
            return known.typer_instance
    made = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help=HELP.get(name, ""))
    app.add_typer(made, name=name)
    return made
