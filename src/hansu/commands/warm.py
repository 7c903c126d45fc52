"""`hansu warm`: compile now what players need later."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, game_names
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("warm")(run)


def run(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="All, if none is named.", autocompletion=game_names)
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option("--player", "-p", help="Only this player. Repeatable.")
    ] = None,
    processes: Annotated[int, typer.Option("--processes", min=1, max=64, help="So many at once.")] = 2,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Prepare players: whatever they need is compiled now, so that their first move comes at once.

    Without it a player is compiled when it first plays; a simple search moves for it meanwhile.

    [dim]For example:[/dim] hansu warm renju ataxx

    [dim]One player:[/dim] hansu warm renju --player engine
    """
    from hansu.arena.roster import player as player_of
    from hansu.arena.warmup import Warmups, everyone
    from hansu.core import registry, terminal_language
    from hansu.ui.console import err, out
    from hansu.ui.warmup_progress import follow

    wanted = []
    for spec in games or registry.names():
        game = registry.game(spec)
        wanted += [(game, one) for one in ([player_of(p, game) for p in player] if player else everyone(game))]
    with Warmups(processes) as preparations:
        begun = [(game, one, preparations.of(game, one, soon=False)) for game, one in wanted]
        waits = [one for _, _, one in begun if one is not None]
        follow(preparations, waits)
    failed = [one for one in waits if one.failed]
    told = [
        {
            "game": game.spec, "player": one.name, "seconds": 0.0 if new is None else round(new.seconds, 1),
            "failed": new is not None and new.failed,
        }
        for game, one, new in begun
    ]  # fmt: skip
    if as_json:
        print(json.dumps(told))
    else:
        known = len(begun) - len(waits)
        text = Message("{count} players prepared, {known} were already", count=len(waits) - len(failed), known=known)
        out().print(terminal_language.localize(text))
    for one in failed:
        text = Message("not prepared: {game} {player}", game=one.game.spec, player=one.player.name)
        err().print(terminal_language.localize(text), style="yellow", markup=False)
    if failed:
        raise typer.Exit(1)
