"""`hansu serve`: the web app."""

from __future__ import annotations

from typing import Annotated

import typer

from hansu.commands._arguments import game_names


def add_to(app: typer.Typer) -> None:
    app.command("serve")(run)


def run(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...",
            help="Games of your own, by path, to offer beside the others; the first one named is shown first.",
            autocompletion=game_names,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 lets the whole network in.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65_535, help="Without one, the first free from 8000 on.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A name that browsers may use for this machine. Repeatable.")
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", "-p", help="A player of your own for the browser: ./my_agent.py:Name, "
                     "ataxx=uai:cmd=./engine. Repeatable."),
    ] = None,
    training: Annotated[
        list[str] | None, typer.Option("--run", help="The folder of a training, shown live. Repeatable.")
    ] = None,
    store: Annotated[
        list[str] | None, typer.Option("--store", help="A store of games: standings, and every game. Repeatable.")
    ] = None,
    puzzles: Annotated[
        list[str] | None,
        typer.Option("--puzzles", help="A file of positions in which the best move is to be found. Repeatable."),
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=64, help="Server processes that share the port, for many people.")
    ] = 1,
    browse: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
) -> None:  # fmt: skip
    """Play, watch and understand every game in the browser.

    [dim]For example:[/dim] hansu serve --open

    [dim]Your own game and player:[/dim] hansu serve ./nim.py --player ./my_agent.py:Agent

    [dim]Watch a training, look at a tournament:[/dim] hansu serve --run runs/connect_four --store games.db

    [dim]For a classroom:[/dim] hansu serve --host 0.0.0.0 --port 8080 --puzzles lesson.txt --processes 4
    """
    from hansu.ui.web.server import Offer, serve

    offer = Offer(
        games=tuple(games or ()), host=host, names=tuple(name or ()), players=tuple(player or ()),
        runs=tuple(training or ()), stores=tuple(store or ()), puzzles=tuple(puzzles or ()),
    )  # fmt: skip
    serve(offer, port, browse, processes)
