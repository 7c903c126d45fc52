"""`hansu match`: who is better, and how sure is that?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names


def add_to(app: typer.Typer) -> None:
    app.command("match")(run)


def run(
    game: GameName,
    a: Annotated[
        str, typer.Argument(help="A player: alphabeta:depth=4, my_agent.py:Name, ...", autocompletion=player_names)
    ],
    b: Annotated[str, typer.Argument(help="Its opponent.", autocompletion=player_names)],
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, help="How many; each opening is played twice, seats swapped.")
    ] = 20,
    limit: LimitText = "",
    seed: Annotated[
        int, typer.Option("--seed", help="Chooses the openings. A player's own chance has its own: random:seed=1")
    ] = 1,
    plies: Annotated[int | None, typer.Option("--opening-plies", min=0, help="Random plies of an opening.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Append every game to this file, a JSON line each.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let two players play each other: both seats, varied openings, Elo with its 95 % interval.

    [dim]For example:[/dim] hansu match tictactoe alphabeta random --games 100

    [dim]Your own:[/dim] hansu match tictactoe ./my_agent.py:Agent minimax --limit time=0.5
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu import games as all_games
    from hansu.arena.elo import estimate
    from hansu.arena.match import Tally, match
    from hansu.arena.roster import player
    from hansu.core import HansuError, Limit
    from hansu.ui.console import announce_compiling, err, out

    announce_compiling()
    found = all_games.game(game)
    bound = Limit.read(limit)
    first, second = player(a, found), player(b, found)
    if save is not None and not save.parent.is_dir():
        raise HansuError(f"--save: there is no folder {save.parent}")
    tally = Tally()
    stopped = False
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True, disable=as_json or not err().is_terminal) as bar:
        task = bar.add_task(f"{first.name} - {second.name}", total=games)
        try:
            for record, tally in match(found, first, second, games, bound, seed, plies):
                if save is not None:
                    with save.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record.as_json(), ensure_ascii=False) + "\n")
                if record.fault:
                    err().print(f"game {tally.games}: {record.fault}; it loses this game", style="yellow", markup=False)
                bar.update(
                    task,
                    advance=1,
                    description=f"{first.name} {tally.points:g} - {tally.games - tally.points:g} {second.name}",
                )
        except KeyboardInterrupt:
            stopped = True
        finally:
            first.close()
            second.close()
    result = estimate(tally)
    if as_json:
        middle, low, high = (None if abs(x) == float("inf") else round(x, 1) for x in result.elo)
        answer = {
            "game": found.spec, "a": first.name, "b": second.name, "games": tally.games, "wins": tally.wins,
            "draws": tally.draws, "losses": tally.losses, "score": result.score,
            "score_interval": [result.low, result.high], "elo": middle, "elo_interval": [low, high],
            "faults": tally.faults, "seed": seed, "limit": str(bound), "finished": not stopped,
        }  # fmt: skip
        print(json.dumps(answer))
    else:
        if stopped:
            out().print(f"stopped after {tally.games} of {games} games")
        out().print(f"{first.name} against {second.name}, {found.spec}, limit {bound}, seed {seed}", markup=False)
        out().print(f"[bold]+{tally.wins} ={tally.draws} -{tally.losses}[/bold]  {result.score:.1%} of the points")
        if tally.games:
            out().print(result.elo_text)
        if tally.faults:
            out().print(f"{len(tally.faults)} game(s) lost by a fault", style="yellow")
    if stopped:
        raise typer.Exit(130)
