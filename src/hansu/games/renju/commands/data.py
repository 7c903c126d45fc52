"""`hansu data renju`: games from files, turned into samples for learning or into another format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.core.file_errors import not_there
from hansu.core.game_extensions import Commands

if TYPE_CHECKING:
    from hansu.games.renju.files.game_record import GameRecord, Mistake
    from hansu.games.renju.training.data import SampleTally

SHOWN_MISTAKES = 20
Rule = Annotated[str, typer.Option(help="Only games by this rule: renju (usual for samples), standard, freestyle.")]
Result = Annotated[str, typer.Option(help="Only games that ended so: all, known (usual), decided, black, white, draw.")]
Turns = Annotated[str, typer.Option(help="Turn and mirror: none; random, each sample by chance; all, eight of each.")]
Skip = Annotated[int, typer.Option(help="Leave out so many first moves: opening rules balance them.", min=0)]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first mistake instead of skipping that game.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Samples: .npz .jsonl; games: .sgf .psq .rif .lib .txt")]


def add_data_to(commands: Commands) -> None:
    commands.add("data renju", data)


def data(
    files: Annotated[list[Path], typer.Argument(help="Files of games (.sgf .psq .rif .lib .txt .jsonl), or folders.")],
    output: Output,
    skip_first: Skip = 5,
    rule: Rule = "",
    size: Annotated[int, typer.Option(help="Only games on boards of this size (15 for samples).", max=20)] = 0,
    result: Result = "",
    symmetries: Turns = "none",
    unique: Annotated[bool, typer.Option("--unique", help="A move in a position, turned or not, only once.")] = False,
    limit: Annotated[int | None, typer.Option(help="At most so many samples.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Of --symmetries random.")] = 1,
    strict: Strict = False,
    assume_rule: Annotated[str, typer.Option(help="The rule of games whose file does not name one.")] = "",
    mistakes: Annotated[Path | None, typer.Option(help="Write every mistake to this file.")] = None,
) -> None:
    """Turn files of games into samples for learning, or into another format. Games with mistakes are told with their
    line and skipped.

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
        raise HansuError(f"cannot write to {output.name}", "it ends with .npz, .jsonl, .sgf, .psq, .rif, .lib or .txt")
    check("--rule", rule, RULES)
    check("--assume-rule", assume_rule, RULES)
    check("--result", result, CHOICES)
    check("--symmetries", symmetries, TURNS)
    if not output.parent.is_dir():
        raise HansuError(f"there is no folder {output.parent}", "make it, or name another file with -o")
    paths = list(found(files))
    if output.resolve() in {path.resolve() for path in paths}:
        raise HansuError(f"{output} would be overwritten while it is read", "name another file with -o")
    tally = SampleTally()
    with reading(paths, strict, assume_rule, mistakes) as (games, broken):
        if as_games:
            write_games(output, choose(games, SampleFilter(rule, size, result or "all", 0), tally))
        else:
            wanted = SampleFilter(
                rule or "renju", size or 15, result or "known", skip_first, symmetries, unique, limit, seed
            )  # fmt: skip
            write_samples(output, samples_of(games, wanted, tally), wanted)
    if not tally.games + tally.left_out.total():
        output.unlink(missing_ok=True)
        what = "only broken games were found" if broken[0] else "no game was found"
        raise HansuError(
            f"{what} in {', '.join(path.name for path in paths[:3])}", "docs/games/renju_files.md lists the formats"
        )
    tell(output, tally, len(paths), broken[0], as_games)


def check(name: str, value: str, known: Iterable[str]) -> None:
    from hansu.core import HansuError

    if value and value not in known:
        raise HansuError(f"{name} {value} is unknown", f"one of: {', '.join(known)}")


def found(files: list[Path]) -> Iterator[Path]:
    """The files that are meant: a folder stands for all in it that may hold games."""
    from hansu.core import HansuError
    from hansu.games.renju.files.formats import SUFFIXES

    for path in files:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in SUFFIXES or p.suffix.lower() == ".gz"]
            if not inside:
                raise HansuError(f"there are no files of games in {path}", f"they end with {', '.join(SUFFIXES)}")
            yield from inside
        elif path.is_file():
            yield path
        else:
            raise not_there(path)


@contextmanager
def reading(
    paths: list[Path], strict: bool, assume_rule: str, mistakes: Path | None
) -> Iterator[tuple[Iterator[GameRecord], list[int]]]:
    """The games of some files, with a bar on standard error; and how many were broken so far."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.compile.notices import announce_compiling
    from hansu.games.renju.files.formats import Assumed, read_games

    broken = [0]
    console = Console(stderr=True, highlight=False)
    announce_compiling()
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    report = mistakes.open("w", encoding="utf-8") if mistakes is not None else None

    def skipped(path: Path) -> Callable[[Mistake], None]:
        def told(mistake: Mistake) -> None:
            broken[0] += 1
            text = f"{path}, {mistake.where}: {mistake.what}"
            if report is not None:
                report.write(text + "\n")
            if broken[0] <= SHOWN_MISTAKES:
                console.print(text, markup=False, soft_wrap=True)
            elif broken[0] == SHOWN_MISTAKES + 1:
                console.print("... more mistakes are counted" + ("" if report else "; --mistakes FILE keeps them"))

        return told

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
            yield games(), broken
        finally:
            if report is not None:
                report.close()


def tell(output: Path, tally: SampleTally, files: int, broken: int, as_games: bool) -> None:
    """What was read and what became of it, on standard output."""
    what = f"{tally.games:,} games" if as_games else f"{tally.samples:,} samples of {tally.games:,} games"
    print(f"{what} in {output}, {output.stat().st_size:,} bytes")
    read = tally.games + tally.left_out.total() + broken
    print(f"read: {read:,} games in {files:,} file{'s' if files != 1 else ''}")
    for reason, count in sorted(tally.left_out.items()):
        print(f"left out: {count:,} ({reason})")
    if broken:
        print(f"skipped: {broken:,} with mistakes")
    if tally.repeated:
        print(f"repeated: {tally.repeated:,} samples")
