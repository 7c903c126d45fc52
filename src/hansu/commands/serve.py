"""`hansu serve`: the web app."""

from __future__ import annotations

from typing import Annotated

import typer

from hansu.commands._arguments import game_names
from hansu.commands._panels import PLAY


def add_to(app: typer.Typer) -> None:
    app.command("serve", rich_help_panel=PLAY)(run)


def run(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...",
            help="Files of your own games to add. The first GAME is shown first.",
            autocompletion=game_names,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; 0.0.0.0 accepts connections from the network.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65_535, help="Port to listen on; by default the first free one from 8000."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="Host name that browsers may use for this machine; can be repeated."),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", "-p", help="Your own player to add: ./my_agent.py:Name, "
                     "ataxx=uai:cmd=./engine; can be repeated."),
    ] = None,
    training: Annotated[
        list[str] | None, typer.Option("--run", help="Folder of a training run to show live; can be repeated.")
    ] = None,
    store: Annotated[
        list[str] | None, typer.Option("--store", help="Store of games to show, with standings; can be repeated.")
    ] = None,
    puzzles: Annotated[
        list[str] | None,
        typer.Option("--puzzles", help="File of puzzles: positions with a best move to find; can be repeated."),
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=64, help="Number of server processes that share the port.")
    ] = 1,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:  # fmt: skip
    """Play, watch and analyse every game in the browser.

    [dim]For example:[/dim] hansu serve --open

    [dim]Your own game and player:[/dim] hansu serve ./nim.py --player ./my_agent.py:Agent

    [dim]Show a training run and a tournament:[/dim] hansu serve --run runs/connect_four --store games.db

    [dim]For a classroom:[/dim] hansu serve --host 0.0.0.0 --port 8080 --puzzles lesson.txt --processes 4
    """
    from hansu.ui.web.server import Offer, serve

    offer = Offer(
        games=tuple(games or ()), host=host, names=tuple(name or ()), players=tuple(player or ()),
        runs=tuple(training or ()), stores=tuple(store or ()), puzzles=tuple(puzzles or ()),
    )  # fmt: skip
    serve(offer, port, browse, processes)
