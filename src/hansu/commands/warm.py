"""`hansu warm`: compile now what players need later."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, game_names
from hansu.commands._panels import OTHER
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("warm", rich_help_panel=OTHER)(run)


def run(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="By default all games.", autocompletion=game_names)
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option("--player", "-p", help="Compile only this player; can be repeated.")
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=64, help="Number of players compiled at the same time.")
    ] = 2,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Compile players in advance, so that their first move is immediate.

    Without this command a player is compiled when it first plays; meanwhile a simple search moves for it.

    [dim]For example:[/dim] hansu warm renju ataxx

    [dim]One player:[/dim] hansu warm renju --player engine
    """
    from hansu.arena.roster import player as player_named
    from hansu.arena.warmup import WarmupQueue, all_players
    from hansu.core import registry, terminal_language
    from hansu.ui.console import err, out
    from hansu.ui.warmup_progress import show_progress

    pairs = []
    for spec in games or registry.names():
        game = registry.game(spec)
        players = [player_named(name, game) for name in player] if player else all_players(game)
        pairs += [(game, one) for one in players]
    with WarmupQueue(processes) as queue:
        requests = [(game, one, queue.request(game, one, urgent=False)) for game, one in pairs]
        warmups = [warmup for _, _, warmup in requests if warmup is not None]
        show_progress(queue, warmups)
    failed = [warmup for warmup in warmups if warmup.failed]
    answer = [
        {
            "game": game.spec, "player": one.name, "seconds": 0.0 if warmup is None else round(warmup.seconds, 1),
            "failed": warmup is not None and warmup.failed,
        }
        for game, one, warmup in requests
    ]  # fmt: skip
    if as_json:
        print(json.dumps(answer))
    else:
        ready = len(requests) - len(warmups)
        text = Message(
            "{count} players compiled; {ready} were already compiled", count=len(warmups) - len(failed), ready=ready
        )
        out().print(terminal_language.localize(text))
    for warmup in failed:
        text = Message("not compiled: {game} {player}", game=warmup.game.spec, player=warmup.player.name)
        err().print(terminal_language.localize(text), style="yellow", markup=False)
    if failed:
        raise typer.Exit(1)
