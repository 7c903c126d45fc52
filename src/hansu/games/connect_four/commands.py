"""The commands `hansu solve connect_four`, `data`, `book` and `export kaggle`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hansu.compile.notices import announce_compiling
from hansu.core.file_errors import not_written
from hansu.core.game_extensions import Commands
from hansu.core.reading import lines_of


def add_to(commands: Commands) -> None:
    commands.add("solve connect_four", solve)
    commands.add("data connect_four", data)
    commands.add("book connect_four", book)
    commands.add("export kaggle connect_four", export_kaggle)


def solve(
    positions: Annotated[
        list[str] | None,
        typer.Argument(help="Positions like 4453 or `start`; none: read standard input, one per line."),
    ] = None,
    weak: Annotated[bool, typer.Option("--weak", help="Only the result: 1 (win), 0 (draw) or -1 (loss).")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Keep the transposition table between positions.")] = False,
    use_book: Annotated[
        bool, typer.Option("--book", help="Look up positions of up to 8 stones in the opening book.")
    ] = False,
    megabytes: Annotated[int, typer.Option("--table", help="Transposition table size in MB.", min=1, max=1 << 16)] = 32,
    threads: Annotated[int, typer.Option("--threads", help="Positions solved in parallel.", min=1, max=256)] = 1,
) -> None:
    """Solve positions exactly. Prints one line each: `position score nodes microseconds`.

    The score is for the side to move: 22 minus the winner's stones at the end, negative for a loss, 0 for a draw.
    An invalid position gets an error on its line, and the exit code is 2. Microseconds are CPU time of the search.

    [dim]For example:[/dim] hansu solve connect_four 4453

    [dim]Many positions:[/dim] hansu solve connect_four < positions.txt

    [dim]The empty board:[/dim] hansu solve connect_four start --table 512
    """
    from hansu.games.connect_four.solver.book import OpeningBook
    from hansu.games.connect_four.solver.solve_lines import solve_lines

    announce_compiling()
    lines = (line.strip() for line in positions or lines_of(sys.stdin))
    not_empty = (line for line in lines if line)
    failed = False
    for result in solve_lines(not_empty, OpeningBook() if use_book else None, weak, warm, megabytes, threads):
        print(result, flush=True)
        failed |= " error: " in result
    if failed:
        raise typer.Exit(2)


def data(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output file.")],
    uci: Annotated[
        bool, typer.Option("--uci", help="Create the UCI connect-4 data: 67,557 labelled positions.")
    ] = False,
    threads: Annotated[
        int, typer.Option("--threads", help="Search threads; they share one table.", min=1, max=256)
    ] = 2,
    megabytes: Annotated[
        int, typer.Option("--table", help="Transposition table size in MB.", min=1, max=1 << 16)
    ] = 512,
) -> None:
    """Create the UCI data from the rules and the solver. An interrupted run resumes.

    [dim]For example:[/dim] hansu data connect_four --uci -o connect-4.data
    """
    from hansu.core import HansuError
    from hansu.games.connect_four.training.data import make

    announce_compiling()
    if not uci:
        raise HansuError("hansu data connect_four needs the name of a data set", "add --uci")
    with progress("solving", output) as report:
        count = make(output, threads, megabytes, report)
    print(f"{count:,} rows in {output}")


def book(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output file.")],
    threads: Annotated[
        int, typer.Option("--threads", help="Search threads; they share one table.", min=1, max=256)
    ] = 2,
    megabytes: Annotated[
        int, typer.Option("--table", help="Transposition table size in MB.", min=1, max=1 << 16)
    ] = 512,
) -> None:
    """Create the opening book: every position of up to 8 stones. An interrupted run resumes.

    [dim]For example:[/dim] hansu book connect_four -o book.npz --threads 16 --table 16384
    """
    from hansu.games.connect_four.solver.book import make

    announce_compiling()
    with progress("solving", output) as report:
        count = make(output, threads, megabytes, report=report)
    print(f"{count:,} positions in {output}, {output.stat().st_size:,} bytes")


def export_kaggle(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output file.")],
    player: Annotated[
        str, typer.Option("--player", "-p", help="Player to export: solver (the strongest) or puct.")
    ] = "solver",
    seconds: Annotated[
        float, typer.Option("--seconds", help="Seconds per move; Kaggle allows 2.", min=0.1, max=1.9)
    ] = 1.6,
) -> None:
    """Export a player to one file of plain Python and NumPy for Kaggle's ConnectX.

    `solver` plays from a repertoire up to 12 stones, then searches; it solves most later positions in time. `puct` is
    tree search guided by hansu's network.

    [dim]For example:[/dim] hansu export kaggle connect_four --player solver -o submission.py
    """
    from hansu.core import HansuError
    from hansu.games.connect_four.kaggle.export import PLAYERS, submission

    if player not in PLAYERS:
        raise HansuError(
            "{player} cannot be exported to Kaggle",
            "use --player solver (the strongest) or --player puct",
            player=player,
        )
    try:
        output.write_text(submission(player, seconds), encoding="utf-8")
    except OSError as error:
        raise not_written(output, error) from None
    print(f"{output}, {output.stat().st_size:,} bytes")


@contextmanager
def progress(what: str, output: Path) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, with the remaining time."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.core import HansuError

    if not output.parent.is_dir():
        raise HansuError("there is no folder {folder}", "create it, or name another file with -o", folder=output.parent)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        try:
            yield lambda done, total: bar.update(task, completed=done, total=total)
        except KeyboardInterrupt:
            bar.console.print(f"stopped; the same command resumes from {output}.part")
            raise typer.Exit(130) from None
