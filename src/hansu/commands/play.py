"""`hansu play`: a game in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hansu.commands._arguments import GameName, some_limit
from hansu.commands._panels import PLAY


def add_to(app: typer.Typer) -> None:
    app.command("play", rich_help_panel=PLAY)(run)


def run(
    game: GameName,
    first: Annotated[
        str, typer.Option("--first", "-1", help="The player that moves first: human, or any player.")
    ] = "human",
    second: Annotated[
        str,
        typer.Option("--second", "-2", help="The player that moves second; by default the game's level:3."),
    ] = "",
    limit: Annotated[
        str,
        typer.Option(
            "--limit", "-l", callback=some_limit,
            help="Search limit per move of the computer: depth=4, nodes=100000 or time=0.5 (seconds).",
        ),
    ] = "",
    position: Annotated[str, typer.Option("--position", "-p", help="The position in which the game begins.")] = "start",
    seed: Annotated[int, typer.Option("--seed", help="Seed of random events in the game.")] = 1,
) -> None:  # fmt: skip
    """Play in the terminal: type a move, or `help`.

    Opponents are level:1, a beginner, to level:10, the strongest. The default is level:3. Any other player can be an
    opponent, too: `hansu players GAME` lists them.

    [dim]For example:[/dim] hansu play connect_four --second level:5

    [dim]Let the computer move first:[/dim] hansu play tictactoe --first minimax

    [dim]Watch two players:[/dim] hansu play tictactoe --first mcts --second alphabeta
    """
    from hansu.arena.warmup import WarmupQueue
    from hansu.compile.notices import announce_compiling
    from hansu.core import Limit, registry
    from hansu.ui.terminal import TerminalSession

    announce_compiling()
    rules = registry.game(game)
    if not second:  # if one player is named, a person takes the other seat
        second = rules.opponent if first.strip() == "human" else "human"
    # A person at the keyboard gets a fallback player during compilation; a script gets the player it named.
    interactive = sys.stdin.isatty() and "human" in (first.strip(), second.strip())
    warmups = WarmupQueue() if interactive else None
    TerminalSession(rules.position(position), first, second, Limit.read(limit), seed, warmups).run()
