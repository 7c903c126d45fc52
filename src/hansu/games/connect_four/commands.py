"""`hansu solve`, `hansu data`, `hansu book` and `hansu export kaggle`, each with `connect_four` behind it."""

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
    positions: Annotated[list[str] | None, typer.Argument(help="Standard input, if none is given.")] = None,
    weak: Annotated[bool, typer.Option("--weak", help="Win, draw or loss only: 1, 0 or -1.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Keep the table from one position to the next.")] = False,
    use_book: Annotated[bool, typer.Option("--book", help="Answer from the opening book where it knows.")] = False,
    megabytes: Annotated[int, typer.Option("--table", help="Megabytes of the table.", min=1, max=1 << 16)] = 32,
    threads: Annotated[int, typer.Option("--threads", help="Positions at a time.", min=1, max=256)] = 1,
) -> None:
    """Exact scores of positions, given here or on standard input, one a line: `position score nodes microseconds`.

    The score is for the mover: 22 less the stones the winner has when it wins, negative for a loss, 0 for a draw.
    A line that is no position gets an error on its own line, and the exit code is then 2. Microseconds are CPU time of
    the search alone.

    [dim]For example:[/dim] hansu solve connect_four 4453

    [dim]Many:[/dim] hansu solve connect_four < positions.txt

    [dim]The empty board:[/dim] hansu solve connect_four start --table 512
    """
    from hansu.games.connect_four.solver.answers import answers
    from hansu.games.connect_four.solver.book import OpeningBook

    announce_compiling()
    lines = (line.strip() for line in positions or lines_of(sys.stdin))
    wanted = (line for line in lines if line)
    failed = False
    for answer in answers(wanted, OpeningBook() if use_book else None, weak, warm, megabytes, threads):
        print(answer, flush=True)
        failed |= " error: " in answer
    if failed:
        raise typer.Exit(2)


def data(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    uci: Annotated[bool, typer.Option("--uci", help="The UCI connect-4 data: 67,557 labelled positions.")] = False,
    threads: Annotated[int, typer.Option("--threads", help="They share one table.", min=1, max=256)] = 2,
    megabytes: Annotated[int, typer.Option("--table", help="Megabytes of the table.", min=1, max=1 << 16)] = 512,
) -> None:
    """Make the UCI data from the rules and the solver. A run that was stopped goes on where it was.

    [dim]For example:[/dim] hansu data connect_four --uci -o connect-4.data
    """
    from hansu.core import HansuError
    from hansu.games.connect_four.training.data import make

    announce_compiling()
    if not uci:
        raise HansuError("hansu data connect_four: say which data", "--uci is the one there is")
    with progress("solving", output) as tell:
        count = make(output, threads, megabytes, tell)
    print(f"{count:,} rows in {output}")


def book(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    threads: Annotated[int, typer.Option("--threads", help="They share one table.", min=1, max=256)] = 2,
    megabytes: Annotated[int, typer.Option("--table", help="Megabytes of the table.", min=1, max=1 << 16)] = 512,
) -> None:
    """Make the opening book: every position of up to 8 stones. A run that was stopped goes on where it was.

    [dim]For example:[/dim] hansu book connect_four -o book.npz --threads 16 --table 16384
    """
    from hansu.games.connect_four.solver.book import make

    announce_compiling()
    with progress("solving", output) as tell:
        count = make(output, threads, megabytes, tell=tell)
    print(f"{count:,} positions in {output}, {output.stat().st_size:,} bytes")


def export_kaggle(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    player: Annotated[
        str, typer.Option("--player", "-p", help="Who plays there: the solver, which is the strongest, or puct.")
    ] = "solver",
    seconds: Annotated[float, typer.Option("--seconds", help="For a move; Kaggle allows 2.", min=0.1, max=1.9)] = 1.6,
) -> None:
    """Write a player as one file of plain Python and NumPy for Kaggle's ConnectX.

    The solver goes there with a repertoire of 12 stones and a search that solves most later positions in time; puct
    with the network that comes with hansu and the search that it guides.

    [dim]For example:[/dim] hansu export kaggle connect_four --player solver -o submission.py
    """
    from hansu.core import HansuError
    from hansu.games.connect_four.kaggle.export import PLAYERS, submission

    if player not in PLAYERS:
        raise HansuError(
            f"{player} cannot be exported to Kaggle", "--player solver, which is the strongest, or --player puct"
        )
    try:
        output.write_text(submission(player, seconds), encoding="utf-8")
    except OSError as error:
        raise not_written(output, error) from None
    print(f"{output}, {output.stat().st_size:,} bytes")


@contextmanager
def progress(what: str, output: Path) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that shows how much is done and how long the rest takes."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.core import HansuError

    if not output.parent.is_dir():
        raise HansuError(f"there is no folder {output.parent}", "make it, or name another file with -o")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        try:
            yield lambda done, total: bar.update(task, completed=done, total=total)
        except KeyboardInterrupt:
            bar.console.print(f"stopped; the same command goes on from {output}.part")
            raise typer.Exit(130) from None
