"""Arguments that several commands share, with completion in the shell."""

from __future__ import annotations

from typing import Annotated

import typer


def game_names(incomplete: str) -> list[str]:
    from hansu.core import registry

    return [name for name in registry.names() if name.startswith(incomplete)]


def player_names(context: typer.Context, incomplete: str) -> list[str]:
    """The players of the game that the command line names."""
    from hansu.arena.roster import kinds
    from hansu.core import HansuError, registry

    try:
        return [
            kind for kind in kinds(registry.game(context.params.get("game") or "tree")) if kind.startswith(incomplete)
        ]
    except HansuError:
        return []


def some_limit(context: typer.Context, parameter: typer.CallbackParam, text: str) -> str:
    """Reject `--limit ""`: without a limit the option is left out."""
    source = context.get_parameter_source(parameter.name or "")
    if not text.strip() and source is not None and source.name == "COMMANDLINE":
        from hansu.core import HansuError

        raise HansuError("an empty limit", "write {example}, or leave it out", example="--limit time=0.5")
    return text


GameName = Annotated[
    str,
    typer.Argument(
        help="Name of a game or path to its file, with options: tree:file=my.txt", autocompletion=game_names
    ),
]
PositionText = Annotated[
    str, typer.Argument(help="`start`, moves from the start, or a position in the game's notation.")
]
LimitText = Annotated[
    str,
    typer.Option(
        "--limit", "-l", callback=some_limit, help="Search limit per move: depth=4, nodes=100000 or time=0.5 (seconds)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
