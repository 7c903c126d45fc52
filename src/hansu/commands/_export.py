"""`hansu export wasm`: a game as a WebAssembly module. (Games add exports of their own to the group.)"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import GameName
from hansu.core.game_extensions import Commands
from hansu.core.message import Message


def add_to(commands: Commands) -> None:
    commands.add("export wasm", wasm)


def wasm(
    game: GameName,
    functions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FUNCTION]...",
            help="What to export: legal, play, over, score, mover, probability, best_move. All of them by default.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new or empty folder; the game's name by default.")
    ] = None,
) -> None:
    """Export a game's rules and a tree search as a WebAssembly module with a JavaScript wrapper, for your own web page.

    [dim]For example:[/dim] hansu export wasm connect_four -o page

    [dim]Rules alone, of your own game:[/dim] hansu export wasm ./my_game.py legal play over score
    """
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.search.wasm_module import write_module
    from hansu.ui.console import out

    chosen = registry.game(game)
    for file in write_module(chosen, output or Path(chosen.name), functions or ()):
        size = Message("{count:,} bytes", count=file.stat().st_size)
        out().print(f"{file}  [dim]{localize(size)}[/dim]", highlight=False)
