"""`hansu play`: a game in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hansu.commands._arguments import GameName, some_limit


def add_to(app: typer.Typer) -> None:
    app.command("play")(run)


def run(
    game: GameName,
    first: Annotated[str, typer.Option("--first", "-1", help="Who moves first: human, or any player.")] = "human",
    second: Annotated[
        str, typer.Option("--second", "-2", help="Who moves second: the game's level:3 where nobody is named.")
    ] = "",
    limit: Annotated[
        str,
        typer.Option("--limit", "-l", callback=some_limit, help="For the machine: depth=4, nodes=100000 or time=0.5"),
    ] = "",
    position: Annotated[str, typer.Option("--position", "-p", help="Where to begin.")] = "start",
    seed: Annotated[int, typer.Option("--seed", help="For chance in the game.")] = 1,
) -> None:
    """Play in the terminal: type a move, or `help`.

    Opponents for people are level:1, a beginner, to level:10, the strongest; level:3 where nobody is named. Any other
    player can sit there, too: `hansu players GAME` lists them.

    [dim]For example:[/dim] hansu play connect_four --second level:5

    [dim]Begin against a machine:[/dim] hansu play tictactoe --first minimax

    [dim]Watch two machines:[/dim] hansu play tictactoe --first mcts --second alphabeta
    """
    from hansu.arena.warmup import Warmups
    from hansu.compile.notices import announce_compiling
    from hansu.core import Limit, registry
    from hansu.ui.terminal import TerminalSession

    announce_compiling()
    found = registry.game(game)
    if not second:  # whoever names one side leaves the other to a person
        second = found.opponent if first.strip() == "human" else "human"
    # Somebody at the keyboard does not wait while a machine is compiled; whoever plays from a file gets the machine.
    person = sys.stdin.isatty() and "human" in (first.strip(), second.strip())
    preparations = Warmups() if person else None
    TerminalSession(found.position(position), first, second, Limit.read(limit), seed, preparations).run()
