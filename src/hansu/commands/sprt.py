"""`hansu sprt`: is a new player stronger than the old one? Stops as soon as that is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.commands._events import Adjudicate, Cluster, Minutes, OpeningPlies, OpeningsFile, Seed, StoreFile, Workers
from hansu.commands._panels import COMPARE
from hansu.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from hansu.arena.sprt import Sprt
    from hansu.commands._events import Pace


def add_to(app: typer.Typer) -> None:
    app.command("sprt", rich_help_panel=COMPARE)(run)


def run(
    game: GameName,
    new: Annotated[str, typer.Argument(help="The player under test.", autocompletion=player_names)],
    old: Annotated[str, typer.Argument(help="The player it should beat.", autocompletion=player_names)],
    elo0: Annotated[float, typer.Option("--elo0", help="H0: NEW is stronger by at most this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="H1: NEW is stronger by at least this much Elo.")] = 10.0,
    alpha: Annotated[float, typer.Option("--alpha", help="Probability of rejecting a true H0.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="Probability of rejecting a true H1.")] = 0.05,
    store: StoreFile = None,
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=2, help="Largest number of games; by default no bound.")
    ] = None,
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
    """Test whether NEW is stronger than OLD, with as few games as possible.

    A sequential probability ratio test on pairs of games (the same opening from both seats). It stops when one of the
    two hypotheses is accepted. It accepts a wrong hypothesis in at most 5 % of the cases.

    [dim]For example:[/dim] hansu sprt connect_four heuristic:depth=5 heuristic:depth=3 --elo0 0 --elo1 50

    [dim]Two engines:[/dim] hansu sprt ataxx new=uai:cmd=./new old=uai:cmd=./old -l time=0.1 --store test.db
    """
    from hansu.arena.adjudication import Adjudication
    from hansu.arena.contestant import read_contestants
    from hansu.arena.schedule import Duel
    from hansu.arena.sprt import Sprt
    from hansu.arena.standings import Results
    from hansu.arena.tournament import Tournament
    from hansu.commands._events import (
        choose_openings,
        exit_on_signals,
        follow,
        open_store,
        runner_for,
        warn_of_repeats,
    )  # fmt: skip
    from hansu.core import HansuError, Limit, registry
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out
    from hansu.ui.standings import faults_line

    test = Sprt(elo0, elo1, alpha, beta)
    rules = registry.game(game)
    who = read_contestants([new, old], rules, Limit.read(limit))
    adjudication = Adjudication.read(adjudicate)
    source = choose_openings(rules, openings, opening_plies, seed)
    names = [one.name for one in who]
    settings = {"players": [f"{one.name}#{one.version}" for one in who]}
    with exit_on_signals(), open_store(store) as database:
        event = Tournament(database, rules, who, Duel(), source, seed, adjudication, settings)
        results = Results()

        def pairs() -> list[int]:
            return results.pairs(*event.ids)

        def done() -> bool:
            counts = pairs()
            return bool(test.verdict(counts)) or (games is not None and 2 * sum(counts) >= games)

        def display(pace: Pace) -> RenderableType:
            lines = map(localize, _lines(test, pairs(), names))
            return "\n".join([*lines, pace.line(rules.spec, results.games, games)])

        finished, error = False, None
        try:
            with runner_for(rules, who, adjudication, workers, cluster) as runner:
                finished = follow(event, runner, results, display, as_json, minutes, done)
        except HansuError as caught:
            if not results.games:
                raise
            error = caught  # after the results of the games before it
        if as_json:
            answer = {
                "game": rules.spec, "new": names[0], "old": names[1], **test.as_json(pairs()), "games": results.games,
                "faults": sum(results.faults.values()), "openings": source.description, "seed": seed,
                "store": None if store is None else str(store), "finished": finished and error is None,
            }  # fmt: skip
            print(json.dumps(answer, ensure_ascii=False))
        else:
            for line in _lines(test, pairs(), names):
                out().print(localize(line), markup=False)
            if results.faults:
                out().print(localize(faults_line(results.faults.total())), style="yellow")
            warn_of_repeats(source, sum(pairs()))
            out().print(localize(_verdict(test, pairs())), style="bold", markup=False)
    if error is not None:
        raise error
    if not finished:
        raise typer.Exit(130)


def _lines(test: Sprt, pairs: Sequence[int], names: Sequence[str]) -> list[Message]:
    from hansu.arena.sprt import pair_estimate

    low, high = test.bounds
    estimate = pair_estimate(pairs)
    return [
        Message(
            "{a} against {b}: {share:.1%} of the points, {elo}",
            a=names[0], b=names[1], share=estimate.score, elo=estimate.elo_text,
        ),
        Message("pairs with 0, 1/2, 1, 3/2, 2 points: {pairs}", pairs=", ".join(map(str, pairs))),
        Message(
            "log likelihood ratio of {elo1:g} to {elo0:g} Elo: {ratio:+.2f} ({low:.2f}, {high:.2f})",
            elo0=test.elo0, elo1=test.elo1, ratio=test.ratio(pairs), low=low, high=high,
        ),
    ]  # fmt: skip


def _verdict(test: Sprt, pairs: Sequence[int]) -> Message:
    verdict = test.verdict(pairs)
    if verdict == "H1":
        return Message("H1 accepted: better by more than {elo:g} Elo", elo=test.elo0)
    if verdict == "H0":
        return Message("H0 accepted: not better by {elo:g} Elo", elo=test.elo1)
    return Message("not decided yet")
