"""`hansu trace`: draw the tree that a search visits, as a picture or as a page with steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import GameName, PositionText
from hansu.commands._panels import LEARN
from hansu.core.file_errors import not_written
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("trace", rich_help_panel=LEARN)(run)


def run(
    game: GameName,
    position: PositionText = "start",
    player: Annotated[
        str, typer.Option("--player", "-p", help="Player to trace: minimax, expectimax or alphabeta, with settings.")
    ] = "alphabeta",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write: .svg or .html.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=20_000, help="Largest number of nodes to draw.")] = 1500,
    dark: Annotated[bool, typer.Option("--dark", help="Draw light lines on a dark background.")] = False,
) -> None:
    """Draw the tree that a search visits, with values, bounds and cut branches; without -o as text.

    [dim]For example:[/dim] hansu trace tree -o tree.svg

    [dim]Step by step:[/dim] hansu trace tictactoe "1 5 9 2 8" --player minimax -o tree.html
    """
    from hansu.arena.roster import player as player_named
    from hansu.core import HansuError, registry
    from hansu.core.terminal_language import localize
    from hansu.scene.ansi import ansi
    from hansu.scene.svg import svg
    from hansu.search.players import TreeSearch
    from hansu.ui.console import colored, err
    from hansu.ui.trace import page, traced

    rules = registry.game(game)
    at = rules.position(position)
    who = player_named(player, rules)
    if not isinstance(who, TreeSearch):
        raise HansuError("{name} cannot be traced", "trace minimax, expectimax or alphabeta", name=who.name)
    if at.over:
        raise HansuError("the game is over here", "name an earlier position")
    if output is not None and output.suffix not in (".svg", ".html"):
        raise HansuError("{path}: unknown file type", "use the extension .svg or .html", path=output)
    picture = traced(at, who, most)
    if output is None:
        print(ansi(picture.scene, color=colored()))
    else:
        text = svg(picture.scene, dark=dark) if output.suffix == ".svg" else page(picture)
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise not_written(output, error) from None
    err().print(localize(picture.summary), style="dim", markup=False)
    if output is not None:
        err().print(localize(Message("written to {path}", path=output)), style="dim", markup=False)
