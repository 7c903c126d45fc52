"""`hansu sprt`: is a new player better than the old one? Stops by itself when that is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.commands._events import Adjudicate, Cluster, Minutes, OpeningPlies, OpeningsFile, Seed, StoreFile, Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from hansu.arena.sprt import Sprt
    from hansu.commands._events import Pace


def add_to(app: typer.Typer) -> None:
    app.command("sprt")(run)


def run(
    game: GameName,
    new: Annotated[str, typer.Argument(help="The player in question.", autocompletion=player_names)],
    old: Annotated[str, typer.Argument(help="The one it should be better than.", autocompletion=player_names)],
    elo0: Annotated[float, typer.Option("--elo0", help="H0: it is better by no more than this.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="H1: it is better by this.")] = 10.0,
    alpha: Annotated[float, typer.Option("--alpha", help="How often H0 may be rejected although it is true.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="How often H1 may be rejected although it is true.")] = 0.05,
    store: StoreFile = None,
    games: Annotated[int | None, typer.Option("--games", "-n", min=2, help="At most; else until it is known.")] = None,
    minutes: Minutes = None,
    workers: Workers = None,
    cluster: Cluster = "",
    limit: LimitText = "",
    openings: OpeningsFile = None,
    opening_plies: OpeningPlies = None,
    adjudicate: Adjudicate = "",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Test whether NEW is stronger than OLD, with as few games as that takes.

    A sequential test on pairs of games (the same opening from both seats): it stops when one of the hypotheses is
    accepted. A wrong one is accepted in 5 % of the cases at most.

    [dim]For example:[/dim] hansu sprt connect_four heuristic:depth=5 heuristic:depth=3 --elo0 0 --elo1 50

    [dim]Two engines:[/dim] hansu sprt ataxx new=uai:cmd=./new old=uai:cmd=./old -l time=0.1 --store test.db
    """
    from hansu import games as all_games
    from hansu.arena.adjudication import Adjudication
    from hansu.arena.contestant import read_contestants
    from hansu.arena.schedule import Duel
    from hansu.arena.sprt import Sprt
    from hansu.arena.standings import Results
    from hansu.arena.tournament import Tournament
    from hansu.commands._events import chosen_openings, ends_gently, follow, opened, pool_for, tell_repeats
    from hansu.core import HansuError, Limit
    from hansu.ui.console import out

    test = Sprt(elo0, elo1, alpha, beta)
    found = all_games.game(game)
    who = read_contestants([new, old], found, Limit.read(limit))
    rules = Adjudication.read(adjudicate)
    source = chosen_openings(found, openings, opening_plies, seed)
    names = [one.name for one in who]
    settings = {"players": [f"{one.name}#{one.version}" for one in who]}
    with ends_gently(), opened(store) as kept:
        event = Tournament(kept, found, who, Duel(), source, seed, rules, settings)
        results = Results()

        def pairs() -> list[int]:
            return results.pairs(*event.ids)

        def done() -> bool:
            played = pairs()
            return bool(test.verdict(played)) or (games is not None and 2 * sum(played) >= games)

        def picture(pace: Pace) -> RenderableType:
            return "\n".join([*_lines(test, pairs(), names), f"{found.spec}: {pace.line(results.games, games)}"])

        finished, trouble = False, None
        try:
            with pool_for(found, who, rules, workers, cluster) as pool:
                finished = follow(event, pool, results, picture, as_json, minutes, done)
        except HansuError as error:
            if not results.games:
                raise
            trouble = error
        if as_json:
            told = {
                "game": found.spec, "new": names[0], "old": names[1], **test.as_json(pairs()), "games": results.games,
                "faults": sum(results.faults.values()), "openings": source.told, "seed": seed,
                "store": None if store is None else str(store), "finished": finished and trouble is None,
            }  # fmt: skip
            print(json.dumps(told, ensure_ascii=False))
        else:
            for line in _lines(test, pairs(), names):
                out().print(line, markup=False)
            if results.faults:
                out().print(f"{sum(results.faults.values())} game(s) lost by a fault", style="yellow")
            tell_repeats(source, sum(pairs()))
            out().print(f"[bold]{_verdict(test, pairs())}[/bold]")
    if trouble is not None:
        raise trouble
    if not finished:
        raise typer.Exit(130)


def _lines(test: Sprt, pairs: Sequence[int], names: Sequence[str]) -> list[str]:
    from hansu.arena.sprt import pair_estimate

    low, high = test.bounds
    estimate = pair_estimate(pairs)
    return [
        f"{names[0]} against {names[1]}: {estimate.score:.1%} of the points, {estimate.elo_text}",
        f"pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, pairs))}",
        f"log likelihood ratio of {test.elo1:g} to {test.elo0:g} Elo: {test.ratio(pairs):+.2f} ({low:.2f}, {high:.2f})",
    ]


def _verdict(test: Sprt, pairs: Sequence[int]) -> str:
    verdict = test.verdict(pairs)
    if verdict == "H1":
        return f"H1 accepted: better by more than {test.elo0:g} Elo"
    if verdict == "H0":
        return f"H0 accepted: not better by {test.elo1:g} Elo"
    return "not decided yet"
