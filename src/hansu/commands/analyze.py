"""`hansu analyze`: what a player thinks of a position."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, PositionText, player_names
from hansu.core.message import Message

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from hansu.arena.warmup import StandIn
    from hansu.core import Action, Control, Decision, Limit, MoveValue, Position, Report

SECONDS = 1.0  # where neither a player nor a limit was given
SHOWN_MOVES, SHOWN_PLIES = 24, 8
LIVE_MOVES = 5  # while it thinks
COLUMNS = (Message("move"), Message("value"), Message("visits"), Message("network"), Message("line"))


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
    live: Annotated[bool, typer.Option("--live", help="Keep each depth as it comes.")] = False,
) -> None:
    """Ask a player for the best move, its value, and why. Values are from the first player's side.

    [dim]For example:[/dim] hansu analyze tictactoe "1 5 9" --player alphabeta

    [dim]A network's thoughts, on the board and in numbers:[/dim] hansu analyze connect_four 44 --player policy

    [dim]Several lines:[/dim] hansu analyze ataxx start --player engine:lines=3 --limit depth=8

    [dim]For programs:[/dim] hansu analyze tree start --player minimax --json

    Ctrl-C ends the thought and tells what it has found (with --json: nothing); the exit code is 130 then.
    """
    from hansu.arena.roster import adviser
    from hansu.arena.roster import player as player_named
    from hansu.arena.warmup import StandIn, Warmups
    from hansu.compile.notices import announce_compiling
    from hansu.core import Control, HansuError, Limit, Report, registry
    from hansu.core.record import thought as thought_of
    from hansu.ui.console import out, show
    from hansu.ui.heat_map import heated
    from hansu.ui.interrupt import interruptible
    from hansu.ui.search_progress import shown
    from hansu.ui.warmup_progress import announce, follow

    announce_compiling()
    found = registry.game(game)
    at = found.position(position)
    who = player_named(player or adviser(found), found)
    bound = Limit.read(limit)
    if not player and bound == Limit() and not found.small:
        bound = Limit(time=SECONDS)
    if at.over:
        raise HansuError("the game is over here: {result}", "give an earlier position", result=at.result_text)

    told_last = Report()

    def tell(report: Report) -> None:
        nonlocal told_last
        told_last = report
        if live:
            _print_depth(at, report)

    control = Control(tell)
    try:
        who.find_files(at)
        if as_json:  # a program wants the one answer
            decision, interrupted = who.decide(at, bound, control), False
        else:
            with Warmups() as preparations:
                waits = preparations.of(found, who)
                if waits is not None:
                    announce(preparations, [waits])
                    if not found.small:  # there nobody waits long, and a lesson has one answer
                        _first_look(StandIn(who, waits), at, bound)
                    follow(preparations, [waits])

            def picture(seconds: float) -> RenderableType:
                return _so_far(at, told_last, control, seconds, thought.interrupted)

            with interruptible(control) as thought, shown(picture):
                decision = who.decide(at, bound, control)
            interrupted = thought.interrupted
    finally:
        who.close()
    report = decision.report
    if as_json:
        asked = {"game": found.spec, "position": at.text, "player": who.name}
        print(json.dumps({**asked, **thought_of(at, decision), "why": str(decision.why)}, ensure_ascii=False))
        return
    show(heated(at, report))
    console = out()
    _print_found(console, at, decision, who.acting(found).averages)
    if report.moves:
        console.print(_table(at, report.best_first(at.team)[:SHOWN_MOVES]))
    if interrupted:
        raise KeyboardInterrupt


def _print_depth(at: Position, report: Report) -> None:
    """A depth that has just been finished, and the next best moves where several have a line."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err, number

    lines = [
        Message(
            "depth {depth}  nodes {nodes:,}  value {value}  {line}",
            depth=report.depth, nodes=report.nodes, value=number(report.value), line=_played(at, report.line),
        )
    ]  # fmt: skip
    for move in report.best_first(at.team)[1:]:
        if move.line:
            lines.append(Message("value {value}  {line}", value=number(move.value), line=_played(at, move.line)))
    for i, line in enumerate(lines):
        err().print(("    " if i else "") + localize(line), style="dim", markup=False)


def _played(at: Position, line: tuple[Action, ...]) -> str:
    return " ".join(at.line_text(line))


def _so_far(at: Position, report: Report, control: Control, seconds: float, interrupted: bool) -> RenderableType:
    """What a search has found until now, as far as the terminal has room for it."""
    from rich.console import Group
    from rich.text import Text

    from hansu.core import MoveValue
    from hansu.core.terminal_language import localize
    from hansu.scene.ansi import ansi
    from hansu.ui.console import err
    from hansu.ui.heat_map import heated
    from hansu.ui.picture_language import spoken

    # Not every player hears that it shall stop.
    again = Message("Ctrl-C again leaves without an answer")
    effort = Message(
        "thinking: depth {depth}, {nodes:,} nodes, {seconds:.0f} s; {way_out}",
        depth=report.depth, nodes=max(control.nodes, report.nodes), seconds=seconds,
        way_out=again if interrupted else Message("Ctrl-C tells what it has found"),
    )  # fmt: skip
    parts: list[RenderableType] = [Text(localize(effort), style="dim", no_wrap=True)]
    moves = report.best_first(at.team)
    if report.line and not moves:
        moves = [MoveValue(action=report.line[0], value=report.value, line=report.line)]
    board = Text.from_ansi(ansi(spoken(heated(at, report))), no_wrap=True, overflow="crop")
    room = err().height - len(parts) - 1
    if (rows := len(board.plain.splitlines())) <= room:
        parts.insert(0, board)
        room -= rows
    if moves and room > 0:
        parts.append(_table(at, moves[: min(room, LIVE_MOVES)], header=False))
    return Group(*parts)


def _table(at: Position, moves: list[MoveValue], header: bool = True) -> Table:
    from rich.markup import escape
    from rich.table import Table

    from hansu.core.terminal_language import localize
    from hansu.ui.console import number

    rows = [
        (
            at.move_text(move.action),
            "" if move.value is None else f"{move.value.bound} {number(move.value)}".strip(),
            "" if move.visits is None else f"{move.visits:,}",
            "" if move.prior is None else f"{move.prior:.1%}",
            " ".join(at.line_text(move.line[:SHOWN_PLIES])),
        )
        for move in moves
    ]
    told_of = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    table = Table(*(localize(COLUMNS[i]) for i in told_of), box=None, header_style="dim", show_header=header)
    for row in rows:
        table.add_row(*(escape(row[i]) for i in told_of))
    return table


def _first_look(stand_in: StandIn, at: Position, limit: Limit) -> None:
    """What a simple search finds while the player itself is prepared: beside the answer, on standard error."""
    from hansu.core import HansuError
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    with suppress(HansuError):  # the player may know better; if not, it says why
        found = stand_in.look(at, limit)
        err().print(localize(Message("meanwhile, a first look of a simple search:")), style="dim", markup=False)
        _print_found(err(), at, found)


def _print_found(console: Console, at: Position, decision: Decision, averages: bool = False) -> None:
    from rich.markup import escape

    from hansu.core.terminal_language import localize
    from hansu.ui.console import number

    report = decision.report
    move, line = at.move_text(decision.action), at.line_text(report.line)
    console.print(f"[bold]{escape(move)}[/bold]{escape(_without(localize(decision.why), move, line))}")
    if report.value is not None:
        exact = Message("exact mean") if averages else Message("exact")
        kind = exact if report.proved else Message("estimate")
        seat = at.game.seats[0]
        text = Message("value {value} for {seat} ({kind})", value=number(report.value), seat=seat, kind=kind)
        console.print(localize(text), markup=False)
    if line:
        console.print(localize(Message("line  {moves}", moves=" ".join(line))), markup=False)
    effort = Message(
        "{nodes:,} nodes, depth {depth}, {seconds:.3f} s",
        nodes=report.nodes, depth=report.depth, seconds=report.seconds,
    )  # fmt: skip
    console.print(localize(effort), style="dim", markup=False)


def _without(why: str, move: str, line: list[str]) -> str:
    """What a reason says beside the move that it may begin with and the line that it may end with: both are told."""
    for count in range(len(line), 0, -1):
        if why != (shorter := why.removesuffix(f": {' '.join(line[:count])}")):
            why = shorter
            break
    rest = why.removeprefix(move)
    return rest if rest != why and not rest[:1].isalnum() else f"  {why}" if why else ""
