"""Arguments that several commands share, with completion in the shell."""

from __future__ import annotations

from typing import Annotated

import typer


def game_names(incomplete: str) -> list[str]:
    from hansu import games

    return [name for name in games.names() if name.startswith(incomplete)]


def player_names(context: typer.Context, incomplete: str) -> list[str]:
    """The players of the game that stands on the line already."""
    from hansu import games
    from hansu.arena.roster import kinds
    from hansu.core import HansuError

    try:
        return [kind for kind in kinds(games.game(context.params.get("game") or "tree")) if kind.startswith(incomplete)]
    except HansuError:
        return []


GameName = Annotated[
    str, typer.Argument(help="A game's name or path, with options: tree:file=my.txt", autocompletion=game_names)
]
PositionText = Annotated[str, typer.Argument(help="`start`, moves from the start, or the game's own format.")]
LimitText = Annotated[str, typer.Option("--limit", "-l", help="depth=4, nodes=100000 or time=0.5, for each move.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
