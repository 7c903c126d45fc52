"""`hansu analyze`: a player's evaluation of a position."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, PositionText, player_names
from hansu.commands._panels import LEARN
from hansu.core.message import Message

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from hansu.arena.warmup import FallbackPlayer
    from hansu.core import Action, Control, Decision, Limit, MoveValue, Position, Report

SECONDS = 1.0  # if neither a player nor a limit is named
MAX_MOVES, MAX_PLIES = 24, 8  # in the table
LIVE_MOVES = 5  # during the search
COLUMNS = (Message("move"), Message("value"), Message("visits"), Message("network"), Message("line"))


def add_to(app: typer.Typer) -> None:
    app.command("analyze", rich_help_panel=LEARN)(run)


def run(
    game: GameName,
    position: PositionText = "start",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            "-p",
            autocompletion=player_names,
            help="The player that analyses. By default the game's solver or engine, or a general search, for 1 second.",
        ),
    ] = "",
    limit: LimitText = "",
    as_json: AsJson = False,
    live: Annotated[bool, typer.Option("--live", help="Print every depth of the search as it is finished.")] = False,
) -> None:
    """Ask a player for the best move, its value and the reason. Values are from the first player's side.

    [dim]For example:[/dim] hansu analyze tictactoe "1 5 9" --player alphabeta

    [dim]A network's policy, on the board and in numbers:[/dim] hansu analyze connect_four 44 --player policy

    [dim]Several lines:[/dim] hansu analyze ataxx start --player engine:lines=3 --limit depth=8

    [dim]As JSON:[/dim] hansu analyze tree start --player minimax --json

    Ctrl-C stops the search and prints its result so far (with --json nothing); the exit code is then 130.
    """
    from hansu.arena.roster import adviser
    from hansu.arena.roster import player as player_named
    from hansu.arena.warmup import FallbackPlayer, WarmupQueue
    from hansu.compile.notices import announce_compiling
    from hansu.core import Control, HansuError, Limit, Report, registry
    from hansu.core.record import thought as decision_json
    from hansu.ui.console import out, show
    from hansu.ui.heat_map import heated
    from hansu.ui.interrupt import interruptible
    from hansu.ui.search_progress import shown
    from hansu.ui.warmup_progress import announce, show_progress

    announce_compiling()
    rules = registry.game(game)
    at = rules.position(position)
    who = player_named(player or adviser(rules), rules)
    bound = Limit.read(limit)
    if not player and bound == Limit() and not rules.small:
        bound = Limit(time=SECONDS)
    if at.over:
        raise HansuError("the game is over here: {result}", "name an earlier position", result=at.result_text)

    last_report = Report()

    def on_report(report: Report) -> None:
        nonlocal last_report
        last_report = report
        if live:
            _print_depth(at, report)

    control = Control(on_report)
    try:
        who.find_files(at)
        if as_json:  # programs expect a single answer
            decision, interrupted = who.decide(at, bound, control), False
        else:
            with WarmupQueue() as queue:
                warmup = queue.request(rules, who)
                if warmup is not None:
                    announce(queue, [warmup])
                    if not rules.small:  # a small game is compiled quickly, and a lecture shows one answer
                        _print_first_look(FallbackPlayer(who, warmup), at, bound)
                    show_progress(queue, [warmup])

            def display(seconds: float) -> RenderableType:
                return _live_display(at, last_report, control, seconds, search.interrupted)

            with interruptible(control) as search, shown(display):
                decision = who.decide(at, bound, control)
            interrupted = search.interrupted
    finally:
        who.close()
    report = decision.report
    if as_json:
        question = {"game": rules.spec, "position": at.text, "player": who.name}
        answer = {**question, **decision_json(at, decision), "why": str(decision.why)}
        print(json.dumps(answer, ensure_ascii=False))
        return
    show(heated(at, report))
    console = out()
    _print_decision(console, at, decision, who.acting(rules).averages)
    if report.moves:
        console.print(_table(at, report.best_first(at.team)[:MAX_MOVES]))
    if interrupted:
        raise KeyboardInterrupt


def _print_depth(at: Position, report: Report) -> None:
    """Print a finished depth, and the next best moves if several have a line."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err, number

    lines = [
        Message(
            "depth {depth}  nodes {nodes:,}  value {value}  {line}",
            depth=report.depth, nodes=report.nodes, value=number(report.value), line=_moves(at, report.line),
        )
    ]  # fmt: skip
    for move in report.best_first(at.team)[1:]:
        if move.line:
            lines.append(Message("value {value}  {line}", value=number(move.value), line=_moves(at, move.line)))
    for i, line in enumerate(lines):
        err().print(("    " if i else "") + localize(line), style="dim", markup=False)


def _moves(at: Position, line: tuple[Action, ...]) -> str:
    return " ".join(at.line_text(line))


def _live_display(at: Position, report: Report, control: Control, seconds: float, interrupted: bool) -> RenderableType:
    """The result of a search so far, as far as it fits on the terminal."""
    from rich.console import Group
    from rich.text import Text

    from hansu.core import MoveValue
    from hansu.core.terminal_language import localize
    from hansu.scene.ansi import ansi
    from hansu.ui.console import err
    from hansu.ui.heat_map import heated
    from hansu.ui.picture_language import spoken

    # Some players cannot be stopped.
    again = Message("press Ctrl-C again to quit without a result")
    status = Message(
        "searching: depth {depth}, {nodes:,} nodes, {seconds:.0f} s; {way_out}",
        depth=report.depth, nodes=max(control.nodes, report.nodes), seconds=seconds,
        way_out=again if interrupted else Message("Ctrl-C stops and prints the result so far"),
    )  # fmt: skip
    parts: list[RenderableType] = [Text(localize(status), style="dim", no_wrap=True)]
    moves = report.best_first(at.team)
    if report.line and not moves:
        moves = [MoveValue(action=report.line[0], value=report.value, line=report.line)]
    board = Text.from_ansi(ansi(spoken(heated(at, report))), no_wrap=True, overflow="crop")
    height_left = err().height - len(parts) - 1
    if (rows := len(board.plain.splitlines())) <= height_left:
        parts.insert(0, board)
        height_left -= rows
    if moves and height_left > 0:
        parts.append(_table(at, moves[: min(height_left, LIVE_MOVES)], header=False))
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
            " ".join(at.line_text(move.line[:MAX_PLIES])),
        )
        for move in moves
    ]
    columns = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    table = Table(*(localize(COLUMNS[i]) for i in columns), box=None, header_style="dim", show_header=header)
    for row in rows:
        table.add_row(*(escape(row[i]) for i in columns))
    return table


def _print_first_look(fallback: FallbackPlayer, at: Position, limit: Limit) -> None:
    """Print the result of a simple search to standard error while the player itself is compiled."""
    from hansu.core import HansuError
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    with suppress(HansuError):  # if the player cannot search here either, it reports the reason
        decision = fallback.quick_search(at, limit)
        err().print(localize(Message("meanwhile, the result of a simple search:")), style="dim", markup=False)
        _print_decision(err(), at, decision)


def _print_decision(console: Console, at: Position, decision: Decision, averages: bool = False) -> None:
    from rich.markup import escape

    from hansu.core.terminal_language import localize
    from hansu.ui.console import number

    report = decision.report
    move, line = at.move_text(decision.action), at.line_text(report.line)
    console.print(f"[bold]{escape(move)}[/bold]{escape(_reason(localize(decision.why), move, line))}")
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


def _reason(why: str, move: str, line: list[str]) -> str:
    """A reason without the move at its beginning and the line at its end, which are printed separately."""
    for count in range(len(line), 0, -1):
        if why != (shorter := why.removesuffix(f": {' '.join(line[:count])}")):
            why = shorter
            break
    rest = why.removeprefix(move)
    return rest if rest != why and not rest[:1].isalnum() else f"  {why}" if why else ""
