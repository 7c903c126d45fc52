"""`hansu data renju`: converts game files into training samples or into another format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.core.file_errors import not_there
from hansu.core.game_extensions import Commands
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.games.renju.files.game_record import GameRecord, Mistake
    from hansu.games.renju.training.data import SampleTally

SHOWN_MISTAKES = 20
FORMATS_HINT = Message("docs/games/renju_files.md lists the formats")
Rule = Annotated[
    str, typer.Option(help="Only games with this rule: renju (default for samples), standard or freestyle.")
]
Result = Annotated[
    str,
    typer.Option(help="Only games with this result: all, known (default for samples), decided, black, white or draw."),
]
Symmetries = Annotated[
    str, typer.Option(help="Symmetries of each sample: none; random, one of the eight; all, all eight.")
]
Skip = Annotated[
    int, typer.Option(help="Opening moves to omit from each game's samples; opening rules balance them.", min=0)
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first invalid game instead of skipping it.")]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="Output file; its ending selects samples (.npz .jsonl) or games (.sgf .psq .rif .lib .txt).",
    ),
]


def add_data_to(commands: Commands) -> None:
    commands.add("data renju", data)


def data(
    files: Annotated[list[Path], typer.Argument(help="Game files (.sgf .psq .rif .lib .txt .jsonl), or folders.")],
    output: Output,
    skip_first: Skip = 5,
    rule: Rule = "",
    size: Annotated[int, typer.Option(help="Only games on boards of this size (15 for samples).", max=20)] = 0,
    result: Result = "",
    symmetries: Symmetries = "none",
    unique: Annotated[
        bool, typer.Option("--unique", help="Keep each move in a position once, counting symmetric positions as equal.")
    ] = False,
    limit: Annotated[int | None, typer.Option(help="Maximum number of samples.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Random seed for --symmetries random.")] = 1,
    strict: Strict = False,
    assume_rule: Annotated[str, typer.Option(help="Rule of games whose file does not name one.")] = "",
    mistakes: Annotated[Path | None, typer.Option(help="Write all errors to this file.")] = None,
) -> None:
    """Convert game files into training samples or into another format.

    Invalid games are reported with file and line, and skipped.

    [dim]For example:[/dim] hansu data renju renjunet.rif -o samples.npz --symmetries random

    [dim]Another format:[/dim] hansu data renju games/ -o games.sgf
    """
    from hansu.core import HansuError
    from hansu.games.renju.files.formats import writable, write_games
    from hansu.games.renju.state import RULES
    from hansu.games.renju.training.data import (
        CHOICES,
        SUFFIXES,
        TURNS,
        SampleFilter,
        SampleTally,
        choose,
        samples_of,
        write_samples,
    )

    as_games = output.suffix.lower() not in SUFFIXES
    if as_games and not writable(output):
        raise HansuError(
            "cannot write {name}: unknown file ending",
            "choose .npz, .jsonl, .sgf, .psq, .rif, .lib or .txt",
            name=output.name,
        )
    check("--rule", rule, RULES)
    check("--assume-rule", assume_rule, RULES)
    check("--result", result, CHOICES)
    check("--symmetries", symmetries, TURNS)
    if not output.parent.is_dir():
        raise HansuError(
            "there is no folder {folder}",
            "create the folder, or choose another output file with -o",
            folder=output.parent,
        )
    paths = list(game_files(files))
    if output.resolve() in {path.resolve() for path in paths}:
        raise HansuError("{path} is an input file", "choose another output file with -o", path=output)
    tally = SampleTally()
    with games_with_progress(paths, strict, assume_rule, mistakes) as (games, invalid):
        if as_games:
            write_games(output, choose(games, SampleFilter(rule, size, result or "all", 0), tally))
        else:
            criteria = SampleFilter(
                rule or "renju", size or 15, result or "known", skip_first, symmetries, unique, limit, seed
            )  # fmt: skip
            write_samples(output, samples_of(games, criteria, tally), criteria)
    if not tally.games + tally.left_out.total():
        output.unlink(missing_ok=True)
        names = ", ".join(path.name for path in paths[:3])
        if invalid[0]:
            raise HansuError("every game in {names} is invalid", FORMATS_HINT, names=names)
        raise HansuError("there is no game in {names}", FORMATS_HINT, names=names)
    print_summary(output, tally, len(paths), invalid[0], as_games)


def check(name: str, value: str, known: Iterable[str]) -> None:
    """Reject an option's value that is not among the known ones; an empty value is the default."""
    from hansu.core import HansuError

    if value and value not in known:
        raise HansuError("{name} {value} is unknown", "known: {known}", name=name, value=value, known=", ".join(known))


def game_files(files: list[Path]) -> Iterator[Path]:
    """The files to read. A folder stands for all game files in it."""
    from hansu.core import HansuError
    from hansu.games.renju.files.formats import SUFFIXES

    for path in files:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in SUFFIXES or p.suffix.lower() == ".gz"]
            if not inside:
                raise HansuError(
                    "there are no game files in {path}",
                    "game files end with {endings}",
                    path=path,
                    endings=", ".join(SUFFIXES),
                )
            yield from inside
        elif path.is_file():
            yield path
        else:
            raise not_there(path)


@contextmanager
def games_with_progress(
    paths: list[Path], strict: bool, assume_rule: str, mistakes: Path | None
) -> Iterator[tuple[Iterator[GameRecord], list[int]]]:
    """Yield the games of the files and the number of invalid games so far; show a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.compile.notices import announce_compiling
    from hansu.games.renju.files.formats import Assumed, read_games

    invalid = [0]
    console = Console(stderr=True, highlight=False)
    announce_compiling()
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    report = mistakes.open("w", encoding="utf-8") if mistakes is not None else None

    def skipped(path: Path) -> Callable[[Mistake], None]:
        def report_mistake(mistake: Mistake) -> None:
            invalid[0] += 1
            text = f"{path}, {mistake.where}: {mistake.what}"
            if report is not None:
                report.write(text + "\n")
            if invalid[0] <= SHOWN_MISTAKES:
                console.print(text, markup=False, soft_wrap=True)
            elif invalid[0] == SHOWN_MISTAKES + 1:
                console.print(
                    "further errors are only counted" + ("" if report else "; --mistakes FILE lists them all")
                )

        return report_mistake

    with Progress(*columns, console=console) as bar:
        task = bar.add_task("reading", total=sum(path.stat().st_size for path in paths))

        def games() -> Iterator[GameRecord]:
            before = 0
            for path in paths:

                def progress(done: int, before: int = before) -> None:
                    bar.update(task, completed=before + done)

                yield from read_games(path, strict, skipped(path), Assumed(rule=assume_rule), progress)
                before += path.stat().st_size
                bar.update(task, completed=before)

        try:
            yield games(), invalid
        finally:
            if report is not None:
                report.close()


def print_summary(output: Path, tally: SampleTally, files: int, invalid: int, as_games: bool) -> None:
    """Print how many games were read, written, left out and skipped."""
    written = f"{tally.games:,} games" if as_games else f"{tally.samples:,} samples of {tally.games:,} games"
    print(f"{written} in {output}, {output.stat().st_size:,} bytes")
    read = tally.games + tally.left_out.total() + invalid
    print(f"read: {read:,} games in {files:,} file{'s' if files != 1 else ''}")
    for reason, count in sorted(tally.left_out.items()):
        print(f"left out: {count:,} ({reason})")
    if invalid:
        print(f"skipped: {invalid:,} invalid games")
    if tally.repeated:
        print(f"repeated: {tally.repeated:,} samples")
