"""Standings as tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from hansu.arena.standings import Standings, points
from hansu.core.message import Message
from hansu.core.terminal_language import localize

if TYPE_CHECKING:
    from rich.table import Table

WIDEST_MATRIX = 12  # players


def elo_text(value: float) -> str:
    """An Elo difference with its sign."""
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{round(value):+d}"


def percent(value: float | None) -> str:
    """A probability in percent; never exactly 0 or 100."""
    if value is None:
        return ""
    return ">99.9%" if value > 0.9995 else "<0.1%" if value < 0.0005 else f"{value:.1%}"


def faults_line(count: int) -> Message:
    """The number of games lost by a fault, as a sentence."""
    if count == 1:
        return Message("1 game lost by a fault")
    return Message("{count:,} games lost by a fault", count=count)


def standings_table(standings: Standings) -> Table:
    """Players by strength; `> next` is the probability that a player is stronger than the one below."""
    from rich.markup import escape
    from rich.table import Table

    faults = any(row.faults for row in standings.rows)
    table = Table(box=None, header_style="dim", pad_edge=False)
    who, results = Message("player"), (Message("won"), Message("drawn"), Message("lost"))
    for title in ("#", who, "Elo", "95 %", Message("games"), Message("points"), *results, Message("> next")):
        name = title is who
        table.add_column(localize(title), justify="left" if name else "right", no_wrap=not name, overflow="fold")
    if faults:
        table.add_column(localize(Message("faults")), justify="right", no_wrap=True)
    for number, row in enumerate(standings.rows, 1):
        interval = Message("{low} to {high}", low=elo_text(row.rating.low), high=elo_text(row.rating.high))
        cells = [str(number), escape(row.name), f"[bold]{elo_text(row.rating.value)}[/bold]", localize(interval)]
        cells += [f"{row.games:,}", f"{row.points / max(row.games, 1):.1%}", *(f"{n:,}" for n in row.row)]
        cells += [percent(row.ahead), *([str(row.faults or "")] if faults else [])]
        table.add_row(*cells)
    return table


def seats_table(standings: Standings) -> Table:
    """Each player's results by seat."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(localize(Message("by seat")), no_wrap=True, max_width=28)
    for seat in (Message("as first"), Message("as second")):
        for title in (seat, Message("won"), Message("drawn"), Message("lost")):
            table.add_column(localize(title), justify="right", no_wrap=True)
    for number, row in enumerate(standings.rows, 1):
        cells = []
        for seat_row in (row.as_first, row.as_second):
            share = f"{points(seat_row) / sum(seat_row):.1%}" if sum(seat_row) else ""
            cells += [share, *(f"{n:,}" for n in seat_row)]
        table.add_row(f"{number} {escape(row.name)}", *cells)
    return table


def cross_tables(standings: Standings) -> list[Table]:
    """The row's share of the points against the column, and the probability that the row is stronger."""
    matrix = standings.likely_better()

    def share(i: int, j: int) -> str:
        result = standings.between(standings.rows[i].player, standings.rows[j].player)
        return f"{100 * points(result) / sum(result):.0f}" if sum(result) else ""

    def better(i: int, j: int) -> str:
        likely = matrix[i][j]
        if likely is None:
            return ""
        tone = "green" if likely > 0.975 else "red" if likely < 0.025 else ""
        text = ">99" if likely > 0.995 else "<1" if likely < 0.005 else f"{100 * likely:.0f}"
        return f"[{tone}]{text}[/{tone}]" if tone else text

    return [
        _square(standings, Message("points in %"), share),
        _square(standings, Message("likely better in %"), better),
    ]


def _square(standings: Standings, title: str, cell: Callable[[int, int], str]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(localize(title), no_wrap=True, max_width=28)
    rows = standings.rows[:WIDEST_MATRIX]
    for number in range(1, len(rows) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for i, row in enumerate(rows):
        cells = ("" if i == j else cell(i, j) for j in range(len(rows)))
        table.add_row(f"{i + 1} {escape(row.name)}", *cells)
    return table
