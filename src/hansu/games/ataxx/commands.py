"""`hansu engine ataxx` and `hansu pgn ataxx`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.core.file_errors import not_there
from hansu.core.game_extensions import Commands

if TYPE_CHECKING:
    from hansu.games.ataxx.pgn import PgnGame


def add_to(commands: Commands) -> None:
    commands.add("engine ataxx", engine)
    commands.add("pgn ataxx", pgn)


def engine(
    player: Annotated[str, typer.Option("--player", "-p", help="Player to run instead of the engine.")] = "",
) -> None:
    """Run the Ataxx engine for tournament managers: UAI on standard input and output.

    [dim]For example:[/dim] printf 'uai\\nposition startpos\\ngo movetime 500\\n' | hansu engine ataxx

    [dim]A player with your network:[/dim] hansu engine ataxx --player puct:network=mine.onnx

    [dim]A match against another UAI engine:[/dim] hansu match ataxx engine "uai:cmd=./other" --limit time=0.1
    """
    from hansu.core.registry import game
    from hansu.games.ataxx.uai.ataxx_engine import AtaxxEngine, AtaxxPlayer
    from hansu.games.ataxx.uai.server import UaiServer
    from hansu.search.players.named import checked, player_named

    ataxx = game("ataxx")
    UaiServer(AtaxxPlayer(ataxx, checked(player_named(player, ataxx), ataxx)) if player else AtaxxEngine(ataxx)).serve()


def pgn(
    file: Annotated[Path, typer.Argument(help="Games in PGN, or the JSON lines from `hansu match --save`.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="PGN file to write all games to.")] = None,
    contest: Annotated[bool, typer.Option("--contest", help="Use the contest rules.")] = False,
) -> None:
    """Check a file of games move by move and count the results. Errors name their line; the file may have any size.

    [dim]For example:[/dim] hansu match ataxx engine random --games 2 --save games.jsonl

    [dim]then:[/dim] hansu pgn ataxx games.jsonl -o games.pgn
    """
    from collections import Counter

    from hansu.core import HansuError
    from hansu.core.reading import lines_of
    from hansu.games.ataxx.pgn import from_records, pgn_text, read_pgn

    if not file.is_file():
        raise not_there(file)
    if output is not None and (not output.parent.is_dir() or output.resolve() == file.resolve()):
        raise HansuError("cannot write to {path}", "name another file in an existing folder", path=output)
    results: Counter[str] = Counter()
    plies = 0

    def counted(games: Iterator[PgnGame]) -> Iterator[PgnGame]:
        nonlocal plies
        for game in games:
            results[game.result] += 1
            plies += len(game.actions)
            yield game

    with file.open(encoding="utf-8", errors="replace") as stream:
        lines = lines_of(stream)
        games = counted(from_records(lines) if file.suffix == ".jsonl" else read_pgn(lines, contest))
        if output is None:
            for _ in games:
                pass
        else:
            with output.open("w", encoding="utf-8") as out:
                for game in games:
                    out.write(pgn_text(game))
    summary = ", ".join(f"{result}: {count:,}" for result, count in sorted(results.items()))
    print(f"{results.total():,} games, {plies:,} plies ({summary or 'none'})")
