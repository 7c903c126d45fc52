"""`hansu perft`: count lines of play, the classic test of move generation."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, GameName
from hansu.commands._panels import BUILD
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("perft", rich_help_panel=BUILD)(run)


def run(
    game: GameName,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=100, help="Largest depth in plies.")] = 4,
    position: Annotated[
        str,
        typer.Option("--position", "-p", help="`start`, moves from the start, or a position in the game's notation."),
    ] = "start",
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count below each first move.")] = False,
    as_json: AsJson = False,
    interpreted: Annotated[
        bool, typer.Option("--interpreted", help="Run the rules as plain Python, without compiling them.")
    ] = False,
) -> None:
    """Count the lines of play of 1 to N plies.

    [dim]For example:[/dim] hansu perft tictactoe --depth 9
    """
    import time

    from hansu.compile import compiled
    from hansu.compile.notices import announce_compiling
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.search.object_state import needs_object_state
    from hansu.search.perft import perft
    from hansu.ui.console import out

    announce_compiling()
    start = registry.game(game).position(position)
    state = start.state
    count = perft if interpreted or needs_object_state(state) else (start.game.perft or compiled(perft, type(state)))
    rows = []
    for n in range(1, depth + 1):
        started = time.perf_counter()
        rows.append((n, int(count(state, n)), time.perf_counter() - started))
    parts = {}
    if divide:
        parts = {start.move_text(a): int(count(start.play(a).state, depth - 1)) for a in start.actions}
    if as_json:
        answer: dict[str, object] = {"game": start.game.spec, "nodes": [nodes for _, nodes, _ in rows]}
        if divide:
            answer["divide"] = parts
        print(json.dumps(answer))
        return
    from rich.table import Table

    heads = Message("depth"), Message("lines of play"), Message("seconds"), Message("lines per second")
    table = Table(*map(localize, heads), box=None, header_style="dim")
    for n, nodes, seconds in rows:
        table.add_row(str(n), f"{nodes:,}", f"{seconds:.3f}", f"{nodes / max(seconds, 1e-9):,.0f}")
    out().print(table)
    for move, nodes in parts.items():
        out().print(f"{move}: {nodes:,}")
