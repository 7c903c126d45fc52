"""`hansu openings`: generate openings for matches."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.commands._panels import COMPARE
from hansu.core.file_errors import not_written
from hansu.core.message import Message

MAX_TRIES = 200  # evaluated openings per requested opening
JUDGE_NODES = 20_000  # limit of the judge if none is named


def add_to(app: typer.Typer) -> None:
    app.command("openings", rich_help_panel=COMPARE)(run)


def run(
    game: GameName,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="Number of openings.")] = 100,
    plies: Annotated[
        int | None, typer.Option("--plies", min=0, max=1_000, help="Plies per opening; by default chosen by the game.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take the openings from this file of openings or games.")
    ] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Keep only openings that --judge evaluates as even.")
    ] = False,
    judge: Annotated[
        str,
        typer.Option(
            "--judge", help="Player that evaluates openings; by default the game's solver or engine.",
            autocompletion=player_names,
        ),
    ] = "",
    limit: LimitText = "",
    margin: Annotated[
        float,
        typer.Option(
            "--margin", min=0.0, max=1.0, help="Largest value of an even opening, as a share of the largest score."
        ),
    ] = 0.1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; by default standard output.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random openings.")] = 1,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Generate openings of a few plies. No two are equal or symmetric to each other.

    [dim]For example:[/dim] hansu openings connect_four --count 20 --plies 6 --balanced -o openings.txt

    [dim]Used by:[/dim] hansu tournament connect_four mcts heuristic --openings openings.txt
    """
    from hansu.arena.openings import RandomOpenings, evaluate, is_even, read_openings
    from hansu.arena.roster import adviser, player
    from hansu.compile.notices import announce_compiling
    from hansu.core import HansuError, Limit, registry, terminal_language
    from hansu.ui.console import err

    announce_compiling()
    rules = registry.game(game)
    if not balanced and (judge or limit):
        raise HansuError("--judge and --limit need --balanced")
    if source is not None:
        candidates = iter(read_openings(source, rules, plies))
    else:
        candidates = iter(RandomOpenings(rules, plies, seed, exact=plies is not None))
    if out is not None:
        _check_writable(out)
    if balanced:
        who = player(judge or adviser(rules), rules)
        bound = Limit.read(limit)
        if bound == Limit() and "nodes" in who.heeds:
            bound = Limit(nodes=JUDGE_NODES)
        openings = []
        tried = 0
        try:
            with err().status("") as status:
                for opening in evaluate(islice(candidates, MAX_TRIES * count), rules, who, bound):
                    tried += 1
                    if is_even(opening, rules, margin):
                        openings.append(opening)
                    status.update(terminal_language.localize(_progress(len(openings), count, tried, who.name)))
                    if len(openings) == count:
                        break
        finally:
            who.close()
    else:
        openings = list(islice(candidates, count))
    if not openings:
        raise HansuError("no such opening was found", "try more --plies or a larger --margin")
    if len(openings) < count:
        few = Message("only {found} of {count} openings found", found=len(openings), count=count)
        err().print(terminal_language.localize(few), style="yellow")
    if as_json:
        rows = [{"start": one.start, "moves": one.moves, "value": one.value} for one in openings]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        text = "".join(one.line(rules) + "\n" for one in openings)
    if out is None:
        print(text, end="")
    else:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise not_written(out, error) from None


def _progress(found: int, count: int, tried: int, judge: str) -> Message:
    return Message(
        "{found} of {count} found, {tried} evaluated by {judge}", found=found, count=count, tried=tried, judge=judge
    )


def _check_writable(path: Path) -> None:
    """Raise before the work begins if the file cannot be written."""
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise not_written(path, error) from None
