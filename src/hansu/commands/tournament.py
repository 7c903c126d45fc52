"""`hansu tournament`: games between many players, with ratings and intervals."""

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

    from hansu.arena.contestant import Contestant
    from hansu.arena.schedule import Schedule
    from hansu.arena.standings import Standings
    from hansu.commands._events import Pace


def add_to(app: typer.Typer) -> None:
    app.command("tournament", rich_help_panel=COMPARE)(run)


def run(
    game: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            help="Two or more players, each optionally with a limit or a label: alphabeta:depth=4, mcts@time=0.1, "
            "my_agent.py:Name, old=alphabeta:depth=2",
            autocompletion=player_names,
        ),
    ],
    store: StoreFile = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-n", min=1, help="Games for each pair of players, an even number: each opening is played "
            "twice, with seats swapped. By default 20; in a swiss event 2 per round."
        ),
    ] = None,
    gauntlet: Annotated[
        str, typer.Option("--gauntlet", help="This player meets all others; the others do not meet each other.")
    ] = "",
    ladder: Annotated[bool, typer.Option("--ladder", help="Each player meets only the next one in the list.")] = False,
    swiss: Annotated[
        bool, typer.Option("--swiss", help="Each round pairs players with equal scores and avoids rematches.")
    ] = False,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="Number of rounds of a --swiss event.")] = None,
    minutes: Minutes = None,
    workers: Workers = None,
    cluster: Cluster = "",
    limit: LimitText = "",
    openings: OpeningsFile = None,
    opening_plies: OpeningPlies = None,
    adjudicate: Adjudicate = "",
    anchor: Annotated[
        str, typer.Option("--anchor", help="A player with a known rating, which fixes the scale: random=0")
    ] = "",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Play a tournament: round robin, gauntlet, ladder or swiss.

    Ratings are maximum-likelihood Elo over all games, with 95 % intervals. Their mean is zero unless there is an
    --anchor.

    [dim]For example:[/dim] hansu tournament tictactoe random mcts:simulations=100 alphabeta --games 20

    [dim]Resume later:[/dim] hansu tournament connect_four rule mcts@time=0.1 ./my.py:Agent --store games.db

    [dim]On a cluster:[/dim] hansu tournament connect_four rule mcts --store games.db --cluster 10.0.0.1:6379

    [dim]Show the stored games:[/dim] hansu store games.db
    """
    from hansu.arena.adjudication import Adjudication
    from hansu.arena.contestant import read_contestants
    from hansu.arena.standings import Results, anchor_of, standings
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
    from hansu.ui.console import err, out
    from hansu.ui.standings import standings_table

    rules = registry.game(game)
    who = read_contestants(players, rules, Limit.read(limit))
    if len(who) < 2:
        raise HansuError("a tournament needs two or more players")
    schedule = _schedule(who, games, gauntlet, ladder, swiss, rounds)
    adjudication = Adjudication.read(adjudicate)
    source = choose_openings(rules, openings, opening_plies, seed)
    names = {number: one.name for number, one in enumerate(who)}
    anchored, anchored_at = anchor_of(anchor, names)
    settings: dict[str, object] = {"runner": gauntlet} if gauntlet else {}
    if swiss:
        settings = {"players": [f"{one.name}#{one.version}" for one in who], "games": games}
    with exit_on_signals(), open_store(store) as database:
        event = Tournament(database, rules, who, schedule, source, seed, adjudication, settings)
        results, total = Results(), 2 * (schedule.total or 0)
        about = Message("{game}, {kind}, {count} players", game=rules.spec, kind=schedule.kind, count=len(who))

        def table() -> Standings:
            anchor_id = None if anchored is None else event.ids[anchored]
            return standings(results.counts, database.players(), results.faults, anchor_id, anchored_at)

        def display(pace: Pace) -> RenderableType:
            from rich.console import Group

            return Group(standings_table(table()), pace.line(about, results.games, total))

        if not as_json:
            warn_of_repeats(source, schedule.slots)
            if games is not None and games % 2:
                text = Message(
                    "{played} games per pair instead of {games}: each opening is played from both seats",
                    played=games + 1, games=games,
                )  # fmt: skip
                err().print(localize(text), style="dim")
        finished, error = False, None
        try:
            with runner_for(rules, who, adjudication, workers, cluster) as runner:
                finished = follow(event, runner, results, display, as_json, minutes)
        except HansuError as caught:
            if not results.games:
                raise
            error = caught  # after the results of the games before it
        complete = finished and not event.stopped
        if as_json:
            answer = {
                "game": rules.spec, "event": schedule.kind, "openings": source.description,
                "adjudicate": str(adjudication), "seed": seed, "store": None if store is None else str(store),
                "finished": complete, **table().as_json(),
            }  # fmt: skip
            print(json.dumps(answer, ensure_ascii=False))
        else:
            if results.games:
                final = table()
                if {row.player for row in final.rows} - set(event.ids):
                    text = Message("all players of this event in the store, including those not named here:")
                    out().print(localize(text), style="dim", markup=False)
                out().print(standings_table(final))
                out().print(localize(final.seat_summary), markup=False)
            done = results.games
            if done > total:  # the store had more games of this event
                state = Message(
                    "{about}: {new:,} new games, {done:,} of this event in the store",
                    about=about, new=done - results.earlier, done=done,
                )  # fmt: skip
            elif complete:
                state = Message("{about}: {done:,} of {total:,} games", about=about, done=done, total=total)
            else:
                state = Message(
                    "{about}: stopped after {done:,} of {total:,} games", about=about, done=done, total=total
                )
            out().print(localize(state), style="dim", markup=False)
            if store is None:
                out().print(localize(Message("(--store FILE keeps the games)")), style="dim", markup=False)
    if error is not None:
        raise error
    if not finished:
        raise typer.Exit(130)


def _schedule(
    who: Sequence[Contestant], games: int | None, gauntlet: str, ladder: bool, swiss: bool, rounds: int | None
) -> Schedule:  # fmt: skip
    from hansu.arena.schedule import Gauntlet, Ladder, RoundRobin, Swiss
    from hansu.arena.standings import find_player
    from hansu.core import HansuError

    if bool(gauntlet) + ladder + swiss > 1:
        raise HansuError("--gauntlet, --ladder and --swiss exclude each other")
    if rounds is not None and not swiss:
        raise HansuError("--rounds needs --swiss", "--games is the number of games for each pair of players")
    pairs = ((games or (2 if swiss else 20)) + 1) // 2
    if swiss:
        return Swiss(len(who), rounds, pairs)
    if gauntlet:
        return Gauntlet(len(who), find_player(gauntlet, {number: one.name for number, one in enumerate(who)}), pairs)
    return Ladder(len(who), pairs) if ladder else RoundRobin(len(who), pairs)
