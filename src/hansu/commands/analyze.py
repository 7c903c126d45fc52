"""`hansu analyze`: what a player thinks of a position."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, PositionText, player_names
from hansu.core.phrase import Phrase

if TYPE_CHECKING:
    from rich.console import Console

    from hansu.arena.preparation import StandIn
    from hansu.core import Decision, Limit, Position

SECONDS = 1.0  # where neither a player nor a limit was given
SHOWN_MOVES, SHOWN_PLIES = 24, 8
COLUMNS = (Phrase("move"), Phrase("value"), Phrase("visits"), Phrase("network"), Phrase("line"))


def add_to(app: typer.Typer) -> None:
    app.command("analyze")(run)


def run(
    game: GameName,
    position: PositionText = "start",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            "-p",
            autocompletion=player_names,
            help="Who looks at it. If nobody is named: the game's solver or engine, or a general search, for a second.",
        ),
    ] = "",
    limit: LimitText = "",
    as_json: AsJson = False,
    live: Annotated[bool, typer.Option("--live", help="Show each depth as it comes.")] = False,
) -> None:
    """Ask a player for the best move, its value, and why. Values are from the first player's side.

    [dim]For example:[/dim] hansu analyze tictactoe "1 5 9" --player alphabeta

    [dim]A network's thoughts, on the board and in numbers:[/dim] hansu analyze connect_four 44 --player policy

    [dim]Several lines:[/dim] hansu analyze ataxx start --player engine:lines=3 --limit depth=8

    [dim]For programs:[/dim] hansu analyze tree start --player minimax --json
    """
    from hansu import games
    from hansu.arena.preparation import Preparations, StandIn
    from hansu.arena.roster import adviser
    from hansu.arena.roster import player as player_named
    from hansu.core import Control, HansuError, Limit, Report
    from hansu.core.first_time import announce_compiling
    from hansu.core.record import thought
    from hansu.ui.console import err, number, out, show
    from hansu.ui.heat import heated
    from hansu.ui.preparing import announce, follow
    from hansu.ui.tongue import told

    announce_compiling()
    found = games.game(game)
    at = found.position(position)
    who = player_named(player or adviser(found), found)
    bound = Limit.read(limit)
    if not player and bound == Limit() and not found.small:
        bound = Limit(time=SECONDS)
    if at.over:
        raise HansuError(f"the game is over here: {at.result_text}", "give an earlier position")

    def tell(report: Report) -> None:
        line = " ".join(at.line_text(report.line))
        err().print(
            f"[dim]depth {report.depth}  nodes {report.nodes:,}  value {number(report.value)}  {line}[/dim]",
        )

    control = Control(tell if live else None)
    try:
        who.find_files(at)
        with Preparations() as preparations:
            waits = None if as_json else preparations.of(found, who)  # a program wants the one answer
            if waits is not None:
                announce(preparations, [waits])
                _first_look(StandIn(who, waits), at, bound)
                follow(preparations, [waits])
        decision = who.decide(at, bound, control)
    finally:
        who.close()
    report = decision.report
    if as_json:
        asked = {"game": found.spec, "position": at.text, "player": who.name}
        print(json.dumps({**asked, **thought(at, decision), "why": str(decision.why)}, ensure_ascii=False))
        return
    show(heated(at, report))
    console = out()
    _print_found(console, at, decision)
    if report.moves:
        from rich.table import Table

        rows = [
            (
                at.move_text(move.action),
                "" if move.value is None else f"{move.value.bound} {number(move.value)}".strip(),
                "" if move.visits is None else f"{move.visits:,}",
                "" if move.prior is None else f"{move.prior:.1%}",
                " ".join(at.line_text(move.line[:SHOWN_PLIES])),
            )
            for move in report.best_first(at.team)[:SHOWN_MOVES]
        ]
        told_of = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
        table = Table(*(told(COLUMNS[i]) for i in told_of), box=None, header_style="dim")
        for row in rows:
            table.add_row(*(row[i] for i in told_of))
        console.print(table)


def _first_look(stand_in: StandIn, at: Position, limit: Limit) -> None:
    """What a simple search finds while the player itself is prepared: beside the answer, on standard error."""
    from hansu.core import HansuError
    from hansu.ui.console import err
    from hansu.ui.tongue import told

    with suppress(HansuError):  # the player may know better; if not, it says why
        found = stand_in.look(at, limit)
        err().print(told(Phrase("meanwhile, a first look of a simple search:")), style="dim", markup=False)
        _print_found(err(), at, found)


def _print_found(console: Console, at: Position, decision: Decision) -> None:
    from hansu.ui.console import number
    from hansu.ui.tongue import told

    report = decision.report
    console.print(f"[bold]{at.move_text(decision.action)}[/bold]  {told(decision.why)}")
    if report.value is not None:
        kind = Phrase("exact") if report.proved else Phrase("estimate")
        seat = at.game.seats[0]
        text = Phrase("value {value} for {seat} ({kind})", value=number(report.value), seat=seat, kind=kind)
        console.print(told(text), markup=False)
    if report.line:
        console.print(told(Phrase("line  {moves}", moves=" ".join(at.line_text(report.line)))), markup=False)
    effort = Phrase(
        "{nodes:,} nodes, depth {depth}, {seconds:.3f} s",
        nodes=report.nodes, depth=report.depth, seconds=report.seconds,
    )  # fmt: skip
    console.print(told(effort), style="dim", markup=False)
