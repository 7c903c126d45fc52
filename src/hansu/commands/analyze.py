"""`hansu analyze`: what a player thinks of a position."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, PositionText, player_names


def add_to(app: typer.Typer) -> None:
    app.command("analyze")(run)


def run(
    game: GameName,
    position: PositionText = "start",
    player: Annotated[
        str, typer.Option("--player", "-p", help="Who looks at it.", autocompletion=player_names)
    ] = "iterative",
    limit: LimitText = "",
    as_json: AsJson = False,
    live: Annotated[bool, typer.Option("--live", help="Show each depth as it comes.")] = False,
) -> None:
    """Ask a player for the best move, its value, and why. Values are from the first player's side.

    [dim]For example:[/dim] hansu analyze tictactoe "1 5 9" --player alphabeta

    [dim]For programs:[/dim] hansu analyze tree start --player minimax --json
    """
    from hansu import games
    from hansu.arena.roster import player as player_named
    from hansu.core import Control, HansuError, Limit, Progress
    from hansu.ui.console import announce_compiling, err, number, out, show

    announce_compiling()
    found = games.game(game)
    at = found.position(position)
    who = player_named(player, found)
    bound = Limit.read(limit)
    if at.over:
        raise HansuError(f"the game is over here: {found.result_text(at.state)}", "give an earlier position")

    def tell(progress: Progress) -> None:
        line = " ".join(at.line_text(progress.line))
        err().print(
            f"[dim]depth {progress.depth}  nodes {progress.nodes:,}  value {number(progress.value)}  {line}[/dim]"
        )

    control = Control(tell if live else None)
    try:
        decision = who.decide(at, bound, control)
    finally:
        who.close()
    moves: list[dict[str, Any]] = []
    for m in decision.moves:
        entry: dict[str, Any] = {"move": at.move_text(m.action)}
        if m.value is not None:
            entry["value"] = m.value
        if m.bound:
            entry["bound"] = m.bound
        if m.visits is not None:
            entry["visits"] = m.visits
        moves.append(entry)
    line = at.line_text(decision.line)
    if as_json:
        answer = {
            "game": found.spec, "position": at.text, "player": who.name, "move": at.move_text(decision.action),
            "value": decision.value, "proved": decision.proved, "nodes": decision.nodes, "depth": decision.depth,
            "line": line, "moves": moves, "why": decision.why, "seconds": decision.seconds,
        }  # fmt: skip
        print(json.dumps(answer, ensure_ascii=False))
        return
    show(at)
    console = out()
    console.print(f"[bold]{at.move_text(decision.action)}[/bold]  {decision.why}")
    if decision.value is not None:
        kind = "exact" if decision.proved else "estimate"
        console.print(f"value {number(decision.value)} for {found.seats[0]} ({kind})")
    if line:
        console.print(f"line  {' '.join(line)}")
    console.print(f"[dim]{decision.nodes:,} nodes, depth {decision.depth}, {decision.seconds:.3f} s[/dim]")
    if moves:
        from rich.table import Table

        table = Table("move", "value", "visits", box=None, header_style="dim")
        best_first = sorted(moves, key=lambda m: _rank(m, at.team), reverse=True)
        for entry in best_first[:24]:
            visits = f"{entry['visits']:,}" if "visits" in entry else ""
            value = f"{entry.get('bound', '')} {number(entry.get('value'))}".strip()
            table.add_row(entry["move"], value, visits)
        console.print(table)


def _rank(move: dict[str, Any], team: int) -> tuple[float, float, bool]:
    value = move.get("value")
    good = -1e300 if value is None else (value if team == 0 else -value)
    return move.get("visits", 0), good, "bound" not in move
