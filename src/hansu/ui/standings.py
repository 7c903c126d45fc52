"""Standings for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansu.arena.standings import Standings, points

if TYPE_CHECKING:
    from rich.table import Table

WIDEST_MATRIX = 12  # players


def elo_text(value: float) -> str:
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:+.0f}"


def percent(value: float | None) -> str:
    """How likely something is; never quite sure."""
    if value is None:
        return ""
    return ">99.9%" if value > 0.9995 else "<0.1%" if value < 0.0005 else f"{value:.1%}"


def standings_table(found: Standings) -> Table:
    """The strongest first; `> next`: how likely it is better than the one below."""
    from rich.markup import escape
    from rich.table import Table

    faults = any(row.faults for row in found.rows)
    table = Table(box=None, header_style="dim", pad_edge=False)
    for title in ("#", "player", "Elo", "95 %", "games", "points", "won", "drawn", "lost", "> next"):
        name = title == "player"
        table.add_column(title, justify="left" if name else "right", no_wrap=not name, overflow="fold")
    if faults:
        table.add_column("faults", justify="right")
    for number, row in enumerate(found.rows, 1):
        interval = f"{elo_text(row.rating.low)} to {elo_text(row.rating.high)}"
        cells = [str(number), escape(row.name), f"[bold]{elo_text(row.rating.value)}[/bold]", interval]
        cells += [f"{row.games:,}", f"{row.points / max(row.games, 1):.1%}", *(f"{n:,}" for n in row.row)]
        cells += [percent(row.ahead), *([str(row.faults or "")] if faults else [])]
        table.add_row(*cells)
    return table


def seats_line(found: Standings) -> str:
    """What it is worth to begin, and how much is drawn."""
    seat = found.ratings.advantage
    interval = f"{elo_text(seat.low)} to {elo_text(seat.high)}"
    drawn = f"{found.ratings.draws:.0%} of the games between equals are drawn"
    return f"the first seat is worth {elo_text(seat.value)} Elo (95 %: {interval}); {drawn}"


def cross_table(found: Standings) -> Table:
    """Each row's points against each column, and how likely the row is better."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("points, likely better", overflow="fold")
    rows = found.rows[:WIDEST_MATRIX]
    for number in range(1, len(rows) + 1):
        table.add_column(str(number), justify="right")
    matrix = found.likely_better()
    for i, row in enumerate(rows):
        cells = [f"{i + 1} {escape(row.name)}"]
        for j, other in enumerate(rows):
            result = found.between(row.player, other.player)
            cells.append("" if i == j or not any(result) else _cell(result, matrix[i][j]))
        table.add_row(*cells)
    return table


def _cell(result: Sequence[int], better: float | None) -> str:
    tone = "" if better is None else "green" if better > 0.975 else "red" if better < 0.025 else ""
    text = f"{points(result):g}/{sum(result)} {percent(better)}"
    return f"[{tone}]{text}[/{tone}]" if tone else text
