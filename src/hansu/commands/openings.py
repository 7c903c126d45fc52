"""`hansu openings`: beginnings for matches, balanced if you like."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.core.file_errors import not_written
from hansu.core.message import Message

TRIES = 200  # openings that are judged for each that is wanted, at most
JUDGE_NODES = 20_000  # where no limit is given


def add_to(app: typer.Typer) -> None:
    app.command("openings")(run)


def run(
    game: GameName,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="How many.")] = 100,
    plies: Annotated[
        int | None, typer.Option("--plies", min=0, max=1_000, help="How long; else what suits the game.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Not by chance, but those of a file of openings or games.")
    ] = None,
    balanced: Annotated[bool, typer.Option("--balanced", help="Only those that a player judges to be even.")] = False,
    judge: Annotated[
        str, typer.Option("--judge", help="That player; else the game's solver or engine.", autocompletion=player_names)
    ] = "",
    limit: LimitText = "",
    margin: Annotated[
        float, typer.Option("--margin", min=0.0, max=1.0, help="How far from even, of the game's largest score.")
    ] = 0.1,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; else they are printed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another number, other openings.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Make openings: a few plies each, no two alike, not even mirrored.

    [dim]For example:[/dim] hansu openings connect_four --count 20 --plies 6 --balanced -o openings.txt

    [dim]Used by:[/dim] hansu tournament connect_four mcts heuristic --openings openings.txt
    """
    from hansu.arena import openings as beginnings
    from hansu.arena.roster import adviser, player
    from hansu.compile.notices import announce_compiling
    from hansu.core import HansuError, Limit, registry, terminal_language
    from hansu.ui.console import err

    announce_compiling()
    found = registry.game(game)
    if not balanced and (judge or limit):
        raise HansuError("--judge and --limit are for --balanced openings")
    if source is not None:
        candidates = iter(beginnings.read_openings(source, found, plies))
    else:
        candidates = iter(beginnings.RandomOpenings(found, plies, seed, exact=plies is not None))
    if out is not None:
        _writable(out)
    if balanced:
        who = player(judge or adviser(found), found)
        bound = Limit.read(limit)
        if bound == Limit() and "nodes" in who.heeds:
            bound = Limit(nodes=JUDGE_NODES)
        made = []
        tried = 0
        try:
            with err().status("") as status:
                for opening in beginnings.judged(islice(candidates, TRIES * count), found, who, bound):
                    tried += 1
                    if beginnings.is_even(opening, found, margin):
                        made.append(opening)
                    status.update(terminal_language.localize(_progress(len(made), count, tried, who.name)))
                    if len(made) == count:
                        break
        finally:
            who.close()
    else:
        made = list(islice(candidates, count))
    if not made:
        hint = Message("try more --plies or a larger --margin")
        raise HansuError("no such opening was found", hint)
    if len(made) < count:
        few = Message("only {found} of {count} found", found=len(made), count=count)
        err().print(terminal_language.localize(few), style="yellow")
    if as_json:
        told = [{"start": one.start, "moves": one.moves, "value": one.value} for one in made]
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in told)
    else:
        text = "".join(one.line(found) + "\n" for one in made)
    if out is None:
        print(text, end="")
    else:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise not_written(out, error) from None


def _progress(found: int, count: int, tried: int, judge: str) -> Message:
    return Message(
        "{found} of {count} found, {tried} judged by {judge}", found=found, count=count, tried=tried, judge=judge
    )


def _writable(path: Path) -> None:
    """Told before anything is judged."""

    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise not_written(path, error) from None
